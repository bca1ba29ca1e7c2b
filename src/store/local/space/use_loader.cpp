#include "store/local/space/use_loader.h"

#include <string_view>
#include <vector>

namespace hipcache::store {
namespace {

constexpr std::size_t kLoadedAtOnce = 4096;

// For a damaged table, the records that could be read are all there are.
Status finish(StoreState& state, const Status& scanned, bool sound) {
  state.recency.complete();
  if (!scanned) return scanned;
  return sound ? done() : Status(Error{"a use record is malformed", ErrorCode::damaged});
}

}  // namespace

Status load_uses(StoreState& state, const std::atomic<bool>& cancel) {
  bool sound = true;
  std::vector<Recency::Entry> entries;
  const auto load = [&] {
    state.recency.load_older(entries);
    entries.clear();
  };
  const Status scanned = state.database->scan(Table::uses, [&](std::string_view key_bytes, std::string_view use_bytes) {
    const auto key = decode_use_key(key_bytes);
    const auto use = decode_use(use_bytes);
    sound = key && use;
    if (sound) entries.push_back({*key, *use});
    if (entries.size() == kLoadedAtOnce) load();
    return sound && !cancel;
  });
  load();
  return cancel ? done() : finish(state, scanned, sound);
}

std::optional<Use> adopt(StoreState& state, const UseKey& key) {
  const auto read = state.database->get(Table::uses, encode_use_key(key));
  if (!read || read->found != Found::yes) return std::nullopt;
  const auto use = decode_use(read->value);
  return use ? state.recency.adopt(key, *use) : std::nullopt;
}

}  // namespace hipcache::store
