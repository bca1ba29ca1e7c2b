// Looks at the paths of one plan, each at most once. The answers of one state are made from these looks.
//
// The cost is one stat for each path that is there, and one for each directory of absent paths. An absence costs
// nothing more if its directory still has the stamp for which the absence was learned. The same holds for whether an
// entry is a link, and for its target. Used by one thread.
#ifndef HIPCACHE_SRC_INPUTS_STATE_STAT_SNAPSHOT_H
#define HIPCACHE_SRC_INPUTS_STATE_STAT_SNAPSHOT_H

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/inputs/file_system_state.h"
#include "inputs/state/path_table.h"
#include "inputs/state/stamp.h"

namespace hipcache::inputs {

struct PathStat {
  enum class Kind : std::uint8_t { unseen, absent, there, error };
  Kind kind = Kind::unseen;
  int error = 0;    // errno; for Kind::error
  mode_t mode = 0;  // for Kind::there; links are followed
  Stamp stamp;      // for Kind::there
  bool is_directory() const { return kind == Kind::there && S_ISDIR(mode); }
  bool is_file() const { return kind == Kind::there && S_ISREG(mode); }
};

// stat(path) as a Sight.
PathStat stat_path(const char* path, Effort& effort);

// What readlink or realpath returns: a path, or an errno (EINVAL: no link).
struct Led {
  int error = 0;
  std::string to;
};

class SharedStatSnapshot;

class StatSnapshot {
 public:
  // `now_ns` must be read before the first look. `looks`, if given, holds what other plans have seen already. REQUIRES:
  // the arguments outlive this object.
  StatSnapshot(const PathOrder& order, std::uint64_t now_ns, Effort& effort, SharedStatSnapshot* looks)
      : order_(order), now_ns_(now_ns), effort_(effort), looks_(looks), sights_(order.slots.size()) {}

  const PathStat& at(std::uint32_t slot);

  // The link's target; EINVAL if the path is no link.
  Led link_at(std::uint32_t slot);
  // The path's realpath(3).
  const Led& real_path_at(std::uint32_t slot);

 private:
  enum class Absence : std::uint8_t { unknown, proved };

  PathStat look(std::uint32_t slot);
  PathStat see(std::uint32_t slot);
  Absence proved_by_parent(const Slot& slot);
  void learn_absence(const Slot& slot);
  Led resolve(std::uint32_t slot);
  Led resolve_by_kernel(const std::string& path);
  int open_directory(std::uint32_t slot, const Stamp& expected);

  const PathOrder& order_;
  const std::uint64_t now_ns_;
  Effort& effort_;
  SharedStatSnapshot* const looks_;
  std::vector<PathStat> sights_;
  // The directory in which absences are being learned; neighbours in a set tend to share it.
  std::uint32_t open_slot_ = Slot::kNone;
  UniqueFd open_;
  std::unordered_map<std::uint32_t, Led> real_paths_;
};

}  // namespace hipcache::inputs

#endif
