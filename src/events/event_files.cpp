#include "hipcache/events/event_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/events/event_log.h"

namespace hipcache::events {
namespace {

constexpr std::uint64_t kMostRead = 4ull << 30;  // bytes of a file

// An empty descriptor if the file is missing.
Result<UniqueFd> open_if_there(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (!file && errno == ENOENT) return UniqueFd();
  if (!file || fstat(file.get(), &status) != 0) return system_error("cannot read", path);
  if (!S_ISREG(status.st_mode)) return Error{path + " is not a regular file"};
  return file;
}

bool are_one_file(const UniqueFd& one, const UniqueFd& other) {
  struct stat first{}, second{};
  return one && other && fstat(one.get(), &first) == 0 && fstat(other.get(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

Status read_into(ReadEvents& into, const UniqueFd& file, const std::string& path) {
  if (!file) return done();
  const Result<std::string> text = read_fd(file.get(), kMostRead, path);
  if (!text) return text.error();
  read_events(*text, into);
  return done();
}

}  // namespace

void read_events(std::string_view text, ReadEvents& into) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    Result<Event> event = from_line(line);
    if (event)
      into.events.push_back(std::move(*event));
    else
      ++into.damaged;
  }
}

// Opens the newer file first: if the daemon renames it meanwhile, it is found twice and not never.
Result<ReadEvents> read_event_files(const std::string& directory) {
  const std::string newer = join_path(directory, kNewerFile);
  const std::string older = join_path(directory, kOlderFile);
  const Result<UniqueFd> new_file = open_if_there(newer);
  if (!new_file) return new_file.error();
  const Result<UniqueFd> old_file = open_if_there(older);
  if (!old_file) return old_file.error();
  ReadEvents read;
  if (!are_one_file(*new_file, *old_file))
    if (Status taken = read_into(read, *old_file, older); !taken) return taken.error();
  if (Status taken = read_into(read, *new_file, newer); !taken) return taken.error();
  return read;
}

}  // namespace hipcache::events
