#include "inputs/loader/loader_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

struct Library {
  std::string name, path;
  std::uint64_t hwcap = 0;
};

void append(std::string& bytes, std::uint64_t value, std::size_t size) {
  bytes.append(reinterpret_cast<const char*>(&value), size);
}

// A cache as ldconfig writes it, with an extension that names the processors.
std::string cache_of(const std::vector<Library>& libraries, const std::vector<std::string>& processors = {}) {
  std::string strings;
  const std::size_t begin = 48 + libraries.size() * 24;
  const auto place = [&](const std::string& text) {
    const std::size_t at = begin + strings.size();
    strings += text + '\0';
    return at;
  };
  std::string entries;
  for (const Library& library : libraries) {
    append(entries, 3 | 0x300, 4);
    append(entries, place(library.name), 4);
    append(entries, place(library.path), 4);
    append(entries, 0, 4);
    append(entries, library.hwcap, 8);
  }
  std::string offsets;
  for (const std::string& processor : processors) append(offsets, place(processor), 4);
  const std::size_t extensions = begin + strings.size();
  std::string bytes = "glibc-ld.so.cache1.1";
  append(bytes, libraries.size(), 4);
  append(bytes, strings.size(), 4);
  append(bytes, 2, 4);
  append(bytes, extensions, 4);
  bytes += std::string(12, '\0') + entries + strings;
  append(bytes, 0xeaa42174, 4);
  append(bytes, 1, 4);
  append(bytes, 1, 4);
  append(bytes, 0, 4);
  append(bytes, extensions + 8 + 16, 4);
  append(bytes, offsets.size(), 4);
  return bytes + offsets;
}

std::string entries_in(const std::string& bytes, const std::string& name) {
  const Result<LoaderCache> cache = LoaderCache::parse(bytes);
  EXPECT_TRUE(cache.ok()) << cache.error().message;
  return cache ? std::string(cache->entries_of(name)) : "";
}

constexpr std::uint64_t kExtension = std::uint64_t{1} << 62;

TEST(LoaderCache, SaysTheSameOfALibraryHoweverManyOthersThereAre) {
  const std::string few = cache_of({{"liba.so.1", "/lib/liba.so.1"}});
  const std::string many = cache_of({{"libz.so", "/opt/libz.so"}, {"liba.so.1", "/lib/liba.so.1"}});
  EXPECT_EQ(entries_in(few, "liba.so.1"), entries_in(many, "liba.so.1"));
  EXPECT_NE(entries_in(few, "liba.so.1"), "");
  EXPECT_EQ(entries_in(few, "libz.so"), "");
  EXPECT_NE(entries_in(many, "libz.so"), "");
}

TEST(LoaderCache, TellsAnotherPathAnotherProcessorAndOneMoreEntry) {
  const std::string one = entries_in(cache_of({{"liba.so.1", "/lib/liba.so.1"}}), "liba.so.1");
  EXPECT_NE(entries_in(cache_of({{"liba.so.1", "/opt/liba.so.1"}}), "liba.so.1"), one);
  EXPECT_NE(entries_in(cache_of({{"liba.so.1", "/lib/liba.so.1", 1}}), "liba.so.1"), one);
  EXPECT_NE(entries_in(cache_of({{"liba.so.1", "/opt/liba.so.1"}, {"liba.so.1", "/lib/liba.so.1"}}), "liba.so.1"), one);
}

TEST(LoaderCache, NamesProcessorsByTheirNamesForTheirNumbersChange) {
  const std::string one =
      entries_in(cache_of({{"liba.so.1", "/lib/v3/liba.so.1", kExtension}}, {"x86-64-v3"}), "liba.so.1");
  const std::string shifted = entries_in(
      cache_of({{"liba.so.1", "/lib/v3/liba.so.1", kExtension | 1}}, {"x86-64-v2", "x86-64-v3"}), "liba.so.1");
  const std::string other =
      entries_in(cache_of({{"liba.so.1", "/lib/v3/liba.so.1", kExtension}}, {"x86-64-v2"}), "liba.so.1");
  EXPECT_EQ(one, shifted);
  EXPECT_NE(one, other);
}

TEST(LoaderCache, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(LoaderCache::parse("").ok());
  EXPECT_FALSE(LoaderCache::parse("ld.so-1.7.0" + std::string(100, '\0')).ok());
  EXPECT_FALSE(LoaderCache::parse(cache_of({{"a", "/a", kExtension | 7}}, {"x86-64-v3"})).ok());
  std::string big_endian = cache_of({});
  big_endian[28] = 3;
  EXPECT_FALSE(LoaderCache::parse(big_endian).ok());
}

TEST(LoaderCache, IsNotReadPastItsEndWhereverItIsCutOrDamaged) {
  const std::string whole = cache_of({{"liba.so.1", "/lib/liba.so.1", kExtension}}, {"x86-64-v3"});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(LoaderCache::parse(std::string(whole, 0, size)).ok()) << size;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = '\xff';
    static_cast<void>(LoaderCache::parse(damaged));
  }
}

TEST(LoaderCache, OfThisMachineKnowsLibc) {
  const Result<std::string> bytes = read_file("/etc/ld.so.cache", 64u << 20);
  if (!bytes) GTEST_SKIP() << "this machine has no cache: " << bytes.error().message;
  EXPECT_NE(entries_in(*bytes, "libc.so.6").find("/libc.so.6"), std::string::npos);
}

}  // namespace
}  // namespace hipcache::inputs
