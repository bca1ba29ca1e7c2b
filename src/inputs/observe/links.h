// The symbolic links that lead to a path: the links among its components, and in turn those of each link's target.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_LINKS_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_LINKS_H

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "inputs/rules/path_class.h"

namespace hipcache::inputs {

// The real paths of many files in few directories; each directory is resolved once. The results are of this object's
// lifetime: for later results, use a new object. Used by one thread.

class RealPaths {
 public:
  // As realpath(3); nullopt if that fails. REQUIRES: `path` is absolute.
  std::optional<std::string> of(const std::string& path);

 private:
  const std::optional<std::string>& of_directory(const std::string& path);

  std::unordered_map<std::string, std::optional<std::string>> directories_;
};

class LinksOnTheWay {
 public:
  // REQUIRES: the arguments outlive this object.
  LinksOnTheWay(const RunContext& from, const PathClassifier& classifier) : from_(from), classifier_(classifier) {}

  void add_all_on(std::string_view path);
  void add_all_above(std::string_view path);  // for a path that is known to be no link itself
  void add_link(std::string_view path);       // for a path that is known to be a link; no other one

  // Adds a question for each link, under a name as relative as the path that led there.
  void append_to(std::vector<Observation>& out) const;

 private:
  static constexpr std::size_t kMaxNames = 200'000;  // bounds links that lead ever deeper; no tool follows that many

  const RunContext& from_;
  const PathClassifier& classifier_;
  std::unordered_set<std::string> seen_;
  std::set<std::string> links_;
};

}  // namespace hipcache::inputs

#endif
