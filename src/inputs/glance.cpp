#include "inputs/glance.h"

#include <errno.h>
#include <fcntl.h>

#include "inputs/looks.h"

namespace hipcache::inputs {
namespace {

Sight absent_sight() {
  Sight sight;
  sight.kind = Sight::Kind::absent;
  return sight;
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

// Nothing is in what is not there or is no directory; and a directory with an old stamp has still no entry of that
// name.
Glance::Absence Glance::proved_by_parent(const Slot& slot) {
  if (slot.parent == Slot::kNone) return Absence::unknown;
  const Sight& parent = at(slot.parent);
  if (parent.kind == Sight::Kind::absent) return Absence::proved;
  if (parent.kind != Sight::Kind::there) return Absence::unknown;
  if (!S_ISDIR(parent.mode)) return Absence::proved;
  return slot.name->known_absent_from(parent.stamp) ? Absence::proved : Absence::unknown;
}

// Proved through a descriptor, so that the stamp and the missing entry are of one directory even if the path is being
// moved; by lstat, since a dangling link is an entry whose target may appear elsewhere.
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
    slot.name->learn_absent_from(parent.stamp);
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
