// The stats of the paths of one PathOrder, each taken at most once. The answers of one state are made from them.
//
// The cost is one stat for each path that is there, and one for each directory of absent paths. An absence costs
// nothing more if its directory still has the stamp for which the absence was learned. The same holds for whether an
// entry is a link, and for its target. Used by one thread.
#ifndef HIPCACHE_SRC_INPUTS_STATE_STAT_SNAPSHOT_H
#define HIPCACHE_SRC_INPUTS_STATE_STAT_SNAPSHOT_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/inputs/effort.h"
#include "inputs/state/path_stat.h"
#include "inputs/state/path_table.h"
#include "inputs/state/stamp.h"

namespace hipcache::inputs {

// What readlink or realpath returns: a path, or an errno (EINVAL: no link).
struct Led {
  int error = 0;
  std::string to;
};

class SharedStatSnapshot;

class StatSnapshot {
 public:
  // `now_ns` must be read before the first look. `shared`, if given, holds what other snapshots have seen already.
  // REQUIRES: the arguments outlive this object.
  StatSnapshot(const PathOrder& order, std::uint64_t now_ns, Mounts& mounts, Effort& effort, SharedStatSnapshot* shared)
      : order_(order), now_ns_(now_ns), mounts_(mounts), effort_(effort), shared_(shared), stats_(order.slots.size()) {}

  const PathStat& at(std::uint32_t slot);

  // The link's target; EINVAL if the path is no link.
  Led link_at(std::uint32_t slot);
  // The path's realpath(3).
  const Led& real_path_at(std::uint32_t slot);
  // The first program in the list of `PathOrder::program_slots` that begins at `begin`; "" if there is none.
  std::string program_at(std::uint32_t begin);

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
  Mounts& mounts_;
  Effort& effort_;
  SharedStatSnapshot* const shared_;
  std::vector<PathStat> stats_;
  // The directory in which absences are being learned; neighbours in a set tend to share it.
  std::uint32_t open_slot_ = Slot::kNone;
  UniqueFd open_;
  std::unordered_map<std::uint32_t, Led> real_paths_;
};

}  // namespace hipcache::inputs

#endif
