#include "integration/support/opaque_compile.h"

#include <gmock/gmock.h>

namespace hipcache::integration {

void OpaqueCompile::expect_run(const Arguments& argv, const Variables& variables) {
  const Counts counted = check(argv, variables);
  EXPECT_EQ(oracle_.exit_code(), 0);
  EXPECT_EQ(counted.misses, 1) << counted.json.dump();
  EXPECT_EQ(counted.run.at("host"), 1);
  EXPECT_THAT(counted.not_stored, testing::Each(testing::Pair(testing::_, 0))) << counted.json.dump();
}

void OpaqueCompile::expect_hit(const Arguments& argv, const Variables& variables) {
  const Counts counted = check(argv, variables);
  EXPECT_EQ(counted.hits, 1) << counted.json.dump();
  EXPECT_EQ(counted.run.at("host") + counted.run.at("probe"), 0);
}

void OpaqueCompile::expect_passed(const std::string& reason, const Arguments& argv) {
  const Counts counted = check(argv);
  EXPECT_EQ(counted.passed, 1);
  EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.at("not_cached");
}

}  // namespace hipcache::integration
