#include "cache/result_marks.h"

#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::cache {
namespace {

constexpr std::string_view kDropped = "dropped";
constexpr std::uint8_t kOriginVersion = 1;

}  // namespace

// A result begins with its version, which is no letter.
std::string dropped_mark() { return std::string(kDropped); }

bool is_dropped_mark(std::string_view value) { return value == kDropped; }

Digest origin_key(const Digest& result_key) { return key_hasher("origin").field(result_key).finish(); }

std::string encode_origin(std::string_view result, std::string_view tier) {
  inputs::FrameWriter out;
  out.byte(kOriginVersion).raw(digest_of(result).bytes()).text(tier);
  return std::move(out).bytes();
}

std::string tier_of(std::string_view origin, std::string_view result) {
  inputs::FrameReader in(origin);
  if (in.byte() != kOriginVersion) return "";
  const Result<Digest> of = Digest::from_bytes(in.raw(Digest::kSize));
  std::string tier(in.text());
  if (in.failed() || !in.finished() || !of || *of != digest_of(result)) return "";
  return tier;
}

}  // namespace hipcache::cache
