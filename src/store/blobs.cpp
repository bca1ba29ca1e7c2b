#include "store/blobs.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "store/blob_value.h"

namespace hipcache::store {

namespace {

std::string note_key(std::string_view family) { return "family/" + std::string(family); }

// A delta below this fraction of the bytes is stored without comparing it to plain compression.
constexpr std::size_t kPlainlyWorth = 8;
// Otherwise the delta must be this many times smaller than plain compression, because every get reads its bases.
constexpr std::size_t kWorth = 2;

constexpr const char* kOtherBytes = "its bytes do not match its checksum";
constexpr const char* kFileName = "hipcache-blob";

UseKey blob_key(const Digest& digest) { return {Table::blobs, digest}; }

}  // namespace

std::vector<AlikeBase> AlikeBlobs::bases_of(std::string_view family) {
  const std::scoped_lock lock(mutex_);
  Bases& bases = known(family);
  std::erase_if(bases, [&](const AlikeBase& base) { return !values_.use({Table::blobs, base.digest}); });
  return bases;
}

void AlikeBlobs::served(std::string_view family, const AlikeBase& base) {
  const std::scoped_lock lock(mutex_);
  Bases& bases = known(family);
  if (!bases.empty() && bases.front().digest == base.digest) return;
  const auto at =
      std::find_if(bases.begin(), bases.end(), [&](const AlikeBase& one) { return one.digest == base.digest; });
  if (at != bases.end()) {
    std::rotate(bases.begin(), at, at + 1);
    return;
  }
  bases.insert(bases.begin(), base);
  if (bases.size() > kMostBases) bases.pop_back();
  note(family, bases);
}

std::shared_ptr<const std::string> AlikeBlobs::bytes(const Digest& base) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [family, bases] : families_)
    for (const AlikeBase& one : bases)
      if (one.digest == base) return one.bytes;
  return nullptr;
}

AlikeBlobs::Bases& AlikeBlobs::known(std::string_view family) {
  const auto found = families_.find(family);
  if (found != families_.end()) return found->second;
  if (families_.size() >= kMostFamilies) families_.clear();
  return families_.emplace(std::string(family), noted(family)).first->second;
}

// The noted bases that can be read. A base that cannot be read is dropped; nothing else is lost.
AlikeBlobs::Bases AlikeBlobs::noted(std::string_view family) {
  Bases bases;
  const Result<Read> note = state_.database->get(Table::meta, note_key(family));
  if (!note || note->found != Found::yes) return bases;
  const std::string_view digests = note->value.bytes;
  for (std::size_t at = 0; at + Digest::kSize <= digests.size() && bases.size() < kMostBases; at += Digest::kSize) {
    const Result<Digest> digest = Digest::from_bytes(digests.substr(at, Digest::kSize));
    if (!digest) continue;
    const Result<std::optional<std::string>> value = values_.get({Table::blobs, *digest});
    if (!value || !*value) continue;
    const std::optional<BlobValue> parsed = parse_value(*digest, **value);
    if (!parsed || !parsed->bases.empty()) continue;
    std::optional<std::string> bytes = unpack(*parsed, {});
    if (bytes) bases.push_back({*digest, std::make_shared<const std::string>(std::move(*bytes))});
  }
  return bases;
}

void AlikeBlobs::note(std::string_view family, const Bases& bases) {
  std::string digests;
  for (const AlikeBase& base : bases) digests += base.digest.bytes();
  const std::string key = note_key(family);
  const Status noted = state_.database->write({{Table::meta, key, digests}});
  if (!noted) state_.log.warning(noted.error().message);
}

struct Blobs::Delta {
  std::vector<Digest> bases;
  std::string value;
  AlikeBase family_base;  // without digest and bytes if the bases are parts
};

Result<std::optional<std::string>> Blobs::get(const Digest& digest, unsigned depth) {
  const std::optional<std::string> nothing;
  if (depth > kDeepest) return nothing;
  const UseKey key = blob_key(digest);
  Result<std::optional<std::string>> value = values_.get(key);
  if (!value || !*value) return value;
  const std::optional<BlobValue> parsed = parse_value(digest, **value);
  if (!parsed) {
    values_.drop(key, **value, "it is no value of this version");
    return nothing;
  }
  const Result<std::optional<std::string>> prefix = prefix_of(parsed->bases, depth + 1);
  if (!prefix) return prefix.error();
  if (!*prefix) {
    values_.forget(key, **value);  // a base is gone, so the value is useless
    return nothing;
  }
  std::optional<std::string> bytes = unpack(*parsed, **prefix);
  if (bytes) return bytes;
  values_.drop(key, **value, kOtherBytes);
  return nothing;
}

// Unpacked piece by piece. Memory for all of it would cost more than unpacking, because the kernel must provide it and
// take it back.
Result<std::optional<UniqueFd>> Blobs::file(const Digest& digest) {
  const UseKey key = blob_key(digest);
  const Result<std::optional<Pinned>> value = values_.get_pinned(key);
  if (!value) return value.error();
  if (!*value) return std::optional<UniqueFd>();
  const std::optional<BlobValue> parsed = parse_value(digest, (*value)->bytes);
  if (!parsed || !parsed->bases.empty()) return file_of_whole(digest);
  Result<MemoryFile> file = MemoryFile::make(kFileName);
  if (!file) return file.error();
  Status written = done();
  const bool sound = unpack_pieces(*parsed, [&](std::string_view piece) {
    written = file->append(piece);
    return written.ok();
  });
  if (!written) return written.error();
  if (!sound) {
    values_.drop(key, (*value)->bytes, kOtherBytes);
    return std::optional<UniqueFd>();
  }
  Result<UniqueFd> sealed = std::move(*file).seal();
  if (!sealed) return sealed.error();
  return std::optional(std::move(*sealed));
}

Result<std::optional<UniqueFd>> Blobs::file_of_whole(const Digest& digest) {
  const Result<std::optional<std::string>> bytes = get(digest);
  if (!bytes) return bytes.error();
  if (!*bytes) return std::optional<UniqueFd>();
  Result<UniqueFd> sealed = sealed_memory(**bytes, kFileName);
  if (!sealed) return sealed.error();
  return std::optional(std::move(*sealed));
}

Result<bool> Blobs::hold(const Digest& digest, Lease* lease, unsigned depth) {
  if (depth > kDeepest) return false;
  if (lease != nullptr) lease->add(digest);
  const UseKey key = blob_key(digest);
  const std::optional<Use> use = values_.use(key);
  if (!use || !use->has_bases) return use.has_value();
  const Result<std::optional<std::string>> value = values_.get(key);
  if (!value) return value.error();
  const std::optional<BlobValue> parsed = *value ? parse_value(digest, **value) : std::nullopt;
  if (!parsed) return false;
  for (const Digest& base : parsed->bases) {
    const Result<bool> held = hold(base, lease, depth + 1);
    if (!held) return held.error();
    if (!*held) {
      values_.forget(key, **value);
      return false;
    }
  }
  return true;
}

Result<std::vector<Digest>> Blobs::missing(std::span<const Digest> digests) {
  std::vector<Digest> missing;
  for (const Digest& digest : digests) {
    const Result<bool> there = hold(digest, nullptr, 0);
    if (!there) return there.error();
    if (!*there) missing.push_back(digest);
  }
  return missing;
}

Result<std::optional<std::string>> Blobs::prefix_of(const std::vector<Digest>& bases, unsigned depth) {
  std::string prefix;
  for (const Digest& base : bases) {
    if (const auto known = families_.bytes(base); known && values_.use(blob_key(base))) {
      prefix += *known;
      continue;
    }
    Result<std::optional<std::string>> bytes = get(base, depth);
    if (!bytes || !*bytes) return bytes;
    if (prefix.size() + (*bytes)->size() > kLongestPrefix) return std::optional<std::string>();
    prefix += **bytes;
  }
  return std::optional(std::move(prefix));
}

// Whether the blob need not be written. After a first damaged value it is read: damage mostly hits more than one value,
// and a compile that finds one of them each time would be a miss as often as there are such values.
Result<bool> Blobs::is_kept(const Digest& digest) {
  if (values_.dropped() == 0) return hold(digest, nullptr, 0);
  const Result<std::optional<std::string>> bytes = get(digest);
  if (!bytes) return bytes.error();
  return bytes->has_value();
}

Result<Digest> Blobs::put(std::string_view bytes, const Likeness& likeness) {
  const Digest digest = digest_of(bytes);
  const Result<bool> there = is_kept(digest);
  if (!there) return there.error();
  if (*there) return digest;
  Result<std::optional<Delta>> delta = of_parts(digest, bytes, likeness.parts);
  if (!delta) return delta.error();
  const bool in_family = !likeness.family.empty() && bytes.size() <= AlikeBlobs::kLongestBase;
  const std::string_view family = in_family ? likeness.family : std::string_view();
  if (!*delta && in_family) *delta = of_family(digest, bytes, family);
  if (*delta) {
    const Result<bool> stored = put_delta(digest, **delta);
    if (!stored) return stored.error();
    if (*stored && (*delta)->family_base.bytes) families_.served(family, (*delta)->family_base);
    if (*stored) return digest;
  }
  const Packing packing = likeness.is_copy ? Packing::soon : Packing::well;
  if (Status stored = put_whole(digest, bytes, family, packing); !stored) return stored.error();
  return digest;
}

Result<std::optional<Blobs::Delta>> Blobs::of_parts(const Digest& digest, std::string_view bytes,
                                                    const std::vector<Digest>& parts) {
  const std::optional<Delta> nothing;
  if (parts.empty() || parts.size() > kMostBases || bytes.size() > kLongestPrefix) return nothing;
  const Result<std::optional<std::string>> prefix = prefix_of(parts, 1);
  if (!prefix) return prefix.error();
  if (!*prefix) return nothing;
  std::string value = pack_delta(digest, bytes, parts, **prefix);
  if (value.size() * kPlainlyWorth > bytes.size() && value.size() * kWorth > pack(digest, bytes).size()) return nothing;
  return std::optional(Delta{.bases = parts, .value = std::move(value), .family_base = {}});
}

std::optional<Blobs::Delta> Blobs::of_family(const Digest& digest, std::string_view bytes, std::string_view family) {
  std::optional<Delta> best;
  for (const AlikeBase& base : families_.bases_of(family)) {
    std::string value = pack_delta(digest, bytes, {base.digest}, *base.bytes);
    if (!best || value.size() < best->value.size())
      best = Delta{.bases = {base.digest}, .value = std::move(value), .family_base = base};
    if (best->value.size() * kPlainlyWorth <= bytes.size()) return best;
  }
  if (best && best->value.size() * kWorth > pack(digest, bytes).size()) best.reset();
  return best;
}

Result<bool> Blobs::put_delta(const Digest& digest, const Delta& delta) {
  return values_.put(blob_key(digest), delta.value, delta.bases);
}

Status Blobs::put_whole(const Digest& digest, std::string_view bytes, std::string_view family, Packing packing) {
  const Result<bool> stored = values_.put(blob_key(digest), pack(digest, bytes, packing));
  if (!stored) return stored.error();
  if (!family.empty()) families_.served(family, {digest, std::make_shared<const std::string>(bytes)});
  return done();
}

}  // namespace hipcache::store
