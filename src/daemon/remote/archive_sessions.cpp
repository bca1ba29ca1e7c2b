#include "daemon/remote/archive_sessions.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/remote/publisher.h"
#include "daemon/remote/remote_cache.h"
#include "hipcache/cache/exchange.h"

namespace hipcache::daemon {

namespace {

// The first message to the program that has the file.
protocol::RemoteConfigure trust_message(const config::Settings& settings) {
  return {.urls = {}, .trusted_keys = settings.trusted_keys, .signing_key = settings.signing_key};
}

Result<cache::Selection> receive_selection(protocol::Channel& channel, const std::optional<cache::Trust>& trust) {
  Result<protocol::RemoteMessage> received = protocol::receive_remote(channel, kSilence);
  if (!received) return received.error();
  const auto* select = std::get_if<protocol::RemoteSelect>(&*received);
  if (select == nullptr) return Error{"the other side sent no selection"};
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

// Blobs stay pinned until the results that name them are there; not for longer, so that an archive larger than the
// store's limit does not fill the disk.
constexpr std::uint64_t kResultsOfOneLease = 256;
constexpr std::uint64_t kTenthsFilled = 8;  // of the store's limit: its files take more than the values
constexpr std::uint64_t kLooks = 32;
constexpr std::uint64_t kBytesOfOneLease = 1u << 30;  // large blobs also come of results that nobody signed

class Import {
 public:
  Import(protocol::Channel& channel, store::LocalStore& store, cache::MissHistory& history,
         const std::optional<cache::Trust>& trust, std::uint64_t max_size)
      : channel_(channel),
        store_(store),
        history_(history),
        trust_(trust),
        room_(max_size / 10 * kTenthsFilled),
        before_(stored_so_far()),
        lease_(store.lease()) {}

  // Takes one message; false at the end.
  bool take_message(const protocol::RemoteMessage& message) {
    if (const auto* stage = std::get_if<protocol::RemoteStage>(&message)) return take_blob(*stage);
    if (const auto* publish = std::get_if<protocol::RemotePublish>(&message)) return take_result(*publish);
    if (std::holds_alternative<protocol::RemoteTally>(message)) send(tally());
    return false;
  }

 private:
  // A damaged blob is missing when its result comes, which is then refused.
  bool take_blob(const protocol::RemoteStage& stage) {
    if (is_full_) return true;
    bytes_ += stage.blob.bytes.size();
    unmeasured_ += stage.blob.bytes.size();
    if (bytes_ > kBytesOfOneLease) renew_lease();
    const Status put = cache::accept_blob(stage.blob.digest, stage.blob.bytes, store_, *lease_);
    if (!put && put.error().code != ErrorCode::damaged && trouble_.empty()) trouble_ = put.error().message;
    return true;
  }

  bool take_result(const protocol::RemotePublish& publish) {
    if (!trouble_.empty()) return answer(publish, trouble_);
    if (publish.action.starts_with(inputs::kSharedHistory)) return take_history(publish);
    if (is_full_) {
      ++too_many_;
      return answer(publish);
    }
    const Result<cache::Accepted> accepted =
        cache::accept({publish.key, publish.result_key, publish.path_set.id, publish.path_set.bytes, publish.action},
                      trust_, store_, *lease_);
    if (!accepted) return answer(publish, accepted.error().message);
    count(*accepted);
    look_at_room();
    if (++taken_ >= kResultsOfOneLease) renew_lease();
    return answer(publish);
  }

  // No result, so it is not counted, and one that this version cannot read is no loss.
  bool take_history(const protocol::RemotePublish& publish) {
    const Result<bool> taken = history_.accept(publish.key, publish.action);
    return answer(publish, taken ? "" : taken.error().message);
  }

  void count(cache::Accepted accepted) {
    switch (accepted) {
      case cache::Accepted::stored:
        ++tally_.results;
        break;
      case cache::Accepted::known:
        ++tally_.known;
        break;
      case cache::Accepted::refused:
        ++tally_.left_out;
        break;
    }
  }

  // What was stored since the store was opened, with what had to go again.
  std::uint64_t stored_so_far() const { return store_.usage().bytes + store_.evicted().bytes; }

  // Measuring the store takes a look at its directory.
  void look_at_room() {
    if (room_ == 0 || unmeasured_ < room_ / kLooks) return;
    unmeasured_ = 0;
    is_full_ = stored_so_far() - before_ > room_;
  }

  protocol::RemoteTally tally() const {
    protocol::RemoteTally told = tally_;
    if (too_many_ > 0)
      told.error = std::to_string(too_many_) + " did not fit into max_size; those that were used last were taken";
    return told;
  }

  void renew_lease() {
    lease_ = store_.lease();
    taken_ = 0;
    bytes_ = 0;
  }

  // `trouble` of the store ends the import.
  bool answer(const protocol::RemotePublish& publish, const std::string& trouble = "") {
    return send(protocol::RemotePublished{publish.publication, trouble}) && trouble.empty();
  }

  bool send(const protocol::RemoteMessage& message) { return protocol::send(channel_, message, kSilence).ok(); }

  protocol::Channel& channel_;
  store::LocalStore& store_;
  cache::MissHistory& history_;
  const std::optional<cache::Trust> trust_;
  // An archive begins with what was used last. More than the store's limit would evict just that.
  const std::uint64_t room_;  // bytes as stored; 0: no limit
  const std::uint64_t before_;
  std::unique_ptr<store::Lease> lease_;
  protocol::RemoteTally tally_;
  std::uint64_t unmeasured_ = 0;  // bytes of blobs since the last look
  bool is_full_ = false;
  std::uint64_t too_many_ = 0;  // results that came once it was full
  std::uint64_t taken_ = 0;     // results under the lease
  std::uint64_t bytes_ = 0;     // of blobs
  std::string trouble_;
};

}  // namespace

void serve_export(protocol::Channel& channel, const Exchange& exchange) {
  auto& [store, history, settings, log] = exchange;
  if (!protocol::send(channel, trust_message(settings), kSilence)) return log.info("export: the other side has left");
  const Result<cache::Selection> selection = receive_selection(channel, result_trust(settings));
  if (!selection) return log.info("export: " + selection.error().message);
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

void serve_import(protocol::Channel& channel, const Exchange& exchange) {
  auto& [store, history, settings, log] = exchange;
  if (!protocol::send(channel, trust_message(settings), kSilence)) return log.info("import: the other side has left");
  Import import(channel, store, history, result_trust(settings), settings.max_size);
  for (;;) {
    const Result<protocol::RemoteMessage> received = protocol::receive_remote(channel, kSilence);
    if (!received) return log.info("import: it ended early: " + received.error().message);
    if (!import.take_message(*received)) return;
  }
}

}  // namespace hipcache::daemon
