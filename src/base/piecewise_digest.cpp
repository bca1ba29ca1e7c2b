#include "hipcache/base/piecewise_digest.h"

#include <xxhash.h>

#include <new>

namespace hipcache {

struct PiecewiseDigest::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

PiecewiseDigest::PiecewiseDigest() : state_(std::make_unique<State>()) {}
PiecewiseDigest::~PiecewiseDigest() = default;

void PiecewiseDigest::add(std::string_view piece) { XXH3_128bits_update(state_->xxh, piece.data(), piece.size()); }

Digest PiecewiseDigest::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return Digest{hash.high64, hash.low64};
}

}  // namespace hipcache
