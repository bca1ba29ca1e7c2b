#include "integration/support/single_compile.h"

namespace hipcache::integration {

std::string SingleCompile::expected_object(const Arguments& argv) const {
  const Cache other;
  const std::string cuid = other.plan(argv, project_.path()).value("cuid", "");
  EXPECT_FALSE(cuid.empty());
  const Ended ended = run(argv + Arguments{"-cuid=" + cuid, "-o", "expected.o"}, project_.path());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return support::read_bytes(project_ / "expected.o");
}

void SingleCompile::expect_opaque(const Arguments& argv, const Variables& variables) {
  const Counts cold = check(argv, variables);
  EXPECT_EQ(cold.misses, 1) << cold.json.dump();
  EXPECT_EQ(cold.run.at("host"), 1);
  EXPECT_EQ(cold.run.at("device"), 0);
  const Counts warm = check(argv, variables);
  EXPECT_EQ(warm.hits, 1) << warm.json.dump();
  EXPECT_EQ(warm.run.at("host") + warm.run.at("device"), 0);
}

void SingleCompile::write_slow_source() const { write_slow_kernel(project_, "a.hip"); }

}  // namespace hipcache::integration
