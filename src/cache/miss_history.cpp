#include "hipcache/cache/miss_history.h"

#include <algorithm>

#include "hipcache/inputs/frames.h"

namespace hipcache::cache {
namespace {

// Version, number of entries, blob of each. Version 2: digests of 32 bytes.
constexpr std::uint8_t kVersion = 2;

std::string encode_list(const std::vector<Digest>& blobs) {
  inputs::FrameWriter out;
  out.byte(kVersion).number(blobs.size());
  for (const Digest& blob : blobs) out.raw(blob.bytes());
  return std::move(out).bytes();
}

// The readable part of the list.
std::vector<Digest> decode_list(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  std::vector<Digest> blobs;
  if (in.byte() != kVersion) return blobs;
  for (std::uint64_t left = in.number(); left > 0 && blobs.size() < kMaxHistoryEntries; --left) {
    const Result<Digest> blob = Digest::from_bytes(in.raw(Digest::kSize));
    if (!blob) break;
    blobs.push_back(*blob);
  }
  return blobs;
}

}  // namespace

// An entry that equals a stored one only moves to the front. An entry that is too large to read back
// is not stored, so that it displaces no readable one.
Status MissHistory::record(const std::vector<Digest>& names, const HistoryEntry& entry) {
  const std::string bytes = entry.encode();
  if (bytes.size() > kMaxHistoryBytes) {
    log_.info("the miss history lacks this request: its entry takes " + std::to_string(bytes.size()) + " bytes");
    return done();
  }
  const Result<Digest> blob = store_.put_blob_like(bytes, {.parts = {}, .family = "miss-history"});
  if (!blob) return blob.error();
  const std::lock_guard lock(list_mutex_);
  for (const Digest& name : names)
    if (Status added = add_to(name, *blob); !added) return added;
  return done();
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
    load_set(entry->observed);
    entries.push_back(std::move(*entry));
  }
  return entries;
}

// An error is no empty list: record() would replace the list by one of a single entry.
Result<std::vector<Digest>> MissHistory::blobs_of(const Digest& name) {
  const Result<std::optional<std::string>> list = store_.action(name);
  if (!list) return list.error();
  return *list ? decode_list(**list) : std::vector<Digest>();
}

void MissHistory::load_set(Observed& observed) {
  const Result<std::optional<std::string>> bytes = store_.blob(observed.blob);
  if (!bytes || !*bytes) return;
  Result<inputs::PathSet> set = inputs::PathSet::decode(**bytes);
  if (!set || set->observations().size() + 1 != observed.answered.size()) return;
  observed.set = std::make_shared<const inputs::PathSet>(std::move(*set));
}

}  // namespace hipcache::cache
