// Checksums: 64 bits of XXH3, which show that bytes were damaged by accident.
//
// For values that this machine stored and reads again: a hit reads its whole object, and XXH3 costs
// it a quarter of what a digest costs. Whoever can write such values can write their checksums too,
// so a checksum proves nothing about bytes from elsewhere: see base/digest.h for those.
#ifndef HIPCACHE_BASE_CHECKSUM_H
#define HIPCACHE_BASE_CHECKSUM_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hipcache {

// Another seed gives another checksum. Seeded with what the bytes are called, a checksum also shows
// bytes that lie under another name.
std::uint64_t checksum_of(std::string_view bytes, std::uint64_t seed = 0);

// 8 bytes, big-endian; the checksum that the first 8 bytes hold (REQUIRES: there are 8); 16 lower-case
// digits.
std::string checksum_bytes(std::uint64_t checksum);
std::uint64_t checksum_from(std::string_view bytes);
std::string checksum_hex(std::uint64_t checksum);

// The checksum of bytes that arrive in pieces; equal to checksum_of over all of them. One thread at
// a time.
class PiecewiseChecksum {
 public:
  explicit PiecewiseChecksum(std::uint64_t seed);
  ~PiecewiseChecksum();
  PiecewiseChecksum(const PiecewiseChecksum&) = delete;
  PiecewiseChecksum& operator=(const PiecewiseChecksum&) = delete;

  void add(std::string_view piece);
  std::uint64_t finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hipcache

#endif
