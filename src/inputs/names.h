// The names that path sets ask about, each kept once, with what was learned of it; and per set the order to ask them
// in.
//
// The problem: hundreds of sets name mostly the same headers and the same places where no header is, and the check of
// one must not hash or split a thousand strings. The choice: a set is prepared once into a Plan, a list of slots that
// point to shared names, parents before children. What is learned about a name (which entry its directory has for it)
// thus serves every set. A question about a program's place along PATH is a slot for each directory of PATH.
//
// A parent is cut off by spelling, from the right: the kernel resolves from the left, so "a/link/.." stays what it is.
// Thread-safe. Past kMaxNames names or kMaxSlots slots the book begins anew; plans in use keep theirs alive.
#ifndef HIPCACHE_INPUTS_NAMES_H
#define HIPCACHE_INPUTS_NAMES_H

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/world.h"
#include "inputs/stamp.h"

namespace hipcache::inputs {

// What a directory has under a name. Only a change of the directory itself, which its stamp shows, can replace an entry
// by one of another kind, and no link ever gets another target. So it is known for as long as the directory has its
// stamp, but for what is mounted on the entry: that is never a link, and never where nothing is.
struct Entry {
  enum class Kind : std::uint8_t { unknown, absent, link, no_link };
  Kind kind = Kind::unknown;
  std::string target;  // if a link
};

class Name {
 public:
  Name(std::string path, Name* parent) : path_(std::move(path)), parent_(parent) {}

  const std::string& path() const { return path_; }  // as given, made absolute
  Name* parent() const { return parent_; }           // null for "/" and for what has no directory in its spelling
  std::string_view entry() const;                    // what `parent` would have to contain; no slashes

  // A hint, never a proof: when last looked at it was not there, so ask its directory first.
  bool was_absent() const { return was_absent_.load(std::memory_order_relaxed); }
  void note_absent(bool absent) { was_absent_.store(absent, std::memory_order_relaxed); }

  // The proof: what `directory` has under this name as long as it has that stamp.
  Entry known_in(const Stamp& directory) const;
  bool known_absent_from(const Stamp& directory) const;
  void learn(const Stamp& directory, Entry entry);

 private:
  const std::string path_;
  Name* const parent_;
  std::atomic<bool> was_absent_{false};
  mutable std::mutex mutex_;
  Stamp directory_;  // guarded by mutex_, as what is known in it
  Entry entry_;
};

struct Slot {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  Name* name = nullptr;
  std::uint32_t parent = kNone;  // index of its slot
};

class NameTable;

struct Plan {
  std::shared_ptr<NameTable> keeps;  // the owner of the names
  std::vector<Slot> slots;           // parents before children
  // Per observation; Slot::kNone if it names no path, or one too long to exist. Of a program: where its list begins in
  // `places`.
  std::vector<std::uint32_t> slot_of;
  std::vector<std::uint32_t> places;  // along PATH: slots, each list ended by Slot::kNone
};

class NameBook {
 public:
  explicit NameBook(std::size_t max_names);
  ~NameBook();

  std::shared_ptr<const Plan> plan(const PathSet& set, const Surroundings& from);

 private:
  static constexpr std::size_t kMaxSlots = 1'000'000;

  std::shared_ptr<const Plan> make(const PathSet& set, const Surroundings& from);

  const std::size_t max_names_;
  std::mutex mutex_;  // guards all below; never held over a system call
  std::shared_ptr<NameTable> table_;
  std::unordered_map<std::string, std::shared_ptr<const Plan>> plans_;
  std::size_t slots_ = 0;
};

// The spelling of the directory that `path` is looked up in; empty if it has none ("/", "x").
std::string_view parent_spelling(std::string_view path);

}  // namespace hipcache::inputs

#endif
