#include "inputs/state/kept_digests.h"

#include <algorithm>
#include <cstdint>

#include "hipcache/base/checksum.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::inputs {
namespace {

constexpr std::string_view kFormat = "hipcache digests 3";
constexpr std::size_t kChecksumSize = 8;

void write(FrameWriter& out, const KnownFile& known) {
  const Stamp& stamp = known.stamp;
  out.number(stamp.device).number(stamp.inode).number(stamp.size);
  out.number(static_cast<std::uint64_t>(stamp.mtime_ns)).number(static_cast<std::uint64_t>(stamp.ctime_ns));
  out.number(stamp.mount);
  out.raw(known.digest.view());
}

KnownFile read(FrameReader& in) {
  KnownFile known;
  known.stamp.device = in.number();
  known.stamp.inode = in.number();
  known.stamp.size = in.number();
  known.stamp.mtime_ns = static_cast<std::int64_t>(in.number());
  known.stamp.ctime_ns = static_cast<std::int64_t>(in.number());
  known.stamp.mount = in.number();
  if (const Result<Digest> digest = Digest::from_bytes(in.raw(Digest::kSize))) known.digest = *digest;
  return known;
}

// The bytes before the trailing checksum if that is right, else nothing.
std::string_view undamaged(std::string_view bytes) {
  if (bytes.size() < kChecksumSize) return {};
  const std::string_view content = bytes.substr(0, bytes.size() - kChecksumSize);
  return checksum_bytes(checksum_of(content)) == bytes.substr(content.size()) ? content : std::string_view();
}

}  // namespace

std::string encode_digests(std::vector<KnownFile> known, std::string_view origin) {
  if (known.size() > kMostKeptDigests) {
    const auto end = known.begin() + kMostKeptDigests;
    std::nth_element(known.begin(), end, known.end(),
                     [](const KnownFile& a, const KnownFile& b) { return a.stamp.size > b.stamp.size; });
    known.erase(end, known.end());
  }
  FrameWriter out;
  out.text(kFormat).text(origin).number(known.size());
  for (const KnownFile& one : known) write(out, one);
  out.raw(checksum_bytes(checksum_of(out.bytes())));
  return std::move(out).bytes();
}

std::optional<std::vector<KnownFile>> decode_digests(std::string_view bytes, std::string_view origin) {
  FrameReader in(undamaged(bytes));
  if (in.text() != kFormat || in.text() != origin) return std::nullopt;
  const std::uint64_t count = in.number();
  if (in.failed() || count > kMostKeptDigests) return std::nullopt;
  std::vector<KnownFile> known;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) known.push_back(read(in));
  if (!in.finished()) return std::nullopt;
  return known;
}

}  // namespace hipcache::inputs
