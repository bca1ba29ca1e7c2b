// What /etc/ld.so.cache says of each library: where ldconfig found it, and for which processors.
//
// The problem: ldconfig writes the file anew whenever any package brings a library, so its content is no question for
// a compile. The choice: what it says for the names that the compile's programs looked for. Rejected: running
// ldconfig -p, which needs a process for each look.
//
// The format is glibc's (sysdeps/generic/dl-cache.h, elf/cache.c; "new" format, the only one that ldconfig writes since
// glibc 2.32): a header with the magic "glibc-ld.so.cache1.1", entries of 24 bytes, strings by their offsets, and
// extensions, one of which names the glibc-hwcaps subdirectories. Anything else is unknown, the older compound format
// included. Immutable once made; safe to share between threads.
#ifndef HIPCACHE_SRC_INPUTS_LOADER_CACHE_H
#define HIPCACHE_SRC_INPUTS_LOADER_CACHE_H

#include <string>
#include <string_view>
#include <unordered_map>

#include "hipcache/base/result.h"

namespace hipcache::inputs {

class LoaderCache {
 public:
  // An error for bytes that are damaged or of another format.
  static Result<LoaderCache> parse(std::string_view bytes);

  // All that the cache says of the name, in its order: kind of library, processor, path. Empty if it has none.
  std::string_view entries_of(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::string> entries_;
};

}  // namespace hipcache::inputs

#endif
