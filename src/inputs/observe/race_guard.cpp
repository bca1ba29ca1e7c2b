#include "inputs/observe/race_guard.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/trace/seen.h"
#include "inputs/state/path_table.h"

namespace hipcache::inputs {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

bool is_since(const timespec& time, std::uint64_t started_ns) {
  return at_or_after(time.tv_sec * static_cast<std::int64_t>(kSecond) + time.tv_nsec, started_ns);
}

timespec time_of(std::int64_t ns) {
  constexpr auto kNs = static_cast<std::int64_t>(kSecond);
  return {.tv_sec = ns / kNs, .tv_nsec = ns % kNs};
}

bool content_changed(const std::string& path, std::uint64_t started_ns) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && is_since(status.st_ctim, started_ns);
}

bool is_changed_file(const PathStat& now, std::uint64_t started_ns) {
  return now.is_file() && (now.stamp.proves_nothing || at_or_after(now.stamp.ctime_ns, started_ns));
}

bool directory_changed(const std::string& path, std::uint64_t started_ns) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return is_since(status.st_ctim, started_ns) || is_since(status.st_mtim, started_ns);
}

bool link_changed(const std::string& path, std::uint64_t started_ns) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) && is_since(status.st_ctim, started_ns);
}

bool changed(Question question, const std::string& path, std::uint64_t started_ns) {
  switch (question) {
    case Question::content:
    case Question::tokens_in_place:
    case Question::tokens_in_order:
    case Question::tokens:
    case Question::size:
    case Question::size_and_time:
      return content_changed(path, started_ns);
    case Question::listing:
    case Question::rocm_listing:
    case Question::bitcode_listing:
      return directory_changed(path, started_ns);
    case Question::link:
      return link_changed(path, started_ns);
    default:
      return false;
  }
}

bool any_directory_changed(std::string_view path, std::uint64_t started_ns) {
  for (std::string_view parent = parent_spelling(path); !parent.empty(); parent = parent_spelling(parent))
    if (directory_changed(std::string(parent), started_ns)) return true;
  return false;
}

// A look may fail at an existing path: access(2) does, for a permission that nobody has. That explains the record only
// if neither the file nor a directory above it changed since the start.
bool failed_for_a_right(const std::string& path, std::uint64_t started_ns) {
  return ::access(path.c_str(), R_OK | W_OK | X_OK) != 0 && !content_changed(path, started_ns) &&
         !any_directory_changed(path, started_ns);
}

// Opening also fails if there is nothing to read from, as with a socket.
bool failed_to_open(const std::string& path, const struct stat& status) {
  return ::access(path.c_str(), R_OK) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

bool is_there_after_all(const trace::Record& record, const std::string& path, std::uint64_t started_ns) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return false;
  switch (record.kind) {
    case trace::Kind::open_read:
      return !failed_to_open(path, status);
    case trace::Kind::look:
      return !failed_for_a_right(path, started_ns);
    case trace::Kind::list:
      return S_ISDIR(status.st_mode) && ::access(path.c_str(), R_OK) == 0;
    default:
      return true;
  }
}

// The content is compared as well if the file's times prove nothing.
bool is_file_seen(std::uint64_t seen, const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 &&
         (trace::seen_file(status) == seen || trace::seen_with_content(path) == seen);
}

// The record does not say whether stat or lstat looked, so both identities are compared. No other entry has either.
bool is_entry_seen(std::uint64_t seen, const std::string& path) {
  struct stat status = {};
  return (::stat(path.c_str(), &status) == 0 && trace::seen_entry(status) == seen) ||
         (::lstat(path.c_str(), &status) == 0 && trace::seen_entry(status) == seen);
}

bool is_target_seen(std::uint64_t seen, const std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  return length >= 0 && trace::seen_text({target, static_cast<std::size_t>(length)}) == seen;
}

bool is_real_path_seen(std::uint64_t seen, const std::string& path, RealPaths& real_paths) {
  const std::optional<std::string> resolved = real_paths.of(path);
  return resolved && trace::seen_text(*resolved) == seen;
}

}  // namespace

bool at_or_after(std::int64_t time_ns, std::uint64_t started_ns) {
  if (time_ns % static_cast<std::int64_t>(kSecond) != 0) return time_ns >= static_cast<std::int64_t>(started_ns);
  return time_ns >= static_cast<std::int64_t>(started_ns - started_ns % kSecond);
}

struct stat status_of(const Stamp& stamp, mode_t mode) {
  struct stat status = {};
  status.st_mode = mode;
  status.st_dev = stamp.device;
  status.st_ino = stamp.inode;
  status.st_size = static_cast<off_t>(stamp.size);
  status.st_mtim = time_of(stamp.mtime_ns);
  status.st_ctim = time_of(stamp.ctime_ns);
  return status;
}

bool is_what_was_seen(const trace::Record& record, const std::string& absolute, RealPaths& real_paths) {
  if (!record.found || record.seen == 0) return true;
  switch (record.kind) {
    case trace::Kind::link:
      return is_target_seen(record.seen, absolute);
    case trace::Kind::real_path:
      return is_real_path_seen(record.seen, absolute, real_paths);
    case trace::Kind::look:
      return is_entry_seen(record.seen, absolute);
    default:
      return is_file_seen(record.seen, absolute);
  }
}

std::optional<Refusal> changed_alias(const Roots& roots, std::uint64_t started_ns) {
  for (const Root& root : roots.all()) {
    if (root.alias.empty()) continue;
    Refusal changed{Reason::input_changed, root.alias};
    if (resolved_path(root.alias) != root.path) return changed;
    for (std::string_view link = root.alias; !link.empty(); link = parent_spelling(link))
      if (link_changed(std::string(link), started_ns)) return changed;
  }
  return std::nullopt;
}

std::optional<Refusal> changed_since(const PathSet& set, const RunContext& from, std::uint64_t started_ns,
                                     const Seen& seen, const Excuse& is_excused) {
  for (const Observation& observation : set.observations()) {
    if (observation.question == Question::presence) continue;
    std::string path = from.path_of(observation.name);
    const auto now = asks_about_content(observation.question) ? seen.find(path) : seen.end();
    const bool has_changed =
        now == seen.end() ? changed(observation.question, path, started_ns) : is_changed_file(*now->second, started_ns);
    if (has_changed && !is_excused(observation.question, path)) return Refusal{Reason::input_changed, std::move(path)};
  }
  return std::nullopt;
}

Verdict compare(const trace::Record& record, const PathStat& now) {
  const bool opened = record.kind == trace::Kind::open_read || record.kind == trace::Kind::library ||
                      record.kind == trace::Kind::program;
  if (!opened && record.kind != trace::Kind::look) return Verdict::unclear;
  if (now.kind == PathStat::Kind::absent && !record.found) return Verdict::agrees;
  // lstat may have found a dangling link.
  if (now.kind == PathStat::Kind::absent) return opened ? Verdict::differs : Verdict::unclear;
  if (now.kind != PathStat::Kind::there || !record.found) return Verdict::unclear;
  if (record.seen == 0) return Verdict::agrees;
  if (opened && now.stamp.proves_nothing) return Verdict::unclear;
  if (opened)
    return trace::seen_file(status_of(now.stamp, now.mode)) == record.seen ? Verdict::agrees : Verdict::differs;
  return trace::seen_entry(status_of(now.stamp, now.mode)) == record.seen ? Verdict::agrees : Verdict::unclear;
}

bool contradicts_file_system(const trace::Record& record, const std::string& absolute, std::uint64_t started_ns) {
  struct stat status = {};
  const bool entry = ::lstat(absolute.c_str(), &status) == 0;  // lstat finds a dangling link too
  if (record.kind == trace::Kind::link) return record.found != (entry && S_ISLNK(status.st_mode));
  return record.found ? !entry : is_there_after_all(record, absolute, started_ns);
}

}  // namespace hipcache::inputs
