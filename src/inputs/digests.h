// Digests of files and of directory listings, from memory where the stamp is known, else read and, where the stamp can
// be trusted from now on, remembered.
#ifndef HIPCACHE_INPUTS_DIGESTS_H
#define HIPCACHE_INPUTS_DIGESTS_H

#include <cstdint>
#include <optional>
#include <string>

#include "hipcache/base/digest.h"
#include "inputs/glance.h"
#include "inputs/memory.h"

namespace hipcache::inputs {

struct FileDigest {
  Digest digest;
  Stamp stamp;  // of what was read, or of what was seen if it was not read
  bool was_read = false;
};

// Nothing if the file cannot be opened or read to its end. REQUIRES: seen.is_file()
std::optional<FileDigest> digest_file(const std::string& path, const Sight& seen, std::uint64_t now_ns,
                                      World::Memory& memory, Effort& effort);

// Nothing if the directory cannot be listed. REQUIRES: seen.is_directory()
std::optional<Digest> digest_listing(const std::string& path, const Sight& seen, std::uint64_t now_ns,
                                     World::Memory& memory, Effort& effort);

}  // namespace hipcache::inputs

#endif
