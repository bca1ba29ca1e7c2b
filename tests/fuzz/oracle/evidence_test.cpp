// What a finding leaves must be enough to look into it.
#include "fuzz/oracle/evidence.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/scratch.h"

namespace hipcache::fuzz {
namespace {

TEST(Evidence, HoldsWhatWasThereAndWhatEitherMadeOfIt) {
  integration::Comparison comparison;
  comparison.before = {{"src", "40755 "}, {"src/a.hip", "100644 int a;"}, {"link", "120777 -> src"}};
  comparison.by_cache = {{"out/a.o", "100644 wrong"}};
  comparison.by_compiler = {{"out/a.o", "100644 right"}, {"gone.d", ""}};
  comparison.cached = {{.exit_code = 0, .out = "", .err = "warning"}};
  comparison.alone = {{.exit_code = 0, .out = "", .err = ""}};
  const std::string kept = keep_evidence("it differs", {{{"clang++", "-c"}, "/d", {{"A", "1"}}}}, comparison);
  EXPECT_EQ(support::read_bytes(kept + "/report"), "it differs");
  EXPECT_EQ(support::read_bytes(kept + "/commands"), "(cd /d && A='1' clang++ -c)\n");
  EXPECT_EQ(support::read_bytes(kept + "/before/link/a.hip"), "int a;");
  EXPECT_EQ(support::read_bytes(kept + "/by-hipcache/out/a.o"), "wrong");
  EXPECT_EQ(support::read_bytes(kept + "/by-compiler/out/a.o"), "right");
  EXPECT_EQ(support::read_bytes(kept + "/by-hipcache/standard-error-1"), "warning");
  EXPECT_FALSE(support::exists(kept + "/by-compiler/gone.d"));
  std::filesystem::remove_all(kept);
}

}  // namespace
}  // namespace hipcache::fuzz
