#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/archive/sessions.h"
#include "daemon/remote/result_trust.h"
#include "daemon/remote/send_publication.h"
#include "hipcache/cache/exchange.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::daemon {
namespace {

std::optional<cache::Selection> next_selection(protocol::Channel& channel, const std::optional<cache::Trust>& trust) {
  Result<protocol::RemoteMessage> received = protocol::receive_remote(channel, kSilence);
  const auto* select = received ? std::get_if<protocol::RemoteSelect>(&*received) : nullptr;
  if (select == nullptr) return std::nullopt;
  constexpr std::uint64_t kLatest = std::numeric_limits<std::uint32_t>::max();
  return cache::Selection{.archs = select->archs,
                          .used_since = static_cast<std::uint32_t>(std::min(select->used_since, kLatest)),
                          .trust = trust};
}

// Before the results, so that a size limit leaves them some room.
bool send_histories(const std::vector<Digest>& names, const cache::Selection& selection, const Exchange& exchange,
                    std::uint64_t& number, const SendMessage& send) {
  for (const Digest& name : names)
    for (const cache::Publication& history : cache::read_history(exchange.history, name, selection))
      if (send_publication(++number, history, exchange.store.quiet(), send) == Sending::peer_gone) return false;
  return true;
}

bool is_too_large(const cache::Publication& publication) {
  return publication.action.size() > protocol::kLargestRecord ||
         publication.questions().size() > protocol::kLargestRecord ||
         std::any_of(publication.blobs.begin(), publication.blobs.end(),
                     [](const cache::RemoteBlobName& blob) { return blob.size > protocol::kLargestBlob; });
}

}  // namespace

void serve_export(protocol::Channel& channel, const Exchange& exchange) {
  auto& [store, history, settings, log] = exchange;
  if (!protocol::send(channel, trust_message(settings), kSilence)) return log.info("export: the other side has left");
  const std::optional<cache::Selection> selection = next_selection(channel, result_trust(settings));
  if (!selection) return log.info("export: the other side sent no selection");
  const SendMessage send = [&](const protocol::RemoteMessage& message) {
    return protocol::send(channel, message, kSilence).ok();
  };
  const Result<cache::Selected> selected = cache::select_stored(store, *selection);
  if (!selected) {
    send(protocol::RemoteTally{.error = selected.error().message});
    return;
  }
  if (!send(protocol::RemoteTally{.results = selected->results.size()})) return;
  protocol::RemoteTally tally;
  std::uint64_t number = 0;
  if (settings.share_history && !send_histories(selected->histories, *selection, exchange, number, send))
    return log.info("export: the other side has left");
  for (const cache::StoredResult& stored : selected->results) {
    const std::optional<cache::Publication> publication = cache::read_publication(store, stored);
    Sending sending = Sending::blob_gone;
    if (publication && !is_too_large(*publication))
      sending = send_publication(++number, *publication, store.quiet(), send);
    if (sending == Sending::peer_gone) return log.info("export: the other side has left");
    ++(sending == Sending::done ? tally.results : tally.left_out);
  }
  send(tally);
}

}  // namespace hipcache::daemon
