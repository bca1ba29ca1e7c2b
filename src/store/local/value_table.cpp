#include "store/local/value_table.h"

#include <algorithm>
#include <shared_mutex>

#include "store/local/space/use_loader.h"

namespace hipcache::store {

Result<std::optional<std::string>> Values::get(const UseKey& key) {
  const std::optional<std::string> nothing;
  if (!use(key)) return nothing;
  Result<Read> read = contents_.database->get(key.table, key.digest.bytes());
  if (!read) return read.error();
  if (read->found == Found::damaged) drop(key, read->problem);
  if (read->found != Found::yes) return nothing;
  return std::optional(std::move(read->value));
}

Result<std::optional<Pinned>> Values::get_pinned(const UseKey& key) {
  const std::optional<Pinned> nothing;
  if (!use(key)) return nothing;
  Result<PinnedRead> read = contents_.database->get_pinned(key.table, key.digest.bytes());
  if (!read) return read.error();
  if (read->found == Found::damaged) drop(key, read->problem);
  if (read->found != Found::yes) return nothing;
  return std::optional(std::move(read->value));
}

std::optional<Use> Values::use(const UseKey& key) {
  // Asked before touch(): entries may be loaded between the two calls, and then touch() did not see them.
  const bool complete = contents_.recency.is_complete();
  std::optional<Use> use = contents_.recency.touch(key);
  if (!use && !complete) use = adopt(contents_, key);
  if (use) maintenance_.used();
  return use;
}

Result<bool> Values::put(const UseKey& key, std::string_view bytes, const std::vector<Digest>& bases) {
  if (bytes.size() > Use::kLargestSize)
    return Error{"store: value of " + std::to_string(bytes.size()) + " bytes is too long"};
  {
    // Shared, so nothing is evicted between checking the bases and the write.
    const std::shared_lock gate(contents_.gate);
    const bool based = std::all_of(bases.begin(), bases.end(),
                                   [&](const Digest& base) { return use({Table::blobs, base}).has_value(); });
    if (!based) return false;
    if (Status written = write(key, bytes, !bases.empty()); !written) return written.error();
  }
  maintenance_.wrote(bytes.size());
  return true;
}

Status Values::write(const UseKey& key, std::string_view bytes, bool has_bases) {
  // Orders two puts of one key, so that the database and the recency agree on the last.
  const std::scoped_lock stripe(stripes_[key.digest.low % kStripes]);
  const Use now = contents_.recency.use_now(static_cast<std::uint32_t>(bytes.size()), has_bases);
  const std::string use_key = encode_use_key(key);
  const std::string use_value = encode_use(now);
  const std::string value_key = key.digest.bytes();
  Status written = contents_.database->write({{key.table, value_key, bytes}, {Table::uses, use_key, use_value}});
  if (written) contents_.recency.set(key, now);
  return written;
}

void Values::drop(const UseKey& key, const std::string& problem) {
  ++dropped_;
  contents_.log.warning(std::string("store: dropped ") + (key.table == Table::actions ? "action " : "blob ") +
                        key.digest.hex() + ": " + problem);
  forget(key);
}

void Values::forget(const UseKey& key) {
  const std::scoped_lock gate(contents_.gate);
  contents_.recency.erase(key);
  const std::string use_key = encode_use_key(key);
  const std::string value_key = key.digest.bytes();
  const Status removed =
      contents_.database->write({{key.table, value_key, std::nullopt}, {Table::uses, use_key, std::nullopt}});
  if (!removed) contents_.log.warning(removed.error().message);
}

}  // namespace hipcache::store
