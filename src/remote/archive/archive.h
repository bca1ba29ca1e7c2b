// Results of the daemon's store in one file, and back: the program's side of --export and --import. The daemon's is
// daemon/remote/archive_sessions.h.
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_ARCHIVE_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_ARCHIVE_H

#include <cstdint>

#include "hipcache/base/result.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::remote {

// Reads an archive and offers its results to the daemon.
//
// Every value passes the checks of a shared cache's answer: its name, its digest, its size. The first value that fails
// ends the import. What was taken before is whole and stays: a result is offered only after its blobs and its path set
// were read, and only if its signature is good, where the daemon's settings ask for one (remote/trust/trust.h).
struct Imported {
  std::uint64_t offered = 0;     // results
  std::uint64_t not_signed = 0;  // results that were not offered, because trusted keys are set
  std::uint64_t untrusted = 0;   // likewise: not signed by a trusted key
  protocol::RemoteTally tally;   // what the daemon took; only if there was no error
};

// `fd`: where the archive is read. Errors do not name the file. The connection is spent after that.
Result<Imported> read_archive(protocol::Channel& channel, int fd);

// Writes the results that the daemon sends to an archive: the values of a shared cache, in its layout.
//
// Choice: the archive, unpacked, is a directory for a file:// tier. Each value has its own digest, so an archive needs
// no checksum of its own, and a damaged one cannot make a wrong result. Results are signed as in shared caches; an
// export that would have to sign and cannot is an error.
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

// The two entries of an archive that are no values (docs/internals/formats.md).

// The first entry: the number of the format, and a newline.
inline constexpr const char* kFormatEntry = "hipcache-archive";
inline constexpr std::uint64_t kFormat = 1;

// The last entry: the number of values before it, and a newline. Without it the archive is not whole.
inline constexpr const char* kEndEntry = "hipcache-archive-end";

}  // namespace hipcache::remote

#endif
