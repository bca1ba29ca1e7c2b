#include "inputs/state/stat_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <utility>

namespace hipcache::inputs {
namespace {

PathStat absent_stat() {
  PathStat absent;
  absent.kind = PathStat::Kind::absent;
  return absent;
}

Led read_link(int directory, const std::string& path, Effort& effort) {
  ++effort.links;
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(directory, path.c_str(), target, sizeof target);
  if (length < 0) return {errno, {}};
  return {0, std::string(target, static_cast<std::size_t>(length))};
}

bool is_program(const std::string& path, const PathStat& seen, Effort& effort) {
  if (!seen.is_file() || (seen.mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0) return false;
  ++effort.stats;
  return ::access(path.c_str(), X_OK) == 0;
}

Led led_by(Entry entry) {
  if (entry.kind == Entry::Kind::link) return {0, std::move(entry.target)};
  return {entry.kind == Entry::Kind::absent ? ENOENT : EINVAL, {}};
}

}  // namespace

const PathStat& StatSnapshot::at(std::uint32_t slot) {
  if (stats_[slot].kind == PathStat::Kind::unseen) stats_[slot] = look(slot);
  return stats_[slot];
}

PathStat StatSnapshot::look(std::uint32_t slot) {
  if (shared_ == nullptr) return see(slot);
  PathStat& shared = shared_->stat_of(*order_.slots[slot].name);
  if (shared.kind == PathStat::Kind::unseen) shared = see(slot);
  return shared;
}

PathStat StatSnapshot::see(std::uint32_t index) {
  const Slot& slot = order_.slots[index];
  if (slot.name->was_absent() && proved_by_parent(slot) == Absence::proved) return absent_stat();
  PathStat seen = stat_path(slot.name->path().c_str(), mounts_, effort_);
  slot.name->note_absent(seen.kind == PathStat::Kind::absent);
  if (seen.kind == PathStat::Kind::absent) learn_absence(slot);
  return seen;
}

// A path is absent if its parent is absent or no directory. It is absent too if the parent still has the stamp for
// which the absence was learned.
StatSnapshot::Absence StatSnapshot::proved_by_parent(const Slot& slot) {
  if (slot.parent == Slot::kNone) return Absence::unknown;
  const PathStat& parent = at(slot.parent);
  if (parent.kind == PathStat::Kind::absent) return Absence::proved;
  if (parent.kind != PathStat::Kind::there) return Absence::unknown;
  if (!S_ISDIR(parent.mode)) return Absence::proved;
  return slot.name->known_absent_from(parent.stamp) ? Absence::proved : Absence::unknown;
}

// Through a descriptor, so that the stamp and the missing entry belong to one directory even if the path is being
// moved. By lstat: a dangling link is an entry, and its target may appear elsewhere.
void StatSnapshot::learn_absence(const Slot& slot) {
  if (slot.parent == Slot::kNone) return;
  const PathStat& parent = at(slot.parent);
  if (!parent.is_directory() || !is_settled(parent.stamp, now_ns_)) return;
  const int directory = open_directory(slot.parent, parent.stamp);
  if (directory < 0) return;
  ++effort_.stats;
  struct stat status = {};
  const std::string entry(slot.name->entry());
  if (::fstatat(directory, entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
    slot.name->learn(parent.stamp, {Entry::Kind::absent, {}});
}

// Learned through a descriptor of the directory, as absences are. A path that ends in a slash names the link's target,
// so it is no link.
Led StatSnapshot::link_at(std::uint32_t index) {
  const Slot& slot = order_.slots[index];
  const std::string& path = slot.name->path();
  if (slot.parent == Slot::kNone || path.back() == '/') return read_link(AT_FDCWD, path, effort_);
  const PathStat& parent = at(slot.parent);
  if (!parent.is_directory()) return read_link(AT_FDCWD, path, effort_);
  Entry known = slot.name->known_in(parent.stamp);
  if (known.kind != Entry::Kind::unknown) return led_by(std::move(known));
  const int directory = is_settled(parent.stamp, now_ns_) ? open_directory(slot.parent, parent.stamp) : -1;
  if (directory < 0) return read_link(AT_FDCWD, path, effort_);
  Led led = read_link(directory, std::string(slot.name->entry()), effort_);
  if (led.error == 0) slot.name->learn(parent.stamp, {Entry::Kind::link, led.to});
  if (led.error == EINVAL) slot.name->learn(parent.stamp, {Entry::Kind::no_link, {}});
  return led;
}

const Led& StatSnapshot::real_path_at(std::uint32_t slot) {
  if (auto at = real_paths_.find(slot); at != real_paths_.end()) return at->second;
  return real_paths_.emplace(slot, resolve(slot)).first->second;
}

std::string StatSnapshot::program_at(std::uint32_t begin) {
  for (std::uint32_t at = begin; order_.program_slots[at] != Slot::kNone; ++at) {
    const std::uint32_t slot = order_.program_slots[at];
    const std::string& path = order_.slots[slot].name->path();
    if (is_program(path, this->at(slot), effort_)) return path;
  }
  return "";
}

// The parent's real path plus the entry's name if the entry is no link. Otherwise the kernel resolves the path.
Led StatSnapshot::resolve(std::uint32_t index) {
  const Slot& slot = order_.slots[index];
  const std::string& path = slot.name->path();
  const std::string_view entry = slot.name->entry();
  if (slot.parent == Slot::kNone || path.back() == '/' || entry == "." || entry == "..") return resolve_by_kernel(path);
  if (link_at(index).error != EINVAL) return resolve_by_kernel(path);
  Led led = real_path_at(slot.parent);
  if (led.error != 0) return led;
  if (led.to != "/") led.to += '/';
  led.to += entry;
  return led.to.size() < PATH_MAX ? led : Led{ENAMETOOLONG, {}};
}

Led StatSnapshot::resolve_by_kernel(const std::string& path) {
  ++effort_.links;
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) == nullptr) return {errno, {}};
  return {0, resolved};
}

int StatSnapshot::open_directory(std::uint32_t slot, const Stamp& expected) {
  if (open_slot_ == slot) return open_.get();
  open_slot_ = slot;
  open_.reset(::open(order_.slots[slot].name->path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  FileStatus status;
  ++effort_.stats;
  if (!open_ || mounts_.look(open_.get(), "", AT_EMPTY_PATH, status) != 0 || status.stamp != expected) open_.reset();
  return open_.get();
}

}  // namespace hipcache::inputs
