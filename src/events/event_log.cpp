#include "hipcache/events/event_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/events/event.h"

namespace hipcache::events {

namespace {

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string hex(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return {digits.data(), written.ptr};
}

// The longest beginning of whole lines that has at most `room` bytes.
std::string_view lines_within(std::string_view lines, std::uint64_t room) {
  if (lines.size() <= room) return lines;
  const std::size_t last = room == 0 ? std::string_view::npos : lines.rfind('\n', static_cast<std::size_t>(room - 1));
  return lines.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// A daemon that was killed, or a full disk, may have left a part of a line.
bool ends_within_line(int fd, std::uint64_t size) {
  char last = '\n';
  return size > 0 && pread(fd, &last, 1, static_cast<off_t>(size - 1)) == 1 && last != '\n';
}

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
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.empty()) continue;
    Result<Event> event = from_line(line);
    if (event)
      into.events.push_back(std::move(*event));
    else
      ++into.damaged;
  }
  return done();
}

}  // namespace

EventLog::EventLog(const OwnDirectory* directory, std::uint64_t limit, Log& log)
    : directory_(directory), limit_(directory == nullptr ? 0 : limit), log_(log), made_at_(hex(now_us())) {
  if (directory_ == nullptr || limit_ > 0) return;
  for (const char* name : {kNewerFile, kOlderFile}) unlinkat(directory_->fd(), name, 0);
}

std::string EventLog::new_id() { return made_at_ + "-" + hex(++ids_); }

void EventLog::add(std::string_view lines) {
  if (!is_on()) return;
  const std::scoped_lock lock(mutex_);
  if (lines.size() > kMostWaiting - waiting_.size()) {
    counts_.dropped += lines_in(lines);
    return;
  }
  waiting_ += lines;
}

void EventLog::flush() {
  const std::scoped_lock turn(writing_);
  std::string lines;
  {
    const std::scoped_lock lock(mutex_);
    std::swap(lines, waiting_);
  }
  if (!lines.empty()) write(lines);
}

// Fills the newer file to half of the limit, and goes on in the next one.
void EventLog::write(std::string_view lines) {
  const std::uint64_t most = std::max<std::uint64_t>(limit_ / 2, 1);
  LogCounts counted;
  while (!lines.empty()) {
    struct stat status{};
    const bool is_there = fstatat(directory_->fd(), kNewerFile, &status, AT_SYMLINK_NOFOLLOW) == 0;
    const std::uint64_t size = is_there ? static_cast<std::uint64_t>(status.st_size) : 0;
    const std::string_view now = lines_within(lines, most - std::min(size, most));
    if (now.empty() && size == 0) {
      lines.remove_prefix(lines.find('\n') + 1);
      ++counted.dropped;
      continue;
    }
    if (Status done = now.empty() ? rotate() : append(now); !done) {
      counted.failed += lines_in(lines);
      log_.warning(std::to_string(counted.failed) + " lines of the event log are lost: " + done.error().message);
      break;
    }
    counted.written += lines_in(now);
    lines.remove_prefix(now.size());
  }
  const std::scoped_lock lock(mutex_);
  counts_.written += counted.written;
  counts_.dropped += counted.dropped;
  counts_.failed += counted.failed;
}

// Opens the file each time, because the user may remove it. All lines are written, or none.
Status EventLog::append(std::string_view lines) {
  const Result<UniqueFd> file = directory_->open_file(kNewerFile, O_RDWR | O_CREAT | O_APPEND);
  if (!file) return file.error();
  struct stat status{};
  if (fstat(file->get(), &status) != 0) return system_error("cannot look at", kNewerFile);
  Status written = done();
  if (ends_within_line(file->get(), static_cast<std::uint64_t>(status.st_size)))
    written = write_all(file->get(), "\n", kNewerFile);
  if (written) written = write_all(file->get(), lines, kNewerFile);
  if (written) return written;
  // If that fails as well, the next append() ends the line.
  [[maybe_unused]] const int cut = ftruncate(file->get(), status.st_size);
  return written;
}

Status EventLog::rotate() {
  if (renameat(directory_->fd(), kNewerFile, directory_->fd(), kOlderFile) == 0) return done();
  return system_error("cannot rename", kNewerFile);
}

LogCounts EventLog::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
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
