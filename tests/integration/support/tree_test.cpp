// What the oracle expects after two runs that write to the same places.
#include "integration/support/tree.h"

#include <gtest/gtest.h>

namespace hipcache::integration {
namespace {

const Files kOne{{"a.o", "one"}, {"b.o", "same"}, {"of one", "1"}};
const Files kOther{{"a.o", "other"}, {"b.o", "same"}};

TEST(EitherOfTwo, IsWhatOneOrTheOtherLeaves) {
  for (const Files& got : {kOne, kOther, Files{{"a.o", "other"}, {"b.o", "same"}, {"of one", "1"}}})
    EXPECT_EQ(expected_of_either(got, kOne, kOther), got);
}

TEST(EitherOfTwo, IsNothingElse) {
  for (const Files& got : {Files{}, Files{{"a.o", "another"}, {"b.o", "same"}}, Files{{"a.o", "one"}, {"b.o", "other"}},
                           Files{{"a.o", "one"}, {"b.o", "same"}, {"c.o", "more"}}})
    EXPECT_NE(expected_of_either(got, kOne, kOther), got);
}

}  // namespace
}  // namespace hipcache::integration
