// Values by table and digest, with the uses by which eviction chooses. Actions and blobs have this in common; their own
// classes interpret the bytes.
//
// Thread-safe. Owns nothing: the contents and the maintenance must outlive it.
#ifndef HIPCACHE_SRC_STORE_VALUE_TABLE_H
#define HIPCACHE_SRC_STORE_VALUE_TABLE_H

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/store/store.h"
#include "store/maintenance.h"

namespace hipcache::store {

class ValueTable {
 public:
  // Reading counts as a use, which eviction goes by; or not, for copies of the store.
  enum class Uses { counted, not_counted };

  ValueTable(StoreState& state, Maintenance& maintenance, Uses uses = Uses::counted)
      : state_(state), maintenance_(maintenance), uses_(uses) {}

  // Counts as a use. nullopt if the value is not there. A damaged value is dropped.
  Result<std::optional<std::string>> get(const UseKey& key);

  // The same without a copy. The caller must release it as soon as it has read it.
  Result<std::optional<Pinned>> get_pinned(const UseKey& key);

  // Counts as a use. How the value is stored, or nullopt if it is not there. Reads no value.
  std::optional<Use> use(const UseKey& key);

  // False, and nothing stored, if one of the `bases` (blobs) is missing. Otherwise all of them are there at the write.
  Result<bool> put(const UseKey& key, std::string_view bytes, const std::vector<Digest>& bases = {});

  // Puts the value if `may` allows it in the place of the present bytes. No other put of the key comes in between.
  using MayReplaceBytes = std::function<bool(const std::optional<std::string>& present)>;
  Result<bool> put_if(const UseKey& key, std::string_view bytes, const MayReplaceBytes& may);

  // Drops a value whose bytes are not what was stored. Counts and logs it. `read`: the bytes that the caller read; what
  // was put since then stays.
  void drop(const UseKey& key, std::string_view read, const std::string& problem);
  // Removes a value that has become useless, if it still is what the caller read.
  void forget(const UseKey& key, std::string_view read);

  std::uint64_t dropped() const { return dropped_; }

 private:
  static constexpr std::size_t kStripes = 16;

  Status write(const UseKey& key, std::string_view bytes, bool has_bases);
  void drop_unreadable(const UseKey& key, const std::string& problem);
  void note_dropped(const UseKey& key, const std::string& problem);
  template <typename Is>
  void remove_if(const UseKey& key, const Is& is);

  StoreState& state_;
  Maintenance& maintenance_;
  const Uses uses_;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::array<std::mutex, kStripes> stripes_;  // by key: orders the puts of one key
};

}  // namespace hipcache::store

#endif
