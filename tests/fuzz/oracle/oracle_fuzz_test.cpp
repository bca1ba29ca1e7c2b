// Short random walks, always the same ones; tools/soak takes long ones.
#include <gtest/gtest.h>

#include "fuzz/oracle/walk.h"

namespace hipcache::fuzz {
namespace {

class OracleFuzz : public testing::TestWithParam<integration::Compiler> {};

TEST_P(OracleFuzz, WalksOfFixedSeedsFindNothingAndHitOften) {
  Tally tally;
  for (const std::uint32_t seed : {1u, 2u}) {
    Walk walk({.compiler = GetParam(), .seed = seed, .steps = 10}, tally,
              [](const std::string& text) { ADD_FAILURE() << text; });
    walk.run([] { return false; });
  }
  EXPECT_GE(tally["cases tried"], 20);
  EXPECT_GT(tally["hits"] + tally["partial hits"], 4) << "else the walks do not try what they are for";
}

TEST_P(OracleFuzz, ASeedMakesOneWalk) {
  Tally tally;
  const WalkOptions options{.compiler = GetParam(), .seed = 7, .steps = 60};
  const auto rehearse = [&] { return Walk(options, tally, [](const std::string&) {}).rehearse(); };
  const Walk::Rehearsal one = rehearse();
  const Walk::Rehearsal other = rehearse();
  EXPECT_EQ(one.done, other.done);
  EXPECT_TRUE(one == other);
}

INSTANTIATE_TEST_SUITE_P(Compilers, OracleFuzz, testing::ValuesIn(integration::kCompilers), integration::name_of);

}  // namespace
}  // namespace hipcache::fuzz
