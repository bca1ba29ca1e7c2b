#include "store/local/value_table.h"

#include <algorithm>
#include <shared_mutex>

#include "store/local/space/maintenance.h"

namespace hipcache::store {

namespace {

// u8 version, u8 number of sets, then for each: id, blob. Version 2: digests of 32 bytes.
constexpr char kVersion = 2;
constexpr std::size_t kHeader = 2;
constexpr std::size_t kSetBytes = 2 * Digest::kSize;

}  // namespace

// One entry per set id: if the same questions are compressed differently, the newer blob replaces the older.
bool PathSetList::move_to_front(const PathSetReference& set) {
  if (!sets_.empty() && sets_.front() == set) return false;
  std::erase_if(sets_, [&](const PathSetReference& other) { return other.id == set.id; });
  sets_.insert(sets_.begin(), set);
  if (sets_.size() > kMaxPathSets) sets_.resize(kMaxPathSets);
  return true;
}

std::string PathSetList::encode() const {
  std::string bytes;
  bytes.push_back(kVersion);
  bytes.push_back(static_cast<char>(sets_.size()));
  for (const PathSetReference& set : sets_) bytes += set.id.bytes() + set.blob.bytes();
  return bytes;
}

Result<PathSetList> PathSetList::decode(std::string_view bytes) {
  if (bytes.size() < kHeader || bytes[0] != kVersion || static_cast<unsigned char>(bytes[1]) > kMaxPathSets)
    return Error{"list of path sets: it is of another version or damaged; the entry is dropped"};
  const auto count = std::size_t{static_cast<unsigned char>(bytes[1])};
  if (bytes.size() != kHeader + count * kSetBytes)
    return Error{"list of path sets: it is shorter or longer than its number of sets; the entry is dropped"};
  PathSetList list;
  for (std::size_t at = kHeader; at < bytes.size(); at += kSetBytes) {
    const Result<Digest> id = Digest::from_bytes(bytes.substr(at, Digest::kSize));
    const Result<Digest> blob = Digest::from_bytes(bytes.substr(at + Digest::kSize, Digest::kSize));
    if (!id || !blob) return Error{"list of path sets: a digest is damaged; the entry is dropped"};
    list.sets_.push_back({*id, *blob});
  }
  return list;
}

namespace {

Error too_long(std::string_view bytes) {
  return Error{"store: value of " + std::to_string(bytes.size()) + " bytes is too long"};
}

}  // namespace

Result<std::optional<std::string>> ValueTable::get(const UseKey& key) {
  const std::optional<std::string> nothing;
  if (!use(key)) return nothing;
  Result<Read> read = state_.database->get(key.table, key.digest.bytes());
  if (!read) return read.error();
  if (read->found == Found::damaged) drop_unreadable(key, read->problem);
  if (read->found != Found::yes) return nothing;
  return std::optional(std::move(read->value));
}

Result<std::optional<Pinned>> ValueTable::get_pinned(const UseKey& key) {
  const std::optional<Pinned> nothing;
  if (!use(key)) return nothing;
  Result<PinnedRead> read = state_.database->get_pinned(key.table, key.digest.bytes());
  if (!read) return read.error();
  if (read->found == Found::damaged) drop_unreadable(key, read->problem);
  if (read->found != Found::yes) return nothing;
  return std::optional(std::move(read->value));
}

std::optional<Use> ValueTable::use(const UseKey& key) {
  if (uses_ == Uses::not_counted) return state_.recency.find(key);
  // Asked before touch(): entries may be loaded between the two calls, and then touch() did not see them.
  const bool complete = state_.recency.is_complete();
  std::optional<Use> use = state_.recency.touch(key);
  if (!use && !complete) use = adopt(state_, key);
  if (use) maintenance_.used();
  return use;
}

Result<bool> ValueTable::put(const UseKey& key, std::string_view bytes, const std::vector<Digest>& bases) {
  if (bytes.size() > Use::kLargestSize) return too_long(bytes);
  {
    // Shared, so nothing is evicted between checking the bases and the write.
    const std::shared_lock gate(state_.gate);
    const bool based = std::all_of(bases.begin(), bases.end(),
                                   [&](const Digest& base) { return use({Table::blobs, base}).has_value(); });
    if (!based) return false;
    const std::scoped_lock stripe(stripes_[key.digest.prefix() % kStripes]);
    if (Status written = write(key, bytes, !bases.empty()); !written) return written.error();
  }
  maintenance_.wrote(bytes.size());
  return true;
}

Result<bool> ValueTable::put_if(const UseKey& key, std::string_view bytes, const MayReplaceBytes& may) {
  if (bytes.size() > Use::kLargestSize) return too_long(bytes);
  {
    const std::shared_lock gate(state_.gate);
    const std::scoped_lock stripe(stripes_[key.digest.prefix() % kStripes]);
    Result<Read> present = state_.database->get(key.table, key.digest.bytes());
    if (!present) return present.error();
    if (!may(present->found == Found::yes ? std::optional(std::move(present->value)) : std::nullopt)) return false;
    if (Status written = write(key, bytes, false); !written) return written.error();
  }
  maintenance_.wrote(bytes.size());
  return true;
}

// REQUIRES: the gate is held, and the key's stripe, so that the database and the recency agree on the last of two puts.
Status ValueTable::write(const UseKey& key, std::string_view bytes, bool has_bases) {
  const Use now = state_.recency.use_now(static_cast<std::uint32_t>(bytes.size()), has_bases);
  const std::string use_key = encode_use_key(key);
  const std::string use_value = encode_use(now);
  const std::string value_key = key.digest.bytes();
  Status written = state_.database->write({{key.table, value_key, bytes}, {Table::uses, use_key, use_value}});
  if (written) state_.recency.set(key, now);
  return written;
}

void ValueTable::drop(const UseKey& key, std::string_view read, const std::string& problem) {
  note_dropped(key, problem);
  forget(key, read);
}

void ValueTable::forget(const UseKey& key, std::string_view read) {
  remove_if(key, [&](const PinnedRead& now) { return now.found == Found::yes && now.value.bytes == read; });
}

// Nobody has its bytes: it goes if the database still cannot read it.
void ValueTable::drop_unreadable(const UseKey& key, const std::string& problem) {
  note_dropped(key, problem);
  remove_if(key, [](const PinnedRead& now) { return now.found == Found::damaged; });
}

void ValueTable::note_dropped(const UseKey& key, const std::string& problem) {
  ++dropped_;
  state_.log.warning(std::string("store: dropped ") + (key.table == Table::actions ? "action " : "blob ") +
                     key.digest.hex() + ": " + problem);
}

// Puts hold the gate shared, so none comes between the read and the removal.
template <typename Is>
void ValueTable::remove_if(const UseKey& key, const Is& is) {
  const std::scoped_lock gate(state_.gate);
  const std::string value_key = key.digest.bytes();
  const Result<PinnedRead> now = state_.database->get_pinned(key.table, value_key);
  if (!now) return state_.log.warning(now.error().message);
  if (!is(*now)) return;
  state_.recency.erase(key);
  const std::string use_key = encode_use_key(key);
  const Status removed =
      state_.database->write({{key.table, value_key, std::nullopt}, {Table::uses, use_key, std::nullopt}});
  if (!removed) state_.log.warning(removed.error().message);
}

}  // namespace hipcache::store
