// Whether the world still is what a run saw, told from the stamps: no content newer than the run's start, nothing there
// that it saw absent, nothing gone that it saw.
//
// Trusts ctime, which every change of a file and every rename sets and no program can set back. Not seen: a whole
// directory renamed away and another one in its place while the compiler runs (docs/proof.md).
#ifndef HIPCACHE_INPUTS_RACE_GUARD_H
#define HIPCACHE_INPUTS_RACE_GUARD_H

#include <cstdint>
#include <optional>
#include <string>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/world.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// The first name of the set whose file, link or directory changed at or after the time.
std::optional<std::string> changed_since(const PathSet& set, const Surroundings& from, std::uint64_t started_ns);

// Whether the record says found and the path is gone, or the other way round.
bool contradicts_world(const trace::Record& record, const std::string& absolute, std::uint64_t started_ns);

}  // namespace hipcache::inputs

#endif
