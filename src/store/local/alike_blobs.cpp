#include "store/local/alike_blobs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/local/blob_value.h"

namespace hipcache::store {
namespace {

std::string note_key(std::string_view family) { return "family/" + std::string(family); }

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
  for (std::size_t at = 0; at + Digest::kSize <= note->value.size() && bases.size() < kMostBases; at += Digest::kSize) {
    const Result<Digest> digest = Digest::from_bytes(std::string_view(note->value).substr(at, Digest::kSize));
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

}  // namespace hipcache::store
