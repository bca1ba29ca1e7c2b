#include "remote/reapi/slots.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hipcache::remote {
namespace {

constexpr std::size_t kSlotSets = kMaxSets / 2;  // twice as many as a plain list has, in four slots
constexpr std::uint64_t kSlotBytes = kListLimit / kSlots;

void bound(List& list) {
  if (list.size() > kSlotSets) list.resize(kSlotSets);
  std::uint64_t bytes = 0;
  for (const RemotePathSet& set : list) bytes += set.bytes.size();
  while (bytes > kSlotBytes && list.size() > 1) {
    bytes -= list.back().bytes.size();
    list.pop_back();
  }
}

}  // namespace

Slots divide(const List& list) {
  Slots slots;
  for (const RemotePathSet& set : list) slots[slot_of(set.id)].push_back(set);
  return slots;
}

List join(const Slots& slots) {
  List list;
  std::uint64_t bytes = 0;
  for (std::size_t rank = 0; rank < kMaxSets; ++rank)
    for (const List& slot : slots) {
      if (rank >= slot.size() || bytes + slot[rank].bytes.size() > kListLimit) continue;
      bytes += slot[rank].bytes.size();
      list.push_back(slot[rank]);
    }
  return list;
}

std::optional<std::string> merged_slot(const Digest& key, const std::optional<std::string>& present, const List& sets) {
  Result<List> known = present ? decode_list(key, *present) : Result<List>(List());
  List list = known ? std::move(*known) : List();
  if (known && std::all_of(sets.begin(), sets.end(), [&](const RemotePathSet& set) { return has(list, set); }))
    return std::nullopt;
  for (auto set = sets.rbegin(); set != sets.rend(); ++set) add_to(list, *set);
  bound(list);
  return encode_list(key, list);
}

}  // namespace hipcache::remote
