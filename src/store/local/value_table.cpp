#include "store/local/value_table.h"

#include <algorithm>
#include <shared_mutex>

#include "store/local/space/use_loader.h"

namespace hipcache::store {

Result<std::optional<std::string>> ValueTable::get(const UseKey& key) {
  const std::optional<std::string> nothing;
  if (!use(key)) return nothing;
  Result<Read> read = state_.database->get(key.table, key.digest.bytes());
  if (!read) return read.error();
  if (read->found == Found::damaged) drop(key, read->problem);
  if (read->found != Found::yes) return nothing;
  return std::optional(std::move(read->value));
}

Result<std::optional<Pinned>> ValueTable::get_pinned(const UseKey& key) {
  const std::optional<Pinned> nothing;
  if (!use(key)) return nothing;
  Result<PinnedRead> read = state_.database->get_pinned(key.table, key.digest.bytes());
  if (!read) return read.error();
  if (read->found == Found::damaged) drop(key, read->problem);
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
  if (bytes.size() > Use::kLargestSize)
    return Error{"store: value of " + std::to_string(bytes.size()) + " bytes is too long"};
  {
    // Shared, so nothing is evicted between checking the bases and the write.
    const std::shared_lock gate(state_.gate);
    const bool based = std::all_of(bases.begin(), bases.end(),
                                   [&](const Digest& base) { return use({Table::blobs, base}).has_value(); });
    if (!based) return false;
    if (Status written = write(key, bytes, !bases.empty()); !written) return written.error();
  }
  maintenance_.wrote(bytes.size());
  return true;
}

Status ValueTable::write(const UseKey& key, std::string_view bytes, bool has_bases) {
  // Orders two puts of one key, so that the database and the recency agree on the last.
  const std::scoped_lock stripe(stripes_[key.digest.prefix() % kStripes]);
  const Use now = state_.recency.use_now(static_cast<std::uint32_t>(bytes.size()), has_bases);
  const std::string use_key = encode_use_key(key);
  const std::string use_value = encode_use(now);
  const std::string value_key = key.digest.bytes();
  Status written = state_.database->write({{key.table, value_key, bytes}, {Table::uses, use_key, use_value}});
  if (written) state_.recency.set(key, now);
  return written;
}

void ValueTable::drop(const UseKey& key, const std::string& problem) {
  ++dropped_;
  state_.log.warning(std::string("store: dropped ") + (key.table == Table::actions ? "action " : "blob ") +
                     key.digest.hex() + ": " + problem);
  forget(key);
}

void ValueTable::forget(const UseKey& key) {
  const std::scoped_lock gate(state_.gate);
  state_.recency.erase(key);
  const std::string use_key = encode_use_key(key);
  const std::string value_key = key.digest.bytes();
  const Status removed =
      state_.database->write({{key.table, value_key, std::nullopt}, {Table::uses, use_key, std::nullopt}});
  if (!removed) state_.log.warning(removed.error().message);
}

}  // namespace hipcache::store
