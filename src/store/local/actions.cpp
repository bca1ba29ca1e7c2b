#include "store/local/actions.h"

#include <utility>

#include "store/local/database/framing.h"
#include "store/local/database/quarantine.h"
#include "store/path_set_list.h"

namespace hipcache::store {
namespace {

// After so many found results, the database has proved to be of use. A user who tries a new one finds a few.
constexpr std::uint64_t kServed = 100;

UseKey action_key(const Digest& key) { return {Table::actions, key}; }

}  // namespace

Result<std::optional<std::string>> Actions::get(const Digest& key) {
  Result<std::optional<std::string>> frame = values_.get(action_key(key));
  if (!frame || !*frame) return frame;
  std::optional<std::string> value = unframe_action(key, **frame);
  if (!value) values_.drop(action_key(key), **frame, "its bytes do not match its digest");
  if (value && ++found_ == kServed) note_served(*state_.directories.ours);
  return value;
}

Status Actions::put(const Digest& key, std::string_view value) {
  const Result<bool> stored = values_.put(action_key(key), frame_action(key, value));
  return stored ? done() : Status(stored.error());
}

Result<bool> Actions::put_if(const Digest& key, std::string_view value, const MayReplace& may) {
  return values_.put_if(action_key(key), frame_action(key, value), [&](const std::optional<std::string>& frame) {
    return may(frame ? unframe_action(key, *frame) : std::nullopt);
  });
}

Result<std::vector<PathSetReference>> Actions::path_sets(const Digest& key) {
  const Result<std::optional<std::string>> bytes = get(key);
  if (!bytes) return bytes.error();
  if (!*bytes) return std::vector<PathSetReference>();
  Result<PathSetList> list = PathSetList::decode(**bytes);
  if (!list) return list.error();
  return std::move(*list).sets();
}

// A list that cannot be read now is left alone: writing a new one in its place would lose the path sets of the old one.
Status Actions::add_path_set(const Digest& key, const PathSetReference& set) {
  const std::scoped_lock lock(list_mutexes_[key.prefix() % kListMutexes]);
  const Result<std::optional<std::string>> bytes = get(key);
  if (!bytes) return bytes.error();
  Result<PathSetList> known = *bytes ? PathSetList::decode(**bytes) : Result<PathSetList>(PathSetList());
  PathSetList list = known ? std::move(*known) : PathSetList();
  return list.move_to_front(set) ? put(key, list.encode()) : done();
}

}  // namespace hipcache::store
