#include "store/loading.h"

#include <shared_mutex>
#include <string_view>
#include <vector>

namespace hipcache::store {
namespace {

constexpr std::size_t kLoadedAtOnce = 4096;

// What could be read of a damaged table is all there is.
Status finish(Contents& contents, const Status& scanned, bool sound) {
  contents.recency.complete();
  if (!scanned) return scanned;
  return sound ? done() : Status(Error{"a use record is malformed"});
}

}  // namespace

Status load_uses(Contents& contents, const std::atomic<bool>& cancel) {
  bool sound = true;
  std::vector<Recency::Entry> entries;
  const auto load = [&] {
    contents.recency.load_older(entries);
    entries.clear();
  };
  const Status scanned =
      contents.database->scan(Table::uses, [&](std::string_view key_bytes, std::string_view use_bytes) {
        const auto key = decode_use_key(key_bytes);
        const auto use = decode_use(use_bytes);
        sound = key && use;
        if (sound) entries.push_back({*key, *use});
        if (entries.size() == kLoadedAtOnce) load();
        return sound && !cancel;
      });
  load();
  return cancel ? done() : finish(contents, scanned, sound);
}

// The gate keeps the entry from being dropped between the look and the adoption.
bool adopt(Contents& contents, const UseKey& key) {
  const std::shared_lock gate(contents.gate);
  const auto read = contents.database->get(Table::uses, encode_use_key(key));
  if (!read || read->found != Found::yes) return false;
  const auto use = decode_use(read->value);
  if (use) contents.recency.adopt(key, *use);
  return use.has_value();
}

}  // namespace hipcache::store
