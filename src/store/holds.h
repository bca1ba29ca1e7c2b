// Which blobs running requests hold, counted: two requests may hold the same one.
#ifndef HIPCACHE_STORE_HOLDS_H
#define HIPCACHE_STORE_HOLDS_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "hipcache/base/digest.h"
#include "hipcache/store/store.h"

namespace hipcache::store {

// Thread-safe.
class Holds {
 public:
  void add(const Digest& blob);
  void release(const Digest& blob);
  bool holds(const Digest& blob) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Digest, std::uint32_t> counts_;
};

// A lease on those holds. It shares their ownership, so a lease that outlives its store is harmless.
std::unique_ptr<Lease> make_lease(std::shared_ptr<Holds> holds);

}  // namespace hipcache::store

#endif
