#include "hipcache/compiler/hip/fatbin_splice.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "support/elf_object.h"

namespace hipcache::hip {
namespace {

using support::around;
using support::object_of;
using support::Part;

const std::string kPlaceholder(kPlaceholderFatbin);

TEST(FatbinSplice, MakesTheObjectThatHasTheFatbin) {
  for (const std::size_t size : {1u, 7u, 33u, 34u, 35u, 4096u, 70'001u}) {
    const std::string fatbin(size, 'f');
    const Result<std::string> spliced = splice_fatbin(around(kPlaceholder), fatbin);
    ASSERT_TRUE(spliced) << spliced.error().message;
    EXPECT_EQ(*spliced, around(fatbin)) << size;
  }
}

TEST(FatbinSplice, KeepsTheNullByteThatAnEarlierClangAdds) {
  const Result<std::string> spliced = splice_fatbin(around(kPlaceholder + '\0'), "fatbin");
  ASSERT_TRUE(spliced) << spliced.error().message;
  EXPECT_EQ(*spliced, around(std::string("fatbin") + '\0'));
}

// As with a function and a section for each instance of a template: the number stands in the first section then.
TEST(FatbinSplice, KnowsObjectsOfMoreSectionsThanTheHeaderCanCount) {
  const auto many = [](const std::string& fatbin) {
    std::vector<Part> parts(70'000, {".text", "f", 2});
    parts.push_back({".hip_fatbin", fatbin, 4096});
    std::string object = object_of(std::move(parts));
    Elf64_Ehdr header{};
    std::memcpy(&header, object.data(), sizeof header);
    Elf64_Shdr first{};
    first.sh_size = 70'003;
    first.sh_link = 1;
    header.e_shnum = 0;
    header.e_shstrndx = SHN_XINDEX;
    std::memcpy(object.data(), &header, sizeof header);
    std::memcpy(object.data() + header.e_shoff, &first, sizeof first);
    return object;
  };
  const Result<std::string> spliced = splice_fatbin(many(kPlaceholder), "fatbin");
  ASSERT_TRUE(spliced) << spliced.error().message;
  EXPECT_EQ(*spliced, many("fatbin"));
}

std::string refusal_of(const std::string& object) {
  const Result<std::string> spliced = splice_fatbin(object, "fatbin");
  return spliced ? "" : spliced.error().message;
}

TEST(FatbinSplice, RefusesWhatHasNoPlaceholderOrTwo) {
  const std::string refusal = "the host's object does not have the placeholder of a fatbin, once";
  EXPECT_EQ(refusal_of(object_of({{".text", "code"}})), refusal);
  EXPECT_EQ(refusal_of(around("another fatbin")), refusal);
  EXPECT_EQ(refusal_of(around(kPlaceholder + "x")), refusal);
  EXPECT_EQ(refusal_of(object_of({{".hip_fatbin", kPlaceholder}, {".hip_fatbin", kPlaceholder}})), refusal);
}

TEST(FatbinSplice, RefusesAnObjectThatIsLaidOutOtherwise) {
  const std::string refusal = "the host's object is not laid out as LLVM does it";
  std::string filled = around(kPlaceholder);
  filled[sizeof(Elf64_Ehdr) + 20] = 'x';  // between two sections
  EXPECT_EQ(refusal_of(filled), refusal);
  EXPECT_EQ(refusal_of(around(kPlaceholder) + "more"), refusal);
}

TEST(FatbinSplice, RefusesWhatIsNoObject) {
  EXPECT_EQ(refusal_of(""), "the host's object is cut short");
  EXPECT_EQ(refusal_of(std::string(4096, 'x')), "the host's object is no ELF relocatable of 64 bits");
  const std::string whole = around(kPlaceholder);
  for (std::size_t size = 0; size < whole.size(); size += 3) EXPECT_NE(refusal_of(whole.substr(0, size)), "") << size;
}

// Any bytes: refused, or spliced, and never read outside of.
TEST(FatbinSplice, SurvivesAnyBytes) {
  const std::string whole = around(kPlaceholder);
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    std::mt19937 random(seed);
    std::string object = whole;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      // Headers more often than contents: the file's, or the table's at the end.
      const std::size_t near = random() % 512;
      const std::size_t at = random() % 2 == 0 ? near % sizeof(Elf64_Ehdr) : object.size() - 1 - near;
      object[at] = static_cast<char>(random() % 4 == 0 ? 0xff : random() % 256);
    }
    const Result<std::string> spliced = splice_fatbin(object, "fatbin");
    EXPECT_TRUE(spliced || !spliced.error().message.empty()) << seed;
  }
}

TEST(NeedsNoFatbin, HoldsForAnObjectWithoutASectionOfOne) {
  EXPECT_TRUE(needs_no_fatbin(object_of({{".text", "code", 16}, {".bss", "", 32, SHT_NOBITS}})));
  EXPECT_TRUE(
      needs_no_fatbin(object_of({{".text", "code", 16}, {".rodata.str1.1", std::string("a .hip_fatbin\0", 14)}})))
      << "the source may speak of one";
}

TEST(NeedsNoFatbin, DoesNotHoldForWhatHasOneOrRefersToOne) {
  EXPECT_FALSE(needs_no_fatbin(around(kPlaceholder)));
  EXPECT_FALSE(needs_no_fatbin(around("another fatbin")));
  const Part code{".text", "code", 16};
  for (const Part& part :
       {Part{".hip_fatbin", ""}, Part{".hip_fatbin", "", 1, SHT_NOBITS}, Part{".hip_fatbin.a", "b"},
        Part{".hipFatBinSegment", "b"}, Part{".rodata", kPlaceholder}, Part{".rodata", "a" + kPlaceholder + "b"},
        Part{".strtab", std::string("\0__hip_fatbin\0", 14), 1, SHT_STRTAB},
        Part{".strtab", std::string("\0__hip_fatbin_0123\0", 19), 1, SHT_STRTAB}})
    EXPECT_FALSE(needs_no_fatbin(object_of({code, part}))) << part.name;
}

TEST(NeedsNoFatbin, DoesNotHoldForWhatIsNoObject) {
  const std::string object = object_of({{".text", "code", 16}});
  for (std::size_t size = 0; size < object.size(); ++size) EXPECT_FALSE(needs_no_fatbin(object.substr(0, size)));
  EXPECT_FALSE(needs_no_fatbin("BC\xc0\xde bitcode"));
}

}  // namespace
}  // namespace hipcache::hip
