// The stats of the paths of one PathOrder, each taken at most once. The answers of one state are made from them.
//
// The cost is one stat for each path that is there, and one for each directory of absent paths. An absence costs
// nothing more if its directory still has the stamp for which the absence was learned. The same holds for whether an
// entry is a link, and for its target. Used by one thread.
#ifndef HIPCACHE_SRC_INPUTS_STATE_STAT_SNAPSHOT_H
#define HIPCACHE_SRC_INPUTS_STATE_STAT_SNAPSHOT_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/inputs/file_clock.h"
#include "inputs/loader/loader_cache.h"
#include "inputs/state/digests.h"
#include "inputs/state/mounts.h"
#include "inputs/state/path_table.h"
#include "inputs/state/stamp.h"

namespace hipcache::inputs {

// What was seen at each path, shared by several questions about the same paths at one moment: states of overlapping
// path sets, and the race guard of a state. Each path is looked at once, so all of them speak of the same file. Used by
// one thread.

class SharedStatSnapshot {
 public:
  // REQUIRES: called before names of the order are used.
  void keep(std::shared_ptr<const PathOrder> order) {
    stats_.reserve(stats_.size() + order->slots.size());
    orders_.push_back(std::move(order));
  }

  // Kind::unseen at first.
  PathStat& stat_of(const Name& name) { return stats_[&name]; }

  // A file's content, computed by `digest` at the first call; nullopt if the file cannot be read.
  template <typename Digests>
  const std::optional<FileDigest>& content(const Name& name, Digests digest) {
    const auto [entry, is_new] = contents_.try_emplace(&name);
    if (is_new) entry->second = digest();
    return entry->second;
  }

  // What was seen at each path; valid until the next look. Omits paths whose content was read: the file may have
  // changed between the look and the reading.
  std::unordered_map<std::string_view, const PathStat*> settled() const {
    std::unordered_map<std::string_view, const PathStat*> by_path;
    by_path.reserve(stats_.size());
    for (const auto& [name, seen] : stats_) {
      const auto content = contents_.find(name);
      const bool was_read = content != contents_.end() && (!content->second || content->second->was_read);
      if (seen.kind != PathStat::Kind::unseen && !was_read) by_path.emplace(name->path(), &seen);
    }
    return by_path;
  }

  // The digest of each path whose content could be read.
  std::unordered_map<std::string_view, FileDigest> contents() const {
    std::unordered_map<std::string_view, FileDigest> by_path;
    for (const auto& [name, content] : contents_)
      if (content) by_path.emplace(name->path(), *content);
    return by_path;
  }

  // The first path that was there and whose stamp the predicate holds for; "" if there is none.
  template <typename Predicate>
  std::string first_with(Predicate holds) const {
    for (const auto& [name, seen] : stats_)
      if (seen.kind == PathStat::Kind::there && holds(seen.stamp)) return name->path();
    return "";
  }

  // What the answers about libraries were made from, the last ones if there were several; null: none, or not
  // understood.
  std::shared_ptr<const LoaderCache> loader_cache;

 private:
  std::vector<std::shared_ptr<const PathOrder>> orders_;
  std::unordered_map<const Name*, PathStat> stats_;
  std::unordered_map<const Name*, std::optional<FileDigest>> contents_;
};

// What readlink or realpath returns: a path, or an errno (EINVAL: no link).
struct Led {
  int error = 0;
  std::string to;
};

class SharedStatSnapshot;

class StatSnapshot {
 public:
  // `now_ns` must be read before the first look. `shared`, if given, holds what other snapshots have seen already.
  // REQUIRES: the arguments outlive this object.
  StatSnapshot(const PathOrder& order, std::uint64_t now_ns, Mounts& mounts, Effort& effort, SharedStatSnapshot* shared)
      : order_(order), now_ns_(now_ns), mounts_(mounts), effort_(effort), shared_(shared), stats_(order.slots.size()) {}

  const PathStat& at(std::uint32_t slot);

  // The link's target; EINVAL if the path is no link.
  Led link_at(std::uint32_t slot);
  // The path's realpath(3).
  const Led& real_path_at(std::uint32_t slot);
  // The first program in the list of `PathOrder::program_slots` that begins at `begin`; "" if there is none.
  std::string program_at(std::uint32_t begin);

 private:
  enum class Absence : std::uint8_t { unknown, proved };

  PathStat look(std::uint32_t slot);
  PathStat see(std::uint32_t slot);
  Absence proved_by_parent(const Slot& slot);
  void learn_absence(const Slot& slot);
  Led resolve(std::uint32_t slot);
  Led resolve_by_kernel(const std::string& path);
  int open_directory(std::uint32_t slot, const Stamp& expected);

  const PathOrder& order_;
  const std::uint64_t now_ns_;
  Mounts& mounts_;
  Effort& effort_;
  SharedStatSnapshot* const shared_;
  std::vector<PathStat> stats_;
  // The directory in which absences are being learned; neighbours in a set tend to share it.
  std::uint32_t open_slot_ = Slot::kNone;
  UniqueFd open_;
  std::unordered_map<std::uint32_t, Led> real_paths_;
};

}  // namespace hipcache::inputs

#endif
