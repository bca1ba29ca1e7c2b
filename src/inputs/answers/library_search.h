// Where the dynamic loader would find a library now: through LD_LIBRARY_PATH, then through its cache.
//
// The problem: the variable's text and the cache's content change for reasons that do not matter to a compile, such as
// a directory that does not exist or a newly installed package. The choice: the answer for one library name is the list
// of candidates in the loader's order, each with its content, and the cache's entries for the name. Whatever makes the
// loader take another file changes this list. The answer holds the variable's whole text if it has tokens ($ORIGIN). It
// names each directory with subdirectories for an old loader, and holds the cache's digest if the cache is not
// understood.
#ifndef HIPCACHE_SRC_INPUTS_ANSWERS_LIBRARY_SEARCH_H
#define HIPCACHE_SRC_INPUTS_ANSWERS_LIBRARY_SEARCH_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hipcache/inputs/file_clock.h"
#include "hipcache/inputs/run_context.h"
#include "inputs/loader/loader_cache.h"
#include "inputs/state/file_system_memo.h"

namespace hipcache::inputs {

// The library searches of one state. Looks at the directories and the cache once. Used by one thread.
class LibrarySearch {
 public:
  // REQUIRES: the arguments outlive this object.
  LibrarySearch(const RunContext& from, FileSystemMemo& memo, std::uint64_t now_ns, Effort& effort);

  // Everything that decides what the loader finds for the name, encoded.
  std::string places_of(const std::string& name);

  // The cache that the answers are made from; null if it is not understood.
  const std::shared_ptr<const LoaderCache>& cache() const { return cache_; }

 private:
  void take_directory(const std::string& directory);
  void read_cache();

  const RunContext& from_;
  FileSystemMemo& memo_;
  const std::uint64_t now_ns_;
  Effort& effort_;
  std::vector<std::string> directories_;  // of LD_LIBRARY_PATH; only existing ones
  std::string unclear_;                   // is part of every answer
  std::shared_ptr<const LoaderCache> cache_;
};

}  // namespace hipcache::inputs

#endif
