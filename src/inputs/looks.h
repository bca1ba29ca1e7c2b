// What was seen at each path, for those who ask several things about the same paths at one moment: states of sets that
// overlap, and the race guard about the state that it guards. So each path is looked at once, and all of them mean the
// same file. Used by one thread.
#ifndef HIPCACHE_INPUTS_LOOKS_H
#define HIPCACHE_INPUTS_LOOKS_H

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inputs/digests.h"
#include "inputs/glance.h"
#include "inputs/names.h"

namespace hipcache::inputs {

class Looks {
 public:
  // To be told before names of the plan are used.
  void keep(std::shared_ptr<const Plan> plan) {
    sights_.reserve(sights_.size() + plan->slots.size());
    plans_.push_back(std::move(plan));
  }

  // Unseen at first.
  Sight& sight(const Name& name) { return sights_[&name]; }

  // Of a file, by what `digest` makes of it the first time; nothing if it cannot be read.
  template <typename Digests>
  const std::optional<FileDigest>& content(const Name& name, Digests digest) {
    const auto [entry, is_new] = contents_.try_emplace(&name);
    if (is_new) entry->second = digest();
    return entry->second;
  }

  // What was seen at a path, for as long as no more is looked at; null where nobody looked, or what was there was read:
  // then it may have changed between the look and the reading.
  std::unordered_map<std::string_view, const Sight*> settled() const {
    std::unordered_map<std::string_view, const Sight*> by_path;
    by_path.reserve(sights_.size());
    for (const auto& [name, sight] : sights_) {
      const auto content = contents_.find(name);
      const bool was_read = content != contents_.end() && (!content->second || content->second->was_read);
      if (sight.kind != Sight::Kind::unseen && !was_read) by_path.emplace(name->path(), &sight);
    }
    return by_path;
  }

  // Of each path whose content could be digested, that digest.
  std::unordered_map<std::string_view, FileDigest> contents() const {
    std::unordered_map<std::string_view, FileDigest> by_path;
    for (const auto& [name, content] : contents_)
      if (content) by_path.emplace(name->path(), *content);
    return by_path;
  }

 private:
  std::vector<std::shared_ptr<const Plan>> plans_;
  std::unordered_map<const Name*, Sight> sights_;
  std::unordered_map<const Name*, std::optional<FileDigest>> contents_;
};

}  // namespace hipcache::inputs

#endif
