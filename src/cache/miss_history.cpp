#include "hipcache/cache/miss_history.h"

#include <algorithm>

#include "hipcache/cache/shared_history.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::cache {
namespace {

// Magic, version, number of entries, blob of each. Version 2: digests of 32 bytes. Version 3: the magic.
constexpr std::string_view kMagic = "HCML";
constexpr std::uint8_t kVersion = 3;

std::string encode_list(const std::vector<Digest>& blobs) {
  inputs::FrameWriter out;
  out.raw(kMagic).byte(kVersion).number(blobs.size());
  for (const Digest& blob : blobs) out.raw(blob.bytes());
  return std::move(out).bytes();
}

// The readable part of the list.
std::vector<Digest> decode_list(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  std::vector<Digest> blobs;
  if (in.raw(kMagic.size()) != kMagic || in.byte() != kVersion) return blobs;
  for (std::uint64_t left = in.number(); left > 0 && blobs.size() < kMaxHistoryEntries; --left) {
    const Result<Digest> blob = Digest::from_bytes(in.raw(Digest::kSize));
    if (!blob) break;
    blobs.push_back(*blob);
  }
  return blobs;
}

void load_set(Observed& observed, store::ReadableStore& store) {
  const Result<std::optional<std::string>> bytes = store.blob(observed.blob);
  if (bytes && *bytes) take_set(observed, **bytes);
}

}  // namespace

void take_set(Observed& observed, std::string_view bytes) {
  Result<inputs::PathSet> set = inputs::PathSet::decode(bytes);
  if (!set || set->observations().size() + 1 != observed.answered.size()) return;
  observed.set = std::make_shared<const inputs::PathSet>(std::move(*set));
}

bool is_history_list(std::string_view action) { return action.starts_with(kMagic); }

// An entry that equals a stored one only moves to the front. An entry that is too large to read back
// is not stored, so that it displaces no readable one.
Status MissHistory::record(const Digest& name, const HistoryEntry& entry) {
  const std::string bytes = entry.encode();
  if (bytes.size() > kMaxHistoryBytes) {
    log_.info("the miss history lacks this request: its entry takes " + std::to_string(bytes.size()) + " bytes");
    return done();
  }
  const Result<Digest> blob = store_.put_blob_like(bytes, {.parts = {}, .family = "miss-history"});
  if (!blob) return blob.error();
  if (remote_ != nullptr)
    if (std::optional<Publication> shared = history_publication(name, entry, {*blob, bytes.size()}))
      remote_->publish(std::move(*shared));
  return add(name, entry, *blob);
}

Status MissHistory::add(const Digest& name, const HistoryEntry& entry, const Digest& blob) {
  const std::lock_guard lock(list_mutex_);
  if (Status added = add_to(name, blob); !added) return added;
  return entry.of_source == Digest{} ? done() : add_to(entry.of_source, blob);
}

Status MissHistory::add_to(const Digest& name, const Digest& blob) {
  Result<std::vector<Digest>> blobs = blobs_of(name);
  if (!blobs) return blobs.error();
  std::erase(*blobs, blob);
  blobs->insert(blobs->begin(), blob);
  if (blobs->size() > kMaxHistoryEntries) blobs->resize(kMaxHistoryEntries);
  return store_.put_action(name, encode_list(*blobs));
}

std::vector<HistoryEntry> MissHistory::entries(const Digest& name) {
  std::vector<HistoryEntry> entries;
  const Result<std::vector<Digest>> blobs = blobs_of(name);
  if (!blobs) {
    log_.warning(blobs.error().message);
    return entries;
  }
  for (const Digest& blob : *blobs) {
    const Result<std::optional<std::string>> bytes = store_.blob(blob);
    if (!bytes || !*bytes) continue;
    Result<HistoryEntry> entry = HistoryEntry::decode(**bytes);
    if (!entry) {
      log_.warning(entry.error().message);
      continue;
    }
    load_set(entry->observed, store_);
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::vector<HistoryEntry> MissHistory::shared_entries(const Digest& name) {
  return remote_ == nullptr ? std::vector<HistoryEntry>() : fetch_histories(name, *remote_);
}

// A list that stands for a source has the entries of the outputs' lists.
std::vector<StoredEntry> MissHistory::stored(const Digest& name) {
  store::ReadableStore& quiet = store_.quiet();
  std::vector<StoredEntry> all;
  const Result<std::optional<std::string>> list = quiet.action(name);
  if (!list || !*list) return all;
  for (const Digest& blob : decode_list(**list)) {
    const Result<std::optional<std::string>> bytes = quiet.blob(blob);
    if (!bytes || !*bytes) continue;
    Result<HistoryEntry> entry = HistoryEntry::decode(**bytes);
    if (!entry || entry->of_source == name) continue;
    load_set(entry->observed, quiet);
    all.push_back({{blob, (*bytes)->size()}, std::move(*entry)});
  }
  return all;
}

Result<bool> MissHistory::accept(const Digest& name, std::string_view shared) {
  const std::optional<SharedHistory> names = decode_shared_history(shared);
  if (!names) return false;
  const Result<std::optional<std::string>> bytes = store_.blob(names->entry.digest);
  if (!bytes) return bytes.error();
  if (!*bytes) return false;
  const Result<HistoryEntry> entry = HistoryEntry::decode(**bytes);
  if (!entry) return false;
  const Result<std::vector<Digest>> known = blobs_of(name);
  if (!known) return known.error();
  if (std::find(known->begin(), known->end(), names->entry.digest) != known->end()) return true;
  if (Status added = add(name, *entry, names->entry.digest); !added) return added.error();
  return true;
}

// An error is no empty list: record() would replace the list by one of a single entry.
Result<std::vector<Digest>> MissHistory::blobs_of(const Digest& name) {
  const Result<std::optional<std::string>> list = store_.action(name);
  if (!list) return list.error();
  return *list ? decode_list(**list) : std::vector<Digest>();
}

}  // namespace hipcache::cache
