// Values by table and digest, with the uses that eviction goes by: what actions and blobs have in common. What the
// bytes mean is for others to say.
//
// Thread-safe. Owns nothing: the contents and the maintenance outlive it.
#ifndef HIPCACHE_STORE_VALUES_H
#define HIPCACHE_STORE_VALUES_H

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "store/contents.h"
#include "store/maintenance.h"

namespace hipcache::store {

class Values {
 public:
  Values(Contents& contents, Maintenance& maintenance) : contents_(contents), maintenance_(maintenance) {}

  // Counts as a use. Nothing if it is not there; a damaged one is dropped.
  Result<std::optional<std::string>> get(const UseKey& key);

  // The same without a copy: not to be kept longer than it takes to read it.
  Result<std::optional<Pinned>> get_pinned(const UseKey& key);

  // Counts as a use. How it is stored, if it is there; reads nothing.
  std::optional<Use> use(const UseKey& key);

  // False, and nothing stored, if one of the `bases` (blobs) is not there: they are when the value is.
  Result<bool> put(const UseKey& key, std::string_view bytes, const std::vector<Digest>& bases = {});

  // For bytes that are not what was stored: counted, and said in the log.
  void drop(const UseKey& key, const std::string& problem);
  // For a value that is of no more use.
  void forget(const UseKey& key);

  std::uint64_t dropped() const { return dropped_; }

 private:
  static constexpr std::size_t kStripes = 16;

  Status write(const UseKey& key, std::string_view bytes, bool has_bases);

  Contents& contents_;
  Maintenance& maintenance_;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::array<std::mutex, kStripes> stripes_;
};

}  // namespace hipcache::store

#endif
