#include "inputs/rules/variable_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipcache::inputs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GccSpecs, AskInVainForVariablesThatAreNoInputs) {
  EXPECT_EQ(asked_in_vain("*cc1:\n+ -I%:getenv(TMP /include)\n"), "TMP");
  EXPECT_EQ(asked_in_vain("%:getenv( HIPCACHE_DIR)"), "HIPCACHE_DIR");
  EXPECT_EQ(asked_in_vain("%:getenv(SDKROOT /x) %:getenv(LD_PRELOAD)"), "LD_PRELOAD");
  EXPECT_EQ(asked_in_vain("%:getenv(MAKEFLAGS /x)"), "MAKEFLAGS");
  EXPECT_EQ(asked_in_vain("%:getenv(COLUMNS)"), "COLUMNS");
  EXPECT_EQ(asked_in_vain("%:getenv(LC_ALL /x)"), "LC_ALL");
  EXPECT_EQ(asked_in_vain("%:getenv(SDKROOT /x) -DTMP"), "");
  EXPECT_EQ(asked_in_vain("%:getenv("), "");
}

TEST(GccSpecs, NameTheOnesThatTheyInclude) {
  EXPECT_THAT(included_by("%include <nano.specs>\n%include_noerr <dir/other>\n"), ElementsAre("nano.specs", "other"));
  EXPECT_THAT(included_by("*cc1:\n"), IsEmpty());
}

}  // namespace
}  // namespace hipcache::inputs
