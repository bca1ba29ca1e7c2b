#include "remote/layout/values.h"

#include <zstd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "hipcache/inputs/frames.h"

namespace hipcache::remote {

namespace {

constexpr std::string_view kLayout = "v1/";
constexpr std::string_view kTables{"wrb"};

using inputs::FrameReader;
using inputs::FrameWriter;

// Magic, kind, version; for lists and results the digest; a zstd frame that says its size. Version 1 is the first.
constexpr std::string_view kMagic = "hipc";
constexpr char kVersion = 1;
constexpr std::size_t kHeader = kMagic.size() + 2;
enum class Kind : char { list = 'l', result = 'r', blob = 'b' };
constexpr int kLevel = 3;

std::size_t digest_bytes() {
  static const std::size_t size = Digest{}.bytes().size();
  return size;
}

Error damaged(const std::string& what) { return Error{"a value is damaged: " + what, ErrorCode::damaged}; }

std::string header_of(Kind kind) { return std::string(kMagic) + static_cast<char>(kind) + kVersion; }

Digest seal_of(Kind kind, const Digest& key, std::string_view frame) {
  return Hasher("hipcache.remote.value.1").field(static_cast<std::uint64_t>(kind)).field(key).field(frame).finish();
}

Result<std::string> decompressed(std::string_view frame, std::uint64_t limit) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return damaged("it is no zstd frame");
  if (size > limit)
    return damaged("it claims " + std::to_string(size) + " bytes, the limit is " + std::to_string(limit));
  std::string bytes(size, '\0');
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0U || got != size) return damaged("its zstd frame cannot be read");
  return bytes;
}

std::string sealed(Kind kind, const Digest& key, std::string_view bytes) {
  const std::string frame = compressed(bytes);
  return header_of(kind) + seal_of(kind, key, frame).bytes() + frame;
}

Result<std::string> opened(Kind kind, const Digest& key, std::string_view value, std::uint64_t limit) {
  const std::size_t before = kHeader + digest_bytes();
  if (value.size() <= before || !value.starts_with(header_of(kind))) return damaged("it is no value of this version");
  const std::string_view frame = value.substr(before);
  if (seal_of(kind, key, frame).bytes() != value.substr(kHeader, digest_bytes()))
    return damaged("it does not match its digest");
  return decompressed(frame, limit);
}

std::optional<Digest> next_digest(FrameReader& in) {
  const Result<Digest> digest = Digest::from_bytes(in.raw(digest_bytes()));
  return digest ? std::optional(*digest) : std::nullopt;
}

// Puts the first tags of `more` before those of `tags`, each once, at most kMaxTags. False if nothing changed.
bool put_first(std::vector<std::uint64_t>& tags, const std::vector<std::uint64_t>& more) {
  std::vector<std::uint64_t> all = more;
  for (const std::uint64_t tag : tags)
    if (std::find(all.begin(), all.end(), tag) == all.end()) all.push_back(tag);
  if (all.size() > kMaxTags) all.resize(kMaxTags);
  return std::exchange(tags, all) != all;
}

}  // namespace

std::string name_of_value(const ValueName& name) {
  const std::string hex = name.key.hex();
  return std::string(kLayout) + name.table + "/" + hex.substr(0, 2) + "/" + hex;
}

std::optional<ValueName> parse_value_name(std::string_view text) {
  const std::size_t table = kLayout.size();
  const std::size_t hex = table + 5;  // "w/ab/"
  if (text.size() <= hex || kTables.find(text[table]) == std::string_view::npos) return std::nullopt;
  const Result<Digest> key = Digest::from_hex(text.substr(hex));
  if (!key) return std::nullopt;
  const ValueName name{text[table], *key};
  return name_of_value(name) == text ? std::optional(name) : std::nullopt;
}

Divided divide(const std::string& action, const std::vector<RemoteBlob>& blobs) {
  Divided divided{.result = {.action = action, .blobs = {}}};
  std::size_t used = 0;
  for (const RemoteBlob& blob : blobs) {
    if (blob.bytes.size() <= kInlineBlob && used + blob.bytes.size() <= kInlineBlobs) {
      used += blob.bytes.size();
      divided.result.blobs.push_back(blob);
    } else {
      divided.large.push_back(&blob);
      divided.names.push_back(blob.digest);
    }
  }
  return divided;
}

std::string compressed(std::string_view bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel);
  frame.resize(ZSTD_isError(size) != 0U ? 0 : size);
  return frame;
}

bool add_to(List& list, const RemotePathSet& set) {
  RemotePathSet added = set;
  const auto known = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.id == set.id; });
  if (known != list.end()) {
    std::vector<std::uint64_t> tags = known->tags;
    if (!put_first(tags, set.tags) && known == list.begin()) return false;
    added.tags = std::move(tags);
    list.erase(known);
  }
  list.insert(list.begin(), std::move(added));
  if (list.size() > kMaxSets) list.resize(kMaxSets);
  return true;
}

bool has(const List& list, const RemotePathSet& set) {
  const auto known = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.id == set.id; });
  return known != list.end() && std::all_of(set.tags.begin(), set.tags.end(), [&](std::uint64_t tag) {
           return std::find(known->tags.begin(), known->tags.end(), tag) != known->tags.end();
         });
}

void append(List& list, const List& other) {
  for (const RemotePathSet& set : other) {
    const auto known = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.id == set.id; });
    if (known == list.end()) {
      if (list.size() < kMaxSets) list.push_back(set);
      continue;
    }
    std::vector<std::uint64_t> more = set.tags;
    put_first(more, known->tags);
    known->tags = std::move(more);
  }
}

std::optional<List> merged(const Digest& key, const std::optional<std::string>& present, const List& sets) {
  Result<List> known = present ? decode_list(key, *present) : Result<List>(List());
  List list = known ? std::move(*known) : List();
  if (known && std::all_of(sets.begin(), sets.end(), [&](const RemotePathSet& set) { return has(list, set); }))
    return std::nullopt;
  for (auto set = sets.rbegin(); set != sets.rend(); ++set) add_to(list, *set);
  return list;
}

std::string encode_list(const Digest& key, const List& list) {
  FrameWriter out;
  out.number(list.size());
  for (const RemotePathSet& set : list) {
    out.raw(set.id.bytes()).number(set.tags.size());
    for (const std::uint64_t tag : set.tags) out.number(tag);
    out.text(set.bytes);
  }
  return sealed(Kind::list, key, out.bytes());
}

std::string encode_result(const Digest& key, const RemoteResult& result) {
  FrameWriter out;
  out.text(result.action).number(result.blobs.size());
  for (const RemoteBlob& blob : result.blobs) out.raw(blob.digest.bytes()).text(blob.bytes);
  if (result.signature) out.raw(result.signature->key).raw(result.signature->bytes);
  return sealed(Kind::result, key, out.bytes());
}

std::uint64_t most_of_blob(std::uint64_t size) { return kHeader + ZSTD_compressBound(size); }

std::string encode_blob(std::string_view bytes) { return header_of(Kind::blob) + compressed(bytes); }

Result<List> decode_list(const Digest& key, std::string_view value) {
  const Result<std::string> bytes = opened(Kind::list, key, value, kListLimit);
  if (!bytes) return bytes.error();
  FrameReader in(*bytes);
  List list;
  const std::uint64_t sets = in.number();
  if (sets > kMaxSets) return damaged("it claims more path sets than a list has");
  for (std::uint64_t at = 0; at < sets; ++at) {
    const std::optional<Digest> id = next_digest(in);
    const std::uint64_t tags = in.number();
    if (!id || tags > kMaxTags) return damaged("a path set of it cannot be read");
    RemotePathSet& set = list.emplace_back(RemotePathSet{.id = *id, .bytes = {}, .tags = {}});
    for (std::uint64_t tag = 0; tag < tags; ++tag) set.tags.push_back(in.number());
    set.bytes = in.text();
  }
  if (!in.finished()) return damaged("it does not end where it should");
  return list;
}

Result<RemoteResult> decode_result(const Digest& key, std::string_view value) {
  const Result<std::string> bytes = opened(Kind::result, key, value, kResultLimit);
  if (!bytes) return bytes.error();
  FrameReader in(*bytes);
  RemoteResult result;
  result.action = in.text();
  for (std::uint64_t left = in.number(); left > 0 && !in.failed(); --left) {
    const std::optional<Digest> digest = next_digest(in);
    if (!digest) return damaged("a blob of it cannot be read");
    RemoteBlob& blob = result.blobs.emplace_back(RemoteBlob{.digest = *digest, .bytes = std::string(in.text())});
    if (digest_of(blob.bytes) != blob.digest) return damaged("a blob of it does not match its digest");
  }
  if (in.finished()) return result;
  Signature& signature = result.signature.emplace();
  signature.key = in.raw(Signature::kKeySize);
  signature.bytes = in.raw(Signature::kSize);
  if (!in.finished()) return damaged("it does not end where it should");
  return result;
}

Result<std::string> decode_blob(const Digest& digest, std::string_view value, std::uint64_t limit) {
  if (!value.starts_with(header_of(Kind::blob))) return damaged("it is no blob of this version");
  Result<std::string> bytes = decompressed(value.substr(kHeader), limit);
  if (!bytes) return bytes;
  if (digest_of(*bytes) != digest) return damaged("it does not match its digest");
  return bytes;
}

}  // namespace hipcache::remote
