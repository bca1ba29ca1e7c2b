#include "hipcache/base/checksum.h"

#include <xxhash.h>

#include <cinttypes>
#include <cstdio>
#include <new>

#include "base/big_endian.h"

namespace hipcache {

std::uint64_t checksum_of(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string checksum_bytes(std::uint64_t checksum) {
  const std::array<char, 8> bytes = to_big_endian(checksum);
  return {bytes.data(), bytes.size()};
}

std::uint64_t checksum_from(std::string_view bytes) { return load_big_endian(bytes.data()); }

std::string checksum_hex(std::uint64_t checksum) {
  char digits[17] = {};
  std::snprintf(digits, sizeof digits, "%016" PRIx64, checksum);
  return digits;
}

struct PiecewiseChecksum::State {
  XXH3_state_t* xxh = XXH3_createState();
  explicit State(std::uint64_t seed) {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset_withSeed(xxh, seed);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

PiecewiseChecksum::PiecewiseChecksum(std::uint64_t seed) : state_(std::make_unique<State>(seed)) {}
PiecewiseChecksum::~PiecewiseChecksum() = default;

void PiecewiseChecksum::add(std::string_view piece) { XXH3_64bits_update(state_->xxh, piece.data(), piece.size()); }
std::uint64_t PiecewiseChecksum::finish() const { return XXH3_64bits_digest(state_->xxh); }

}  // namespace hipcache
