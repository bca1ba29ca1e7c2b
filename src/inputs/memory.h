// What the world remembers between calls: digests by stamp, names and plans, the clock that says how far a stamp is
// trusted.
//
// Thread-safe, bounded (see world.h). Digests are kept by stamp and not by name, so a file that was moved, or is
// reached by another path, is not read again.
#ifndef HIPCACHE_INPUTS_MEMORY_H
#define HIPCACHE_INPUTS_MEMORY_H

#include <optional>

#include "hipcache/inputs/world.h"
#include "inputs/aging_map.h"
#include "inputs/names.h"
#include "inputs/stamp.h"

namespace hipcache::inputs {

struct World::Memory {
  explicit Memory(Clock now) : clock(std::move(now)) {}

  Clock clock;
  ShardedMap<Stamp, Digest, StampHash> files{kMaxFiles};
  ShardedMap<Stamp, Digest, StampHash> directories{kMaxDirectories};
  NameBook names{kMaxNames};
};

}  // namespace hipcache::inputs

#endif
