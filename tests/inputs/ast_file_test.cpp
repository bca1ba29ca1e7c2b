// The list of headers in an AST file: written here bit by bit as clang writes it. Files of real compilers are read in
// tests/integration/staleness/looked_at_test.cpp.
#include "inputs/rules/ast_file.h"

#include <gtest/gtest.h>

#include <random>

#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

class BitWriter {
 public:
  BitWriter& fixed(unsigned width, std::uint64_t value) {
    for (unsigned i = 0; i < width; ++i) {
      if (bits_ % 8 == 0) bytes_.push_back('\0');
      if ((value >> i & 1) != 0) bytes_.back() = static_cast<char>(bytes_.back() | 1 << bits_ % 8);
      ++bits_;
    }
    return *this;
  }
  BitWriter& varying(unsigned width, std::uint64_t value) {
    const std::uint64_t more = std::uint64_t{1} << (width - 1);
    for (; value >= more; value >>= width - 1) fixed(width, (value & (more - 1)) | more);
    return fixed(width, value);
  }
  BitWriter& align() {
    while (bits_ % 32 != 0) fixed(1, 0);
    return *this;
  }
  BitWriter& enter(unsigned width, unsigned block) {
    return fixed(width, 1).varying(8, block).varying(4, 4).align().fixed(32, 0);
  }
  BitWriter& end() { return fixed(4, 0).align(); }
  std::string bytes() const { return "CPCH" + bytes_; }

 private:
  std::string bytes_;
  std::size_t bits_ = 0;
};

// A file of two headers with these times: one in a record of its own form, one in an abbreviated record with a name.
std::string file_of(std::uint64_t first_time, std::uint64_t second_time) {
  BitWriter out;
  out.enter(2, 15).enter(4, 16);
  out.fixed(4, 3).varying(6, 1).varying(6, 3).varying(6, 1).varying(6, 100).varying(6, first_time);
  out.fixed(4, 2).varying(5, 5);               // an abbreviation of five operands
  out.fixed(1, 1).varying(8, 1);               // the code
  out.fixed(1, 0).fixed(3, 2).varying(5, 6);   // id
  out.fixed(1, 0).fixed(3, 2).varying(5, 6);   // size
  out.fixed(1, 0).fixed(3, 1).varying(5, 32);  // time
  out.fixed(1, 0).fixed(3, 5);                 // name
  out.fixed(4, 4).varying(6, 2).varying(6, 200).fixed(32, second_time).varying(6, 3).align();
  out.fixed(8, 'a').fixed(8, '.').fixed(8, 'h').align();
  return out.end().end().bytes();
}

TEST(AstFile, ComparesTimesWhereAnyHeaderHasOne) {
  EXPECT_EQ(compares(file_of(0, 0)), Compares::sizes);
  EXPECT_EQ(compares(file_of(1'700'000'000, 0)), Compares::sizes_and_times);
  EXPECT_EQ(compares(file_of(0, 1'700'000'000)), Compares::sizes_and_times);
}

TEST(AstFile, ComparesAllWhereItIsNotUnderstood) {
  const std::string whole = file_of(0, 0);
  for (std::size_t size = 4; size + 4 < whole.size(); ++size)
    EXPECT_EQ(compares(std::string_view(whole).substr(0, size)), Compares::sizes_and_times) << size;
  EXPECT_EQ(compares(BitWriter().enter(2, 15).end().bytes()), Compares::sizes_and_times) << "no headers";
}

TEST(AstFile, SurvivesRandomBytes) {
  std::mt19937 random(1);
  for (int time = 0; time < 2000; ++time) {
    std::string bytes = file_of(0, 0);
    for (int change = 0; change < 4; ++change) bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
    EXPECT_NE(compares(bytes), Compares::nothing);
  }
}

TEST(AstFile, IsNothingElse) {
  EXPECT_EQ(compares(""), Compares::nothing);
  EXPECT_EQ(compares("#include <vector>\n"), Compares::nothing);
  const support::Scratch scratch;
  EXPECT_EQ(compares_of_file(scratch.write("a.h", "int one;\n")), Compares::nothing);
  EXPECT_EQ(compares_of_file(scratch / "none"), Compares::nothing);
  EXPECT_EQ(compares_of_file(scratch.write("a.pch", file_of(0, 0))), Compares::sizes);
}

}  // namespace
}  // namespace hipcache::inputs
