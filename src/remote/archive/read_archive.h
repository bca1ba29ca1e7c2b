// Reads an archive and offers its results to the daemon.
//
// Every value passes the checks of a shared cache's answer: its name, its digest, its size. The first value that fails
// ends the import. What was taken before is whole and stays: a result is offered only after its blobs and its path set
// were read, and only if its signature is good, where the daemon's settings ask for one (remote/trust/trust.h).
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_READ_ARCHIVE_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_READ_ARCHIVE_H

#include "hipcache/base/result.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::remote {

struct Imported {
  std::uint64_t offered = 0;     // results
  std::uint64_t not_signed = 0;  // results that were not offered, because trusted keys are set
  std::uint64_t untrusted = 0;   // likewise: not signed by a trusted key
  protocol::RemoteTally tally;   // what the daemon took; only if there was no error
};

// `fd`: where the archive is read. Errors do not name the file. The connection is spent after that.
Result<Imported> read_archive(protocol::Channel& channel, int fd);

}  // namespace hipcache::remote

#endif
