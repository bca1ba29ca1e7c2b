// The names that path sets ask about. Each name is kept once, with what was learned about it. A PathOrder holds a path
// set's names in the order in which to look at them.
//
// The problem: hundreds of sets name mostly the same headers, and the same absent files. Checking a set must
// not hash or split a thousand strings. The choice: each set is prepared once as a PathOrder: a list of slots that
// point to shared names, parents before children. What is learned about a name, such as its directory entry, serves
// every set. A question for a program along PATH has a slot for each directory of PATH.
//
// A name's parent is its spelling up to the last slash. The kernel resolves from the left, so "a/link/.." is kept as it
// is.
//
// Thread-safe. Past `max_names` names or kMaxSlots slots the table starts empty; orders in use keep their names alive.
#ifndef HIPCACHE_SRC_INPUTS_STATE_PATH_TABLE_H
#define HIPCACHE_SRC_INPUTS_STATE_PATH_TABLE_H

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
#include "hipcache/inputs/run_context.h"
#include "inputs/state/stamp.h"

namespace hipcache::inputs {

// What a directory has under a name. If an entry is replaced by another kind of entry, or by a link to another target,
// the directory changes, and its stamp shows that. So an Entry holds as long as the directory has its stamp. A mount on
// the entry does not show in that stamp, but nothing is mounted on a link or on an absent name.
struct Entry {
  enum class Kind : std::uint8_t { unknown, absent, link, no_link };
  Kind kind = Kind::unknown;
  std::string target;  // for Kind::link
};

class Name {
 public:
  Name(std::string path, Name* parent) : path_(std::move(path)), parent_(parent) {}

  const std::string& path() const { return path_; }  // absolute
  Name* parent() const { return parent_; }           // null for "/" and for names without a directory in their spelling
  std::string_view entry() const;                    // the last component; no slashes

  // A hint, not a proof: the path was absent at the last look, so the next look asks its directory first.
  bool was_absent() const { return was_absent_.load(std::memory_order_relaxed); }
  void note_absent(bool absent) { was_absent_.store(absent, std::memory_order_relaxed); }

  // The proof: what `directory` has under this name, valid while the directory has that stamp.
  Entry known_in(const Stamp& directory) const;
  bool known_absent_from(const Stamp& directory) const;
  void learn(const Stamp& directory, Entry entry);

 private:
  const std::string path_;
  Name* const parent_;
  std::atomic<bool> was_absent_{false};
  mutable std::mutex mutex_;
  Stamp directory_;  // guarded by mutex_, as entry_ is
  Entry entry_;
};

struct Slot {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  Name* name = nullptr;
  std::uint32_t parent = kNone;  // index of the parent's slot
};

class NameTable;

struct PathOrder {
  std::shared_ptr<NameTable> keeps;  // the owner of the names
  std::vector<Slot> slots;           // parents before children
  // Per observation: its slot, or Slot::kNone if it names no path or a path too long to exist. For a program: where its
  // list begins in `program_slots`.
  std::vector<std::uint32_t> slot_of;
  std::vector<std::uint32_t> program_slots;  // slots along PATH; each list ends with Slot::kNone
};

class PathTable {
 public:
  explicit PathTable(std::size_t max_names);
  ~PathTable();

  std::shared_ptr<const PathOrder> order(const PathSet& set, const RunContext& from);

 private:
  static constexpr std::size_t kMaxSlots = 1'000'000;

  std::shared_ptr<const PathOrder> make(const PathSet& set, const RunContext& from);

  const std::size_t max_names_;
  std::mutex mutex_;  // guards everything below; not held during system calls
  std::shared_ptr<NameTable> table_;
  std::unordered_map<std::string, std::shared_ptr<const PathOrder>> orders_;
  std::size_t slots_ = 0;
};

// The spelling of the directory that holds `path`; empty if there is none ("/", "x").
std::string_view parent_spelling(std::string_view path);

}  // namespace hipcache::inputs

#endif
