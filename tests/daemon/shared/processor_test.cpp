#include "daemon/shared/processor.h"

#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

TEST(Processor, IsAskedByThoseThatCompileForTheirMachine) {
  EXPECT_TRUE(asks_processor({"clang++", "-O2", "-march=native", "-c", "a.cpp"}));
  EXPECT_TRUE(asks_processor({"clang++", "-Xarch_host", "-mtune=native", "-c", "a.hip"}));
  EXPECT_TRUE(asks_processor({"gcc", "-mcpu=native", "-c", "a.c"}));
  EXPECT_FALSE(asks_processor({"clang++", "-march=znver3", "--offload-arch=native", "-c", "a.hip"}));
}

TEST(Processor, IsTheSameEachTimeAndIsNotNothing) {
  EXPECT_EQ(processor(), processor());
  EXPECT_NE(processor(), Hasher("hipcache processor 1").finish());
}

}  // namespace
}  // namespace hipcache::daemon
