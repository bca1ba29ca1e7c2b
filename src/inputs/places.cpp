#include "inputs/places.h"

#include <limits.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

bool is_normal(std::string_view path) {
  return path.find("//") == std::string_view::npos && path.find("/.") == std::string_view::npos;
}

std::vector<std::string_view> components(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
  }
  return parts;
}

// "/proc/self/cwd/x", "/proc/12/root", "/proc/self/fd/3", "/dev/fd/3", "/dev/stdin"
bool leads_through_a_process(const std::string& path) {
  if (is_within(path, "/dev/fd") || path == "/dev/stdin") return true;
  if (!is_within(path, "/proc")) return false;
  const std::vector<std::string_view> parts = components(path);
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part == "fd" || part == "cwd" || part == "root" || part == "map_files";
  });
}

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? std::string(resolved) : path;
}

}  // namespace

std::string normal_spelling(std::string_view path) {
  if (is_normal(path)) return std::string(path);
  std::string normal;
  for (std::string_view part : components(path)) normal.append("/").append(part);
  return normal.empty() ? "/" : normal;
}

Places::Places(const std::string& own_directory)
    : spelled_(normal_spelling(own_directory)), real_(real_path(own_directory)) {}

Place Places::of(std::string_view absolute) const {
  const std::string path = normal_spelling(absolute);
  if (is_within(path, spelled_) || is_within(path, real_)) return Place::own;
  if (leads_through_a_process(path)) return Place::process;
  const bool system = is_within(path, "/proc") || (is_within(path, "/dev") && !is_within(path, "/dev/shm"));
  return system ? Place::system : Place::world;
}

bool is_sink(std::string_view absolute) {
  constexpr std::array<std::string_view, 5> kSinks = {"/dev/null", "/dev/tty", "/dev/full", "/dev/stdout",
                                                      "/dev/stderr"};
  const std::string path = normal_spelling(absolute);
  return std::find(kSinks.begin(), kSinks.end(), path) != kSinks.end() || is_within(path, "/dev/pts");
}

}  // namespace hipcache::inputs
