// Where the dynamic loader would find a library now: by LD_LIBRARY_PATH, and by its cache.
//
// The problem: the text of the variable and the content of the cache change for reasons that no compile has part in (a
// directory that is not there, a package that was installed). The choice: the answer for one name is the list of
// candidates in the order that the loader has them, each with its content, and the entries of the cache. What makes
// the loader take another file changes the list. Where the variable has tokens ($ORIGIN), where an old loader's
// directories for processors are there, or where the cache cannot be read, the whole text or content is in the answer.
#ifndef HIPCACHE_SRC_INPUTS_LIBRARY_SEARCH_H
#define HIPCACHE_SRC_INPUTS_LIBRARY_SEARCH_H

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/world.h"
#include "inputs/loader_cache.h"

namespace hipcache::inputs {

inline constexpr const char* kLoaderCacheFile = "/etc/ld.so.cache";

// Below glibc-hwcaps, which the loader prefers to the directory that it is in.
inline constexpr std::array<std::string_view, 3> kHwcapsLevels = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};

// The cache as it was when it was last read. Thread-safe.
class ParsedLoaderCache {
 public:
  // The file of that content; null where the file has another one by now, or one that is not understood.
  std::shared_ptr<const LoaderCache> of(const Digest& content);

 private:
  std::mutex mutex_;
  Digest content_;
  bool is_read_ = false;
  std::shared_ptr<const LoaderCache> cache_;
};

// The searches of one state: the directories and the cache are looked at once. Used by one thread.
class LibrarySearch {
 public:
  // REQUIRES: the arguments outlive it.
  LibrarySearch(const Surroundings& from, World::Memory& memory, std::uint64_t now_ns, Effort& effort);

  // All that decides what the loader finds for the name.
  std::string found(const std::string& name);

 private:
  void take_directory(const std::string& directory);
  void read_cache();

  const Surroundings& from_;
  World::Memory& memory_;
  const std::uint64_t now_ns_;
  Effort& effort_;
  std::vector<std::string> directories_;  // of the variable, as far as they are there
  std::string unclear_;                   // what has a say in every search
  std::shared_ptr<const LoaderCache> cache_;
};

}  // namespace hipcache::inputs

#endif
