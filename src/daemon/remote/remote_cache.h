// Shared caches, for the daemon's look-ups: asks hipcache-remote, and waits for its answers within limits.
//
// One question is in flight for each key, however many requests ask. Answers that no result came of are remembered for
// kRemembered, so that the next source file does not ask again for what nobody has. Lists are remembered as long,
// because a request looks the same step up more than once. What is published from here is forgotten then, and
// everything is when the user clears the store: a question that was asked before would be answered as if nothing had
// changed.
//
// If hipcache-remote is gone or silent, every look-up is a miss at once. Thread-safe. Memory: kMostAnswers answers of
// at most kMostBytes.
#ifndef HIPCACHE_SRC_DAEMON_REMOTE_REMOTE_CACHE_H
#define HIPCACHE_SRC_DAEMON_REMOTE_REMOTE_CACHE_H

#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/remote/publisher.h"
#include "daemon/remote/remote_process.h"
#include "hipcache/cache/remote_results.h"
#include "hipcache/config/settings.h"
#include "hipcache/config/values.h"

namespace hipcache::daemon {

// The daemon's settings as the cache's trust.

// A signing key that cannot be read counts as one: what is recorded meanwhile may be signed later.
inline std::optional<cache::Trust> result_trust(const config::Settings& settings) {
  const std::optional<Digest> keys = config::trust_of(settings);
  if (!keys) return std::nullopt;
  return cache::Trust{.keys = *keys, .signs = !settings.signing_key.empty()};
}

class RemoteCache : public cache::RemoteResults {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kRemembered{30};
  static constexpr std::chrono::seconds kFailureRemembered{1};
  static constexpr std::size_t kMostAnswers = 8'192;
  static constexpr std::size_t kMostBytes = 64u << 20;

  // `program`: the path of hipcache-remote. `settings`: valid. The other arguments outlive this object.
  RemoteCache(std::string program, const protocol::RemoteConfigure& settings, store::LocalStore& store, Log& log);
  ~RemoteCache() override;

  std::vector<std::shared_ptr<const cache::RemoteList>> lists(std::span<const ListName> names) override;
  std::vector<std::optional<cache::RemoteResult>> results(std::span<const Digest> keys) override;
  std::vector<std::optional<std::string>> blobs(std::span<const cache::RemoteBlobName> names) override;
  void publish(cache::Publication publication) override;

  // Everything that is remembered of answers.
  void forget();

  Publisher& publisher() { return publisher_; }

  // Of each tier; empty if hipcache-remote does not run, because nobody has asked yet.
  std::vector<protocol::RemoteTier> statistics(bool zero);

 private:
  struct Name {
    protocol::RemoteKey kind = protocol::RemoteKey::list;
    Digest key;
    std::uint32_t skip = 0;
    auto operator<=>(const Name&) const = default;
  };
  struct Entry {
    bool done = false;
    bool is_outdated = false;        // asked before a change: not to be remembered
    Clock::time_point forget_after;  // if done
    protocol::RemoteAnswer answer;
    std::shared_ptr<const cache::RemoteList> list;
    std::size_t bytes = 0;
  };
  using Entries = std::map<Name, std::shared_ptr<Entry>>;
  struct Question {
    Name name;
    std::uint64_t size = 0;
  };

  std::vector<std::shared_ptr<Entry>> ask(const std::vector<Question>& questions, std::chrono::milliseconds limit);
  std::string tier_of(const protocol::RemoteAnswer& answer) const;
  void make_room(Clock::time_point now);
  void forget(const cache::Publication& publication);
  void forget(Entries::iterator from, Entries::iterator to);
  void receive(protocol::RemoteMessage message);
  void take_answer(protocol::RemoteAnswer answer);
  void process_ended();

  Log& log_;
  const std::vector<std::string> tiers_;  // URLs without secrets, in their order
  const bool writes_;                     // new results go to some tier
  std::chrono::milliseconds look_up_limit_{0};
  std::mutex mutex_;  // guards the next eight
  std::condition_variable changed_;
  Entries entries_;
  std::map<std::uint64_t, Name> in_flight_;  // by the question's id
  std::uint64_t next_id_ = 1;
  std::size_t bytes_ = 0;
  std::uint64_t statistics_id_ = 0;
  std::vector<protocol::RemoteTier> statistics_;
  RemoteProcess process_;
  Publisher publisher_;
};

}  // namespace hipcache::daemon

#endif
