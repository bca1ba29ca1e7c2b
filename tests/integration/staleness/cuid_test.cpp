// Ids of translation units.
#include <gtest/gtest.h>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

using CuidStaleness = Staleness;

TEST_P(CuidStaleness, TheSameSourceUnderTwoOutputsHasTwoIds) {
  check(command("-O1", "a.o"));
  check(command("-O1", "b.o"));
  EXPECT_NE(cache_.plan(command("-O1", "a.o"), project_.path()).at("cuid"),
            cache_.plan(command("-O1", "b.o"), project_.path()).at("cuid"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, CuidStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
