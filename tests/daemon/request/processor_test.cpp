#include "daemon/request/processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

using testing::ElementsAre;

TEST(Processor, IsAskedByThoseThatCompileForTheirMachine) {
  EXPECT_TRUE(asks_processor({"clang++", "-O2", "-march=native", "-c", "a.cpp"}));
  EXPECT_TRUE(asks_processor({"clang++", "-Xarch_host", "-mtune=native", "-c", "a.hip"}));
  EXPECT_TRUE(asks_processor({"gcc", "-mcpu=native", "-c", "a.c"}));
  EXPECT_TRUE(asks_processor({"clang", "-flto", "a.o", "-Wl,-plugin-opt=mcpu=native"}));
  EXPECT_FALSE(asks_processor({"clang++", "-march=znver3", "--offload-arch=native", "-c", "a.hip"}));
}

TEST(Processor, IsAskedByAVariableThatMayEndInTheArguments) {
  EXPECT_EQ(variable_that_asks_processor({"HOME=/root", "CCC_OVERRIDE_OPTIONS=+-march=native"}),
            "CCC_OVERRIDE_OPTIONS");
  EXPECT_EQ(variable_that_asks_processor({"HIPCC_COMPILE_FLAGS_APPEND=-O2 -march=native"}),
            "HIPCC_COMPILE_FLAGS_APPEND");
  EXPECT_EQ(variable_that_asks_processor({"CPU=native"}), "CPU");
  EXPECT_EQ(variable_that_asks_processor({"HOME=/native", "MODE=alternative"}), "");
}

TEST(Processor, IsTheSameEachTimeAndIsNotNothing) {
  EXPECT_EQ(processor(), processor());
  EXPECT_NE(processor(), Hasher("hipcache processor 2").finish());
}

constexpr const char* kX86 = R"(processor	: 0
vendor_id	: GenuineIntel
cpu family	: 6
model		: 85
model name	: Intel(R) Xeon(R)
stepping	: 7
microcode	: 0x5003801
cpu MHz		: 2500.000
cache size	: 36608 KB
physical id	: 0
cpuid level	: 22
flags		: fpu avx avx2
vmx flags	: vnmi
bugs		: spectre_v1 retbleed
bogomips	: 5000.00
clflush size	: 64
power management:

)";

TEST(Processor, OfX86IsWhatCompilersTakeFromItAndNotWhatTheKernelSaysOfItself) {
  EXPECT_THAT(identifying_lines(kX86), ElementsAre("vendor_id\t: GenuineIntel", "cpu family\t: 6", "model\t\t: 85",
                                                   "model name\t: Intel(R) Xeon(R)", "stepping\t: 7",
                                                   "cache size\t: 36608 KB", "flags\t\t: fpu avx avx2"));
}

TEST(Processor, OfX86IsTheSameForEachNumberOfEqualProcessors) {
  const std::string two = std::string(kX86) + kX86;
  EXPECT_EQ(identifying_lines(two), identifying_lines(kX86));
}

TEST(Processor, OfArmHasEachKindOnce) {
  const auto kind = [](const std::string& number, const std::string& part) {
    return "processor\t: " + number + "\nBogoMIPS\t: 243.75\nFeatures\t: fp sve\nCPU implementer\t: 0x41\n" +
           "CPU part\t: " + part + "\nSerial\t: 17\n\n";
  };
  const std::string text = kind("0", "0xd05") + kind("1", "0xd05") + kind("2", "0xd0a");
  EXPECT_THAT(identifying_lines(text),
              ElementsAre("Features\t: fp sve", "CPU implementer\t: 0x41", "CPU part\t: 0xd05", "CPU part\t: 0xd0a"));
}

TEST(Processor, OfAnotherKernelIsAllThatItSaysOfTheFirstOne) {
  EXPECT_THAT(identifying_lines("processor\t: 0\ncpu\t: POWER9\nrevision\t: 2.3\n\nprocessor\t: 1\ncpu\t: POWER9\n"),
              ElementsAre("cpu\t: POWER9", "revision\t: 2.3"));
  EXPECT_THAT(identifying_lines("vendor_id : IBM/S390\nmachine : 2964\n"),
              ElementsAre("vendor_id : IBM/S390", "machine : 2964"));
}

}  // namespace
}  // namespace hipcache::daemon
