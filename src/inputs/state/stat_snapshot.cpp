#include "inputs/state/stat_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "inputs/state/shared_stat_snapshot.h"

namespace hipcache::inputs {
namespace {

Sight absent_sight() {
  Sight sight;
  sight.kind = Sight::Kind::absent;
  return sight;
}

Led read_link(int directory, const std::string& path, Effort& effort) {
  ++effort.links;
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(directory, path.c_str(), target, sizeof target);
  if (length < 0) return {errno, {}};
  return {0, std::string(target, static_cast<std::size_t>(length))};
}

Led led_by(Entry entry) {
  if (entry.kind == Entry::Kind::link) return {0, std::move(entry.target)};
  return {entry.kind == Entry::Kind::absent ? ENOENT : EINVAL, {}};
}

}  // namespace

Sight look_at(const char* path, Effort& effort) {
  ++effort.stats;
  Sight sight;
  struct stat status = {};
  if (::stat(path, &status) == 0) {
    sight.kind = Sight::Kind::there;
    sight.mode = status.st_mode;
    sight.stamp = stamp_of(status);
  } else if (errno == ENOENT || errno == ENOTDIR) {
    sight.kind = Sight::Kind::absent;
  } else {
    sight.kind = Sight::Kind::error;
    sight.error = errno;
  }
  return sight;
}

const Sight& Glance::at(std::uint32_t slot) {
  if (sights_[slot].kind == Sight::Kind::unseen) sights_[slot] = look(slot);
  return sights_[slot];
}

Sight Glance::look(std::uint32_t slot) {
  if (looks_ == nullptr) return see(slot);
  Sight& shared = looks_->sight(*plan_.slots[slot].name);
  if (shared.kind == Sight::Kind::unseen) shared = see(slot);
  return shared;
}

Sight Glance::see(std::uint32_t index) {
  const Slot& slot = plan_.slots[index];
  if (slot.name->was_absent() && proved_by_parent(slot) == Absence::proved) return absent_sight();
  Sight sight = look_at(slot.name->path().c_str(), effort_);
  slot.name->note_absent(sight.kind == Sight::Kind::absent);
  if (sight.kind == Sight::Kind::absent) learn_absence(slot);
  return sight;
}

// A path is absent if its parent is absent or no directory. It is absent too if the parent still has the stamp for
// which the absence was learned.
Glance::Absence Glance::proved_by_parent(const Slot& slot) {
  if (slot.parent == Slot::kNone) return Absence::unknown;
  const Sight& parent = at(slot.parent);
  if (parent.kind == Sight::Kind::absent) return Absence::proved;
  if (parent.kind != Sight::Kind::there) return Absence::unknown;
  if (!S_ISDIR(parent.mode)) return Absence::proved;
  return slot.name->known_absent_from(parent.stamp) ? Absence::proved : Absence::unknown;
}

// Through a descriptor, so that the stamp and the missing entry belong to one directory even if the path is being
// moved. By lstat: a dangling link is an entry, and its target may appear elsewhere.
void Glance::learn_absence(const Slot& slot) {
  if (slot.parent == Slot::kNone) return;
  const Sight& parent = at(slot.parent);
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
Led Glance::link_at(std::uint32_t index) {
  const Slot& slot = plan_.slots[index];
  const std::string& path = slot.name->path();
  if (slot.parent == Slot::kNone || path.back() == '/') return read_link(AT_FDCWD, path, effort_);
  const Sight& parent = at(slot.parent);
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

const Led& Glance::real_path_at(std::uint32_t slot) {
  if (auto at = real_paths_.find(slot); at != real_paths_.end()) return at->second;
  return real_paths_.emplace(slot, resolve(slot)).first->second;
}

// The parent's real path plus the entry's name if the entry is no link. Otherwise the kernel resolves the path.
Led Glance::resolve(std::uint32_t index) {
  const Slot& slot = plan_.slots[index];
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

Led Glance::resolve_by_kernel(const std::string& path) {
  ++effort_.links;
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) == nullptr) return {errno, {}};
  return {0, resolved};
}

int Glance::open_directory(std::uint32_t slot, const Stamp& expected) {
  if (open_slot_ == slot) return open_.get();
  open_slot_ = slot;
  open_.reset(::open(plan_.slots[slot].name->path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat status = {};
  ++effort_.stats;
  if (!open_ || ::fstat(open_.get(), &status) != 0 || stamp_of(status) != expected || !keeps_stamps(open_.get()))
    open_.reset();
  return open_.get();
}

}  // namespace hipcache::inputs
