#include "inputs/observe/links.h"

#include <limits.h>
#include <unistd.h>

#include <optional>

#include "hipcache/base/files.h"
#include "inputs/state/path_table.h"

namespace hipcache::inputs {
namespace {

std::optional<std::string> target_of(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length < 0) return std::nullopt;
  return std::string(target, static_cast<std::size_t>(length));
}

// The name of the link's target, relative to the same directory as the link's own name.
std::string name_of_target(const std::string& link, const std::string& target) {
  const std::string_view parent = parent_spelling(link);
  return parent.empty() ? target : join_path(parent, target);
}

}  // namespace

void LinksOnTheWay::add_all_on(std::string_view path) {
  std::vector<std::string> pending{std::string(path)};
  while (!pending.empty() && seen_.size() < kMaxNames) {
    std::string name = std::move(pending.back());
    pending.pop_back();
    if (name.empty() || !seen_.insert(name).second) continue;
    pending.emplace_back(parent_spelling(name));
    const std::string absolute = join_path(from_.working_directory, name);
    const std::optional<std::string> target = target_of(absolute);
    if (!target || classifier_.of(absolute) != PathClass::input) continue;
    pending.push_back(name_of_target(name, *target));
    links_.insert(std::move(name));
  }
}

void LinksOnTheWay::add_all_above(std::string_view path) {
  if (seen_.emplace(path).second) add_all_on(parent_spelling(path));
}

void LinksOnTheWay::add_if_link(std::string_view path) {
  const std::string absolute = join_path(from_.working_directory, path);
  if (target_of(absolute) && classifier_.of(absolute) == PathClass::input) links_.emplace(path);
}

void LinksOnTheWay::append_to(std::vector<Observation>& out) const {
  for (const std::string& link : links_) out.push_back({Question::link, link});
}

}  // namespace hipcache::inputs
