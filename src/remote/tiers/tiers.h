// All shared caches of the settings, in their order.
//
// A look-up asks one after the other, until one has it. What a later tier has and an earlier one lacks is written into
// the earlier one in the background (back-fill), because the user lists the near ones first. So is what the earlier one
// has damaged. A publication goes to every tier that may be written. A back-filled result keeps the signature that it
// came with.
//
// Thread-safe. Memory: back-fills hold at most kBackFillBytes.
#ifndef HIPCACHE_SRC_REMOTE_TIERS_TIERS_H
#define HIPCACHE_SRC_REMOTE_TIERS_TIERS_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "remote/tiers/tier.h"
#include "remote/tiers/work_pool.h"

namespace hipcache::remote {

struct Publication {
  Digest key;
  Digest result_key;
  std::string action;
  RemotePathSet path_set;
  std::vector<RemoteBlob> blobs;
};

// A value, or nothing. `failed`: a tier that did not answer may have it.
template <typename T>
struct Found {
  std::optional<T> value;
  bool failed = false;
  std::size_t asked = 0;  // how many tiers, with those skipped
};

class Tiers {
 public:
  using TimePoint = Tier::TimePoint;

  static constexpr std::uint64_t kBackFillBytes = 64u << 20;
  static constexpr std::size_t kBackFills = 1'000;

  Tiers(std::vector<std::unique_ptr<Tier>> tiers, std::shared_ptr<const Trust> trust)
      : tiers_(std::move(tiers)), trust_(std::move(trust)) {}

  std::size_t size() const { return tiers_.size(); }

  // Skips the first `skip` tiers. All of them together end at `until`.
  Found<List> list(const Digest& key, std::size_t skip, TimePoint until = TimePoint::max());
  Found<RemoteResult> result(const Digest& key, TimePoint until = TimePoint::max());
  Found<std::string> blob(const Digest& digest, std::uint64_t size, TimePoint until = TimePoint::max());

  // Signs the result, if there is a key. Returns why tiers did not take it; empty if all did.
  std::string publish(const Publication& publication);

  std::vector<protocol::RemoteTier> statistics();
  void zero();

 private:
  template <typename T, typename Ask, typename Put>
  Found<T> find(std::size_t skip, const Ask& ask, const Put& put);
  void back_fill(std::uint64_t size, std::function<void()> write);

  const std::vector<std::unique_ptr<Tier>> tiers_;
  const std::shared_ptr<const Trust> trust_;
  std::atomic<std::uint64_t> filling_ = 0;  // bytes
  WorkPool fillers_{2, kBackFills};         // declared last: its work uses the others
};

}  // namespace hipcache::remote

#endif
