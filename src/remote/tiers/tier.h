// One shared cache with what its URL says of it: which directions are allowed, the limits of each call, the circuit
// breakers, and what is counted. Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_TIERS_TIER_H
#define HIPCACHE_SRC_REMOTE_TIERS_TIER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/config/remote_url.h"
#include "remote/layout/backend.h"
#include "remote/tiers/circuit.h"
#include "remote/trust/trust.h"

namespace hipcache::remote {

// A line for the log.
using Notify = std::function<void(bool is_warning, const std::string& line)>;

class Tier {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Time that a background write may spend on waiting for a server that is in trouble.
  static constexpr std::chrono::seconds kWritePatience{10};

  Tier(const config::RemoteUrl& url, std::unique_ptr<Backend> backend, Notify notify,
       std::shared_ptr<const Trust> trust);

  bool reads() const { return url_.reads && trust_->why_not_read().empty(); }
  bool writes() const { return url_.writes; }
  const std::string& name() const { return url_.shown; }

  // Nothing if the server is not to be asked now, which `failure` says. A result that is not trusted is nothing, too.
  // `until`: when all of the look-up ends, of which this tier may be the second to be asked.
  Answer<List> list(const Digest& key, TimePoint until = TimePoint::max());
  Answer<RemoteResult> result(const Digest& key, TimePoint until = TimePoint::max());
  Answer<std::string> blob(const Digest& digest, std::uint64_t size, TimePoint until = TimePoint::max());

  // Each tries more than once, and waits up to kWritePatience for the circuit to close.
  WriteAnswer put_blob(const Digest& digest, const std::string& bytes);
  WriteAnswer put_result(const Digest& key, const RemoteResult& result, const std::vector<Digest>& large);
  WriteAnswer add_to_list(const Digest& key, const List& sets);

  protocol::RemoteTier statistics();
  void zero();

 private:
  Answer<RemoteResult> if_trusted(const Digest& key, Answer<RemoteResult> answer);
  std::string state();
  template <typename T, typename Call>
  Answer<T> read(std::uint64_t size, TimePoint until, const Call& call);
  template <typename Call>
  WriteAnswer write(std::uint64_t size, const Call& call);
  template <typename Call>
  WriteAnswer try_write(const Limits& limits, const Call& call);
  Limits read_limits(std::uint64_t size, TimePoint until) const;
  Limits write_limits(std::uint64_t size);
  void note_write(const WriteAnswer& answer);
  void note_failure(Circuit& circuit, const char* what, const Failure& failure, bool was_slow);

  const config::RemoteUrl url_;
  const std::unique_ptr<Backend> backend_;
  const Notify notify_;
  const std::shared_ptr<const Trust> trust_;
  Circuit reading_;
  Circuit writing_;
  std::atomic<std::uint64_t> writes_now_ = 0;
  std::atomic<std::uint64_t> bytes_sent_ = 0;
  std::mutex mutex_;  // guards all below
  protocol::RemoteTier counts_;
  std::string write_trouble_;
  bool distrust_is_logged_ = false;
  std::vector<std::uint32_t> latencies_;  // µs, of the last look-ups; a ring
  std::size_t next_latency_ = 0;
};

}  // namespace hipcache::remote

#endif
