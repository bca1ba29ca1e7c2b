#include "store/value_table.h"

#include <algorithm>
#include <shared_mutex>

#include "store/maintenance.h"

namespace hipcache::store {

namespace {

Error too_long(std::string_view bytes) {
  return Error{"store: value of " + std::to_string(bytes.size()) + " bytes is too long"};
}

}  // namespace

Result<std::optional<std::string>> ValueTable::get(const UseKey& key) {
  const Result<std::optional<Pinned>> value = get_pinned(key);
  if (!value) return value.error();
  if (!*value) return std::optional<std::string>();
  return std::optional<std::string>((*value)->bytes);
}

Result<std::optional<Pinned>> ValueTable::get_pinned(const UseKey& key) {
  const std::optional<Pinned> nothing;
  if (!use(key)) return nothing;
  Result<Read> read = state_.database->get(key.table, key.digest.bytes());
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
    if (!may(present->found == Found::yes ? std::optional<std::string>(present->value.bytes) : std::nullopt))
      return false;
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
  remove_if(key, [&](const Read& now) { return now.found == Found::yes && now.value.bytes == read; });
}

// Nobody has its bytes: it goes if the database still cannot read it.
void ValueTable::drop_unreadable(const UseKey& key, const std::string& problem) {
  note_dropped(key, problem);
  remove_if(key, [](const Read& now) { return now.found == Found::damaged; });
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
  const Result<Read> now = state_.database->get(key.table, value_key);
  if (!now) return state_.log.warning(now.error().message);
  if (!is(*now)) return;
  state_.recency.erase(key);
  const std::string use_key = encode_use_key(key);
  const Status removed =
      state_.database->write({{key.table, value_key, std::nullopt}, {Table::uses, use_key, std::nullopt}});
  if (!removed) state_.log.warning(removed.error().message);
}

}  // namespace hipcache::store
