// The list of headers in an AST file: written here bit by bit as clang writes it. Files of real compilers are read in
// fixtures/cases/looked_at.toml.
#include "hipcache/compiler/ast_file.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace hipcache::compiler {
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

TEST(AstFile, LacksTimesIfNoHeaderHasOne) {
  EXPECT_TRUE(lacks_times(file_of(0, 0)));
  EXPECT_FALSE(lacks_times(file_of(1'700'000'000, 0)));
  EXPECT_FALSE(lacks_times(file_of(0, 1'700'000'000)));
}

TEST(AstFile, IsNotUnderstoodWithoutTheWholeListOfHeaders) {
  const std::string whole = file_of(0, 0);
  for (std::size_t size = 0; size + 4 < whole.size(); ++size)
    EXPECT_FALSE(lacks_times(std::string_view(whole).substr(0, size))) << size;
  EXPECT_TRUE(lacks_times(whole + "what is behind the list, cut off"));
  EXPECT_FALSE(lacks_times(BitWriter().enter(2, 15).end().bytes())) << "no headers";
  EXPECT_FALSE(lacks_times("#include <vector>\n"));
}

// A header whose record of eager declarations has these numbers.
std::string header_of(const std::vector<std::uint64_t>& numbers) {
  BitWriter out;
  out.enter(2, 8);
  out.fixed(4, 3).varying(6, 2).varying(6, 1).varying(6, 77);  // another record
  out.fixed(4, 3).varying(6, 6).varying(6, numbers.size());
  for (const std::uint64_t number : numbers) out.varying(6, number);
  out.fixed(4, 3).varying(6, 9).varying(6, 1).varying(6, 88);
  return out.end().bytes();
}

TEST(AstFile, HasItsEagerDeclarationsInAnotherOrder) {
  const std::vector<std::uint64_t> numbers{5, 123'456, 1'000'000'000'000, 31};
  const std::string header = header_of(numbers);
  const auto places = eager_declarations(header);
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 4u);
  EXPECT_EQ(with_eager_order(header, *places, {0, 1, 2, 3}), header);
  EXPECT_EQ(with_eager_order(header, *places, {2, 0, 3, 1}),
            header_of({numbers[2], numbers[0], numbers[3], numbers[1]}));
}

TEST(AstFile, MayHaveNoEagerDeclarations) {
  const std::string header = BitWriter().enter(2, 8).end().bytes();
  const auto places = eager_declarations(header);
  ASSERT_TRUE(places);
  EXPECT_TRUE(places->empty());
  EXPECT_EQ(with_eager_order(header, *places, {}), header);
}

TEST(AstFile, EagerDeclarationsOfAnythingElseAreNotUnderstood) {
  EXPECT_FALSE(eager_declarations(""));
  EXPECT_FALSE(eager_declarations("#include <vector>\n"));
  const std::string header = header_of({5, 6});
  for (std::size_t size = 0; size + 4 < header.size(); ++size)
    EXPECT_FALSE(eager_declarations(std::string_view(header).substr(0, size)).value_or(std::vector<BitRange>()).size());
}

// A file may be read while another process writes it. LLVM's readers before 19 end the process on some of these bytes.
TEST(AstFile, MayBeDamagedAnywhere) {
  constexpr int kTimes = 100'000;
  std::mt19937 random(1);
  const std::string whole = file_of(0, 0);
  int understood = 0;
  for (int time = 0; time < kTimes; ++time) {
    std::string damaged = whole + whole;
    for (std::size_t change = 0; change <= random() % 5; ++change) {
      char& byte = damaged[4 + random() % (whole.size() - 4)];
      byte = random() % 2 == 0 ? static_cast<char>(random()) : static_cast<char>(byte ^ (1 << random() % 8));
    }
    damaged.resize(4 + random() % damaged.size());
    damaged.shrink_to_fit();
    if (lacks_times(damaged)) ++understood;
  }
  EXPECT_GT(understood, 0);
  EXPECT_LT(understood, kTimes);
}

}  // namespace
}  // namespace hipcache::compiler
