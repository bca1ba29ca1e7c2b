#include "hipcache/base/descriptor_path.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/path_names.h"

namespace hipcache {
namespace {

constexpr int kLinksFollowed = 8;

}  // namespace

bool is_descriptor_path(std::string_view absolute) {
  const std::vector<std::string_view> parts = path_names(absolute);
  if (parts.size() < 2) return false;
  if (parts[0] == "dev") return parts[1] == "fd" || parts[1] == "stdin";
  return parts[0] == "proc" && std::find(parts.begin() + 2, parts.end(), "fd") != parts.end();
}

bool leads_to_descriptor(std::string path) {
  for (int followed = 0; followed < kLinksFollowed; ++followed) {
    if (is_descriptor_path(path)) return true;
    std::array<char, PATH_MAX> target;
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0) return false;
    path = join_path(directory_name(path), std::string_view(target.data(), static_cast<std::size_t>(length)));
  }
  return false;
}

}  // namespace hipcache
