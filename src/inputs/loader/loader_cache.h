// What /etc/ld.so.cache says of each library: where ldconfig found it, and for which processors.
//
// The problem: ldconfig rewrites the file when any package installs a library. If its content were an input, every
// installation would cause misses. The choice: only the entries for the names that the compile's programs looked for
// are inputs. Rejected: running ldconfig -p, which costs a process for each look.
//
// The format is glibc's (sysdeps/generic/dl-cache.h, elf/cache.c). Only the "new" format is understood, which ldconfig
// alone writes since glibc 2.32; the older compound format is not. It has a header with the magic
// "glibc-ld.so.cache1.1", entries of 24 bytes, strings by their offsets, and extensions. One extension names the
// glibc-hwcaps subdirectories.
//
// Immutable after construction; safe to share between threads.
#ifndef HIPCACHE_SRC_INPUTS_LOADER_LOADER_CACHE_H
#define HIPCACHE_SRC_INPUTS_LOADER_LOADER_CACHE_H

#include <string>
#include <string_view>
#include <unordered_map>

#include "hipcache/base/result.h"

namespace hipcache::inputs {

class LoaderCache {
 public:
  // An error if the bytes are damaged or of another format.
  static Result<LoaderCache> parse(std::string_view bytes);

  // The cache's entries for the name, in order: kind of library, processor, path. Empty if it has none.
  std::string_view entries_of(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::string> entries_;
};

}  // namespace hipcache::inputs

#endif
