// A publication as messages: its blobs, then the result. To hipcache-remote, which writes it to shared caches, and to
// hipcache-archive, which writes it to a file.
#ifndef HIPCACHE_SRC_DAEMON_REMOTE_SEND_PUBLICATION_H
#define HIPCACHE_SRC_DAEMON_REMOTE_SEND_PUBLICATION_H

#include <cstdint>
#include <functional>

#include "hipcache/cache/remote_results.h"
#include "hipcache/protocol/remote_messages.h"
#include "hipcache/store/store.h"

namespace hipcache::daemon {

enum class Sending {
  done,
  blob_gone,  // the result was not sent; blobs of its number may have been
  peer_gone,
};

// False if the peer is gone.
using SendMessage = std::function<bool(const protocol::RemoteMessage&)>;

Sending send_publication(std::uint64_t number, const cache::Publication& publication, store::ReadableStore& store,
                         const SendMessage& send);

}  // namespace hipcache::daemon

#endif
