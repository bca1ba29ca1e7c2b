#include "inputs/observe/links.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include <optional>

#include "hipcache/base/files.h"
#include "inputs/state/path_table.h"

namespace hipcache::inputs {

namespace {

bool is_no_link(const std::string& path) {
  char target[1];
  return ::readlink(path.c_str(), target, sizeof target) < 0 && errno == EINVAL;
}

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

std::optional<std::string> RealPaths::of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string entry = slash == std::string::npos ? "" : path.substr(slash + 1);
  if (slash == 0 || entry.empty() || entry == "." || entry == "..") return resolved_path(path);
  const std::optional<std::string>& directory = of_directory(path.substr(0, slash));
  if (!directory) return std::nullopt;
  std::string name = (*directory == "/" ? "" : *directory) + "/" + entry;
  return name.size() < PATH_MAX && is_no_link(name) ? name : resolved_path(path);
}

const std::optional<std::string>& RealPaths::of_directory(const std::string& path) {
  const auto [at, is_new] = directories_.try_emplace(path);
  if (is_new) at->second = resolved_path(path);
  return at->second;
}

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

void LinksOnTheWay::add_link(std::string_view path) {
  if (classifier_.of(join_path(from_.working_directory, path)) == PathClass::input) links_.emplace(path);
}

void LinksOnTheWay::append_to(std::vector<Observation>& out) const {
  for (const std::string& link : links_) out.push_back({Question::link, link});
}

}  // namespace hipcache::inputs
