// What is compared of the headers of an AST file. Which files lack times is tested in tests/compiler/ast_file_test.cpp.
#include "inputs/rules/ast_file.h"

#include <gtest/gtest.h>

#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

bool ends_with_lacks(std::string_view head) { return head.ends_with("lacks"); }

TEST(AstFile, IsKnownByItsFirstBytesAndReadByTheGivenFunction) {
  const support::Scratch scratch;
  EXPECT_EQ(compares_of_file(scratch.write("a.pch", "CPCH lacks"), ends_with_lacks), Compares::sizes);
  EXPECT_EQ(compares_of_file(scratch.write("b.pch", "CPCH"), ends_with_lacks), Compares::sizes_and_times);
  EXPECT_EQ(compares_of_file(scratch / "a.pch", nullptr), Compares::sizes_and_times) << "nobody can read it";
}

TEST(AstFile, IsNothingElse) {
  const support::Scratch scratch;
  for (const char* text : {"", "CPC", "#include <vector>\nlacks"})
    EXPECT_EQ(compares_of_file(scratch.write("a.h", text), ends_with_lacks), Compares::nothing) << text;
  EXPECT_EQ(compares_of_file(scratch / "none", ends_with_lacks), Compares::nothing);
}

}  // namespace
}  // namespace hipcache::inputs
