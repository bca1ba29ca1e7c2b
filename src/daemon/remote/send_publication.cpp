#include "daemon/remote/send_publication.h"

#include <optional>
#include <string>
#include <utility>

namespace hipcache::daemon {

Sending send_publication(std::uint64_t number, const cache::Publication& publication, store::ReadableStore& store,
                         const SendMessage& send) {
  for (const cache::RemoteBlobName& blob : publication.blobs) {
    Result<std::optional<std::string>> bytes = store.blob(blob.digest);
    if (!bytes || !*bytes) return Sending::blob_gone;
    if (!send(protocol::RemoteStage{number, {blob.digest, std::move(**bytes)}})) return Sending::peer_gone;
  }
  const bool sent = send(protocol::RemotePublish{.publication = number,
                                                 .key = publication.key,
                                                 .result_key = publication.result_key,
                                                 .action = publication.action,
                                                 .path_set = {publication.set, publication.questions(), {}}});
  return sent ? Sending::done : Sending::peer_gone;
}

}  // namespace hipcache::daemon
