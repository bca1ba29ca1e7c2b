// A file in memory for another process: written piece by piece, then sealed. Used by one thread.
#ifndef HIPCACHE_BASE_MEMORY_FILE_H
#define HIPCACHE_BASE_MEMORY_FILE_H

#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"

namespace hipcache {

class MemoryFile {
 public:
  // The name shows in /proc only.
  static Result<MemoryFile> make(const char* name);

  Status append(std::string_view bytes);

  // Seals the file against every change and returns it.
  Result<UniqueFd> seal() &&;

 private:
  explicit MemoryFile(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace hipcache

#endif
