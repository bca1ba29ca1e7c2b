// Numbers of 64 bits as 8 bytes, the highest first.
#ifndef HIPCACHE_SRC_BASE_BIG_ENDIAN_H
#define HIPCACHE_SRC_BASE_BIG_ENDIAN_H

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace hipcache {

static_assert(std::endian::native == std::endian::little);

inline std::array<char, 8> to_big_endian(std::uint64_t value) {
  return std::bit_cast<std::array<char, 8>>(__builtin_bswap64(value));
}

inline std::uint64_t load_big_endian(const void* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return __builtin_bswap64(value);
}

}  // namespace hipcache

#endif
