// Counts which blobs running requests hold. Two requests may hold the same blob.
#ifndef HIPCACHE_SRC_STORE_LOCAL_SPACE_PINS_H
#define HIPCACHE_SRC_STORE_LOCAL_SPACE_PINS_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "hipcache/base/digest.h"
#include "hipcache/store/local_store.h"

namespace hipcache::store {

// Thread-safe.
class Pins {
 public:
  void add(const Digest& blob);
  void release(const Digest& blob);
  bool pins(const Digest& blob) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Digest, std::uint32_t> counts_;
};

// A lease on `pins`. It shares ownership of `pins`, so a lease may outlive its store.
std::unique_ptr<Lease> make_lease(std::shared_ptr<Pins> pins);

}  // namespace hipcache::store

#endif
