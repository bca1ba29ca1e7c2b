#include "hipcache/inputs/compressed.h"

#include <zstd.h>

namespace hipcache::inputs {
namespace {

constexpr int kCompressionLevel = 3;

}  // namespace

// Cannot fail: the bound is large enough and the level is valid. Were it to, the bytes would not decode: a miss.
std::string compressed(std::string_view raw) {
  std::string frame(ZSTD_compressBound(raw.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), raw.data(), raw.size(), kCompressionLevel);
  frame.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return frame;
}

Result<std::string> decompressed(std::string_view frame, std::size_t max_bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    return Error{"it is not compressed as it should be"};
  if (size > max_bytes) return Error{"it claims more bytes than it may have"};
  std::string raw(size, '\0');
  const std::size_t got = ZSTD_decompress(raw.data(), raw.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != size) return Error{"it cannot be decompressed"};
  return raw;
}

}  // namespace hipcache::inputs
