// Writes the results that the daemon sends to an archive: the values of a shared cache, in its layout.
//
// Choice: the archive, unpacked, is a directory for a file:// tier. Each value has its own digest, so an archive needs
// no checksum of its own, and a damaged one cannot make a wrong result. Results are signed as in shared caches; an
// export that would have to sign and cannot is an error.
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_WRITE_ARCHIVE_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_WRITE_ARCHIVE_H

#include <cstdint>
#include <string>

#include "hipcache/base/result.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::remote {

struct Exported {
  std::uint64_t results = 0;
  std::uint64_t selected = 0;  // how many there were to be written
  bool is_limited = false;     // whether the size limit left out the rest
  std::uint64_t bytes = 0;     // of the file
};

// `fd`: where the archive is written. `max_bytes`: the file is not larger; 0: no limit. The results that were used last
// are written first. The connection is spent after that.
Result<Exported> write_archive(protocol::Channel& channel, const protocol::RemoteSelect& select, int fd,
                               std::uint64_t max_bytes);

}  // namespace hipcache::remote

#endif
