// What was seen at each path, shared by several questions about the same paths at one moment: states of overlapping
// path sets, and the race guard of a state. Each path is looked at once, so all of them speak of the same file. Used by
// one thread.
#ifndef HIPCACHE_SRC_INPUTS_STATE_SHARED_STAT_SNAPSHOT_H
#define HIPCACHE_SRC_INPUTS_STATE_SHARED_STAT_SNAPSHOT_H

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inputs/loader/loader_cache.h"
#include "inputs/state/digests.h"
#include "inputs/state/path_stat.h"
#include "inputs/state/path_table.h"

namespace hipcache::inputs {

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

}  // namespace hipcache::inputs

#endif
