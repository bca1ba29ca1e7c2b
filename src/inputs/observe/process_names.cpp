#include "inputs/observe/process_names.h"

#include <limits.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "inputs/rules/path_class.h"

namespace hipcache::inputs {
namespace {

using Leads = ProcessNames::Leads;
using Meaning = ProcessNames::Meaning;

constexpr int kLinksFollowed = 40;  // as the kernel

// "/proc/self", "/proc/12": a link that only names a process, or its directory.
bool is_process_itself(std::string_view path) { return is_of_a_process(path) && directory_name(path) == "/proc"; }

bool is_working_directory(std::string_view path) { return path == "/proc/self/cwd" || path == "/proc/thread-self/cwd"; }

}  // namespace

Meaning ProcessNames::of(const std::string& absolute, bool follows) {
  return resolve(absolute, follows, kLinksFollowed);
}

Meaning ProcessNames::resolve(const std::string& absolute, bool follows, int links_left) {
  const std::size_t slash = absolute.rfind('/');
  if (slash == std::string::npos) return {Leads::unknown, ""};
  if (links_left == 0) return {Leads::elsewhere, absolute};  // the kernel follows no more, so nothing was there
  const Meaning directory = slash == 0 ? Meaning{} : of_directory(absolute.substr(0, slash), links_left);
  return below(directory, absolute.substr(slash + 1), follows, links_left);
}

Meaning ProcessNames::of_directory(const std::string& absolute, int links_left) {
  if (const auto known = directories_.find(absolute); known != directories_.end()) return known->second;
  return directories_[absolute] = resolve(absolute, true, links_left);
}

Meaning ProcessNames::below(const Meaning& directory, const std::string& entry, bool follows, int links_left) {
  if (directory.leads == Leads::unknown || entry.empty() || entry == ".") return directory;
  if (entry == ".." && directory.leads == Leads::from_directory)
    return {Leads::from_directory, std::string(directory_name(directory.path))};
  Meaning name{directory.leads, directory.path + "/" + entry};
  const bool may_be_special = name.path.find("/proc/") != name.path.npos || name.path.find("/dev/") != name.path.npos;
  const std::string normal = may_be_special ? normal_path(name.path) : name.path;
  if (is_working_directory(normal)) return {Leads::from_directory, working_directory_};
  if (is_of_a_process(normal) || is_inherited_descriptor(normal))
    return {is_process_itself(normal) ? name.leads : Leads::unknown, normal};
  if (!follows) return name;
  char target[PATH_MAX];
  const ssize_t length = ::readlink(name.path.c_str(), target, sizeof target);
  if (length <= 0) return name;
  const std::string led = join_path(directory.path.empty() ? "/" : directory.path,
                                    std::string_view(target, static_cast<std::size_t>(length)));
  const Meaning meaning = resolve(led, true, links_left - 1);
  const bool is_through_process = meaning.leads != Leads::elsewhere || is_of_a_process(meaning.path);
  return is_through_process ? meaning : name;
}

}  // namespace hipcache::inputs
