#include "daemon/request/request_directory.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/stream_marks.h"

namespace hipcache::daemon {

namespace {

// Enough for the outputs of most requests. With larger outputs the steps fail, and the compiler runs by itself.
constexpr std::uint64_t kRoom = 32u << 20;

bool has_room(const std::string& directory) {
  struct statvfs status{};
  if (statvfs(directory.c_str(), &status) != 0) return false;
  return status.f_bavail * status.f_frsize >= kRoom && (status.f_files == 0 || status.f_favail > 0);
}

Result<std::string> make_unique(std::string path) {
  if (mkdtemp(path.data()) == nullptr) return system_error("cannot make a temporary directory:", path);
  return path;
}

// "<number>.trace" and similar: files of the step runner and of the trace library (src/trace/preload/then.c). Into
// "<number>.worker" hipcache-remote may write while nobody waits for it any more.
bool is_of_the_runner(const std::string& name) {
  if (name == HIPCACHE_TERMINALS) return true;
  const std::size_t dot = name.find_first_not_of("0123456789");
  if (dot == 0 || dot == std::string::npos) return false;
  const std::string ending = name.substr(dot);
  return ending == ".trace" || ending.starts_with(".trace.") || ending == ".stdout" || ending == ".stderr" ||
         ending.starts_with(".worker/");
}

bool is_file(const std::string& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

}  // namespace

Result<RequestDirectory> RequestDirectory::make(const std::string& parent, const std::string& fallback) {
  if (!has_room(parent) && has_room(fallback))
    // Resolved, because a trace has the paths that programs use, and some programs resolve links.
    if (Result<std::string> path = make_unique(real_path(fallback) + "/hipcache-XXXXXX"))
      return RequestDirectory(std::move(*path));
  Result<std::string> path = make_unique(parent + "/XXXXXX");
  if (!path) return path.error();
  return RequestDirectory(std::move(*path));
}

RequestDirectory::~RequestDirectory() {
  if (path_.empty()) return;
  // The next daemon removes what cannot be removed now.
  [[maybe_unused]] const Status removed = remove_tree(path_);
}

void RequestDirectory::add_names_in(const std::vector<std::string>& arguments, std::set<std::string>& names) const {
  for (const std::string& argument : arguments) {
    const std::size_t at = argument.find(path_ + "/");
    if (at != std::string::npos) names.insert(argument.substr(at + path_.size() + 1));
  }
}

bool RequestDirectory::is_lost(const std::string& path, const std::set<std::string>& known) const {
  if (path == path_ || !is_within(path, path_)) return false;
  const std::string name = path.substr(path_.size() + 1);
  return !known.contains(name) && !is_of_the_runner(name) && is_file(path);
}

// A process that was left behind may remove its files meanwhile.
std::optional<inputs::Refusal> RequestDirectory::lost_file(const std::set<std::string>& known) const {
  namespace fs = std::filesystem;
  constexpr int kAttempts = 10;
  std::error_code failed = std::make_error_code(std::errc::no_such_file_or_directory);
  for (int i = 0; i < kAttempts && failed == std::errc::no_such_file_or_directory; ++i) {
    failed.clear();
    for (fs::recursive_directory_iterator entry(path_, failed), end; !failed && entry != end; entry.increment(failed))
      if (is_lost(entry->path().string(), known))
        return inputs::Refusal{Reason::writes_more_than_known, entry->path().string().substr(path_.size() + 1)};
  }
  if (!failed) return std::nullopt;
  return inputs::Refusal{Reason::no_temporary_directory, "cannot list " + path_ + ": " + failed.message()};
}

}  // namespace hipcache::daemon
