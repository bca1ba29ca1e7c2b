// Macros of the command line beside a large header. For other macros see fixtures/cases/macro.toml.
#include <gtest/gtest.h>

#include "integration/support/compiler.h"
#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

class MacroStaleness : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  std::int64_t hits(const std::string& macros) {
    return check(words(GetParam() + " -O1 " + macros + " -c a.cpp -o a.o")).hits;
  }
};

// As rocRAND's table of direction vectors.
TEST_P(MacroStaleness, ThatNothingUsesCostsNothingBesideATableOfManyMegabytes) {
  std::string table;
  for (int i = 0; i < 400'000; ++i) table += "// 0x8000000000000000, 0x4000000000000000, 0x2000000000000000\n";
  ASSERT_GT(table.size(), 24'000'000u);
  project_.write("a.cpp", "#include \"header.h\"\nint f() { return 1; }\n");
  project_.write("header.h", table);
  EXPECT_EQ(hits("-DCOMMIT=1"), 0);
  EXPECT_EQ(hits("-DCOMMIT=2"), 1);
  project_.write("header.h", table + "int id = COMMIT;\n");
  EXPECT_EQ(hits("-DCOMMIT=2"), 0);
  EXPECT_EQ(hits("-DCOMMIT=3"), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, MacroStaleness, testing::Values("g++", "clang++-15", "clang++-19"),
                         [](const auto& one) {
                           return one.param == "g++" ? std::string("Gcc") : "Clang" + one.param.substr(8);
                         });

}  // namespace
}  // namespace hipcache::integration
