#include "hipcache/compiler/hip/plan.h"

#include <gtest/gtest.h>

namespace hipcache::hip {
namespace {

std::string lost_in(const std::string& jobs) { return lost_debug_file(jobs, "/t").value_or(""); }

TEST(LostDebugFiles, AFrontEndNamesOneInTheTemporaryDirectory) {
  EXPECT_EQ(lost_in(R"( "/c/clang" "-cc1" "-emit-llvm-bc" "-split-dwarf-file" "/t/k-1.dwo" "-o" "/t/k.bc" "k.hip")"
                    "\n"),
            "/t/k-1.dwo");
  EXPECT_EQ(lost_in(R"( "/c/clang" "-cc1" "-emit-obj" "-split-dwarf-file" "k.dwo" "-o" "/t/k.o" "k.hip")"
                    "\n"),
            "");
}

TEST(LostDebugFiles, ALinkOfBitcodeWritesThemThere) {
  const std::string link = R"( "/c/lld" "-flavor" "gnu" "-plugin-opt=dwo_dir=/t/k.out_dwo" "-o" "/t/k.out" "/t/k.o")"
                           "\n";
  EXPECT_EQ(lost_in(link), "-plugin-opt=dwo_dir=/t/k.out_dwo");
  EXPECT_EQ(lost_in(R"( "/c/clang" "-cc1" "-emit-obj" "-split-dwarf-file" "k.dwo" "-o" "/t/k.o" "k.hip")"
                    "\n" +
                    link),
            "");
  EXPECT_EQ(lost_in(R"( "/c/lld" "-flavor" "gnu" "-plugin-opt=dwo_dir=x.so-dwo" "-o" "/t/k.out" "/t/k.o")"
                    "\n"),
            "");
}

TEST(LostDebugFiles, TheLinkerWrapperNamesThemAfterItsOutput) {
  const std::string wrapper =
      R"( "/c/clang-linker-wrapper" "--device-compiler=amdgcn-amd-amdhsa=-gsplit-dwarf" "--emit-fatbin-only" "-o" )";
  EXPECT_EQ(lost_in(wrapper + "\"/t/k.hipfb\" \"/t/k.out\"\n"), "--device-compiler=amdgcn-amd-amdhsa=-gsplit-dwarf");
  EXPECT_EQ(lost_in(wrapper + "\"k.hipfb\" \"/t/k.out\"\n"), "");
}

TEST(LostDebugFiles, NothingIsLostWithoutJobs) {
  EXPECT_EQ(lost_in(""), "");
  EXPECT_EQ(lost_in("split-dwarf \"unfinished"), "");
}

}  // namespace
}  // namespace hipcache::hip
