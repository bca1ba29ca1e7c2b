#include "cache/set_list.h"

#include <algorithm>

#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::cache {
namespace {

// Version, number of sets, then for each: id, blob. Version 1 is the first.
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kDigestBytes = 16;

}  // namespace

// One entry per set id: if the same questions are compressed differently, the newer blob replaces
// the older.
bool SetList::move_to_front(const SetReference& set) {
  if (!sets_.empty() && sets_.front() == set) return false;
  std::erase_if(sets_, [&](const SetReference& other) { return other.id == set.id; });
  sets_.insert(sets_.begin(), set);
  if (sets_.size() > kMaxPathSets) sets_.resize(kMaxPathSets);
  return true;
}

std::string SetList::encode() const {
  inputs::FrameWriter out;
  out.byte(kVersion).number(sets_.size());
  for (const SetReference& set : sets_) out.raw(set.id.bytes()).raw(set.blob.bytes());
  return std::move(out).bytes();
}

Result<SetList> SetList::decode(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  const bool known = in.byte() == kVersion;
  const std::uint64_t count = in.number();
  if (!known || count > kMaxPathSets)
    return Error{"list of path sets: it is of another version or damaged; the entry is dropped"};
  SetList list;
  for (std::uint64_t i = 0; i < count; ++i) {
    Result<Digest> id = Digest::from_bytes(in.raw(kDigestBytes));
    Result<Digest> blob = Digest::from_bytes(in.raw(kDigestBytes));
    if (!id || !blob) return Error{"list of path sets: it ends in the middle; the entry is dropped"};
    list.sets_.push_back({*id, *blob});
  }
  if (!in.finished()) return Error{"list of path sets: there are bytes after its end; the entry is dropped"};
  return list;
}

}  // namespace hipcache::cache
