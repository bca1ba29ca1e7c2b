#include "daemon/audit/evidence.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

constexpr const char* kDirectory = "audit";
constexpr std::size_t kDigits = 12;  // of the time and of the number, so that names sort by age

std::string padded(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
}

std::uint64_t seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

Status write_file(const OwnDirectory& directory, const std::string& name, const std::string& bytes) {
  const Result<UniqueFd> file = directory.open_file(name, O_WRONLY | O_CREAT | O_EXCL);
  return file ? write_all(file->get(), bytes, join_path(directory.path(), name)) : Status(file.error());
}

// Writes a side if there is room for it.
Status write_side(const OwnDirectory& directory, const std::string& name, const std::optional<std::string>& bytes,
                  std::uint64_t& room) {
  if (!bytes || bytes->size() > room) return done();
  room -= bytes->size();
  return write_file(directory, name, *bytes);
}

}  // namespace

std::string AuditEvidence::keep(const Digest& key, const std::string& report, const std::vector<Pair>& pairs) {
  if (parent_ == nullptr) return "";
  const std::lock_guard lock(mutex_);
  Result<std::string> path = write(key, report, pairs);
  if (path) return std::move(*path);
  log_.warning("the evidence of an audit is not kept: " + path.error().message);
  return "";
}

Result<std::string> AuditEvidence::write(const Digest& key, const std::string& report, const std::vector<Pair>& pairs) {
  const Result<OwnDirectory> all = parent_->open_or_make_below(kDirectory);
  if (!all) return all.error();
  if (Status room = make_room(*all); !room) return room.error();
  const Result<OwnDirectory> directory =
      all->open_or_make_below(padded(seconds_now()) + "-" + padded(next_++) + "-" + key.shown());
  if (!directory) return directory.error();
  if (Status written = write_file(*directory, "report", report); !written) return written.error();
  std::uint64_t room = kMostBytes;
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const std::string number = std::to_string(at);
    if (Status written = write_side(*directory, number + "-stored", pairs[at].stored, room); !written)
      return written.error();
    if (Status written = write_side(*directory, number + "-made", pairs[at].made, room); !written)
      return written.error();
  }
  return directory->path();
}

// Removes the oldest, so that one more has room.
Status AuditEvidence::make_room(const OwnDirectory& all) {
  const Result<std::vector<std::string>> names = list_directory(all.anchored());
  if (!names) return names.error();
  for (std::size_t at = 0; at + kMostDirectories <= names->size(); ++at)
    if (Status removed = remove_tree(join_path(all.anchored(), (*names)[at])); !removed) return removed;
  return done();
}

}  // namespace hipcache::daemon
