#include "store/blob_value.h"

#include <zstd.h>

#include <bit>
#include <limits>
#include <memory>

#include "hipcache/base/checksum.h"

namespace hipcache::store {
namespace {

// Layout: u8 version, u8 form, u8 number of bases, checksum of the blob's bytes, digests of the bases, payload.
constexpr char kVersion = 2;
constexpr char kAsTheyAre = 0;
constexpr char kZstd = 1;
constexpr std::size_t kChecksumAt = 3;
constexpr std::size_t kHeader = kChecksumAt + 8;

// docs/benchmarks.md has what the levels cost and save. A short step takes 20 ms and makes some kB. For such outputs
// the thorough level saves 1 % of the bytes and costs 1 % of the step's time. Large outputs are not worth more than the
// quick level. Neither are values with bases, because little is left to compress.
constexpr int kThorough = 9;
constexpr int kQuick = 6;
constexpr int kSoon = 3;
constexpr std::size_t kThoroughUpTo = std::size_t{256} << 10;

int level_of(std::string_view bytes, std::string_view prefix, Packing packing) {
  if (packing == Packing::soon) return kSoon;
  return prefix.empty() && bytes.size() <= kThoroughUpTo ? kThorough : kQuick;
}

// Beyond this length zstd's tables forget the beginning of a prefix; its long-distance matcher does not.
constexpr std::size_t kLong = std::size_t{1} << 20;
constexpr int kSmallestWindow = 10;  // bits

// RocksDB stores lengths in 32 bits.
constexpr std::uint64_t kLongestBlob = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t kPiece = std::size_t{256} << 10;  // small enough to stay in the processor's cache

struct FreeContexts {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

std::string header(char form, const std::string& checksum, const std::vector<Digest>& bases) {
  std::string bytes;
  bytes.push_back(kVersion);
  bytes.push_back(form);
  bytes.push_back(static_cast<char>(bases.size()));
  bytes += checksum;
  for (const Digest& base : bases) bytes += base.view();
  return bytes;
}

std::string checksum_under(const Digest& name, std::string_view bytes) {
  return checksum_bytes(checksum_of(bytes, name.prefix()));
}

void see_all_of(ZSTD_CCtx* context, std::size_t length) {
  const int window = std::max<int>(static_cast<int>(std::bit_width(length)), kSmallestWindow);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window);
  if (length > kLong) ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
}

// Appends the frame. False if zstd has no memory: the parameters are always valid, and the buffer is large enough.
bool append_frame(std::string& value, std::string_view bytes, std::string_view prefix, Packing packing) {
  const std::unique_ptr<ZSTD_CCtx, FreeContexts> context(ZSTD_createCCtx());
  if (!context) return false;
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level_of(bytes, prefix, packing));
  if (!prefix.empty()) {
    see_all_of(context.get(), prefix.size() + bytes.size());
    if (ZSTD_isError(ZSTD_CCtx_refPrefix(context.get(), prefix.data(), prefix.size())) != 0) return false;
  }
  const std::size_t start = value.size();
  value.resize(start + ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress2(context.get(), value.data() + start, value.size() - start, bytes.data(), bytes.size());
  value.resize(start + (ZSTD_isError(size) != 0 ? 0 : size));
  return ZSTD_isError(size) == 0;
}

// One reset context for each thread. Making a context costs as much as unpacking a small object, and a hit unpacks
// several. A context takes 160 kB while its thread lives. unpack_pieces() needs more, and makes its own.
ZSTD_DCtx* fresh_context() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContexts> context(ZSTD_createDCtx());
  if (context) ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  return context.get();
}

// The number of bytes in a frame. nullopt if the frame does not say, or claims more than a blob may have.
std::optional<std::size_t> told_size(std::string_view frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLongestBlob) return std::nullopt;
  return size;
}

std::optional<std::string> unpack_unchecked(const BlobValue& value, std::string_view prefix) {
  if (!value.compressed) return std::string(value.payload);
  const std::optional<std::size_t> told = told_size(value.payload);
  if (!told) return std::nullopt;
  const std::size_t size = *told;
  ZSTD_DCtx* context = fresh_context();
  if (context == nullptr) return std::nullopt;
  if (ZSTD_isError(ZSTD_DCtx_refPrefix(context, prefix.data(), prefix.size())) != 0) return std::nullopt;
  std::string bytes(size, '\0');
  const std::size_t got =
      ZSTD_decompressDCtx(context, bytes.data(), bytes.size(), value.payload.data(), value.payload.size());
  if (ZSTD_isError(got) != 0 || got != size) return std::nullopt;
  return bytes;
}

bool unpack_pieces_unchecked(const BlobValue& value, const std::function<bool(std::string_view)>& take) {
  if (!value.compressed) return take(value.payload);
  const std::optional<std::size_t> size = told_size(value.payload);
  const std::unique_ptr<ZSTD_DCtx, FreeContexts> context(ZSTD_createDCtx());
  if (!size || !context) return false;
  std::string piece(kPiece, '\0');
  ZSTD_inBuffer in{value.payload.data(), value.payload.size(), 0};
  for (std::size_t given = 0; given <= *size;) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left) != 0 || !take({piece.data(), out.pos})) return false;
    given += out.pos;
    if (left == 0) return in.pos == in.size && given == *size;
    if (in.pos == in.size && out.pos < out.size) return false;  // the input ends before its frame does
  }
  return false;
}

}  // namespace

std::string pack(const Digest& name, std::string_view bytes, Packing packing) {
  const std::string checksum = checksum_under(name, bytes);
  std::string value = header(kZstd, checksum, {});
  if (append_frame(value, bytes, {}, packing) && value.size() < kHeader + bytes.size()) return value;
  return header(kAsTheyAre, checksum, {}).append(bytes);
}

std::string pack_delta(const Digest& name, std::string_view bytes, const std::vector<Digest>& bases,
                       std::string_view prefix) {
  std::string value = header(kZstd, checksum_under(name, bytes), bases);
  return append_frame(value, bytes, prefix, Packing::well) ? value : pack(name, bytes);
}

std::optional<BlobValue> parse_value(const Digest& name, std::string_view value) {
  if (value.size() < kHeader || value[0] != kVersion || (value[1] != kAsTheyAre && value[1] != kZstd))
    return std::nullopt;
  const auto count = static_cast<unsigned char>(value[2]);
  if (count > kMostBases || value.size() < kHeader + count * Digest::kSize) return std::nullopt;
  BlobValue parsed{.bases = {},
                   .compressed = value[1] == kZstd,
                   .seed = name.prefix(),
                   .checksum = checksum_from(value.substr(kChecksumAt)),
                   .payload = value.substr(kHeader + count * Digest::kSize)};
  for (std::size_t i = 0; i < count; ++i) {
    const auto base = Digest::from_bytes(value.substr(kHeader + i * Digest::kSize, Digest::kSize));
    if (!base) return std::nullopt;
    parsed.bases.push_back(*base);
  }
  return parsed;
}

std::optional<std::string> unpack(const BlobValue& value, std::string_view prefix) {
  std::optional<std::string> bytes = unpack_unchecked(value, prefix);
  if (bytes && checksum_of(*bytes, value.seed) != value.checksum) bytes.reset();
  return bytes;
}

bool unpack_pieces(const BlobValue& value, const std::function<bool(std::string_view)>& take) {
  PiecewiseChecksum checksum(value.seed);
  const bool is_whole = unpack_pieces_unchecked(value, [&](std::string_view piece) {
    checksum.add(piece);
    return take(piece);
  });
  return is_whole && checksum.finish() == value.checksum;
}

}  // namespace hipcache::store
