// Whether the world still is what a run saw: every file, directory and link the one that it got, in the state in which
// it got it; nothing there that it saw absent, nothing gone that it saw; and no content newer than the run's start.
//
// The problem: the compiler reads a file some time after the run began, and a while after it opened it. The choice: the
// trace says which file it opened, and in which state (device, inode, size, mtime, ctime); and ctime, which every
// change of a file sets and no program can set back, says that this state is older than the run. Either alone lets
// something through: a directory that was another one meanwhile holds old files, a file written twice within one tick
// of its file system's clock looks the same.
#ifndef HIPCACHE_INPUTS_RACE_GUARD_H
#define HIPCACHE_INPUTS_RACE_GUARD_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/world.h"
#include "hipcache/trace/record.h"
#include "inputs/glance.h"

namespace hipcache::inputs {

// What was seen when the state was taken that is to be guarded. Where that says enough, nobody looks once more.
using Seen = std::unordered_map<std::string_view, const Sight*>;

// The first name of the set whose file, link or directory changed at or after the time.
std::optional<std::string> changed_since(const PathSet& set, const Surroundings& from, std::uint64_t started_ns,
                                         const Seen& seen);

// Whether the process got what the state was made of; unclear where that takes another look, or another kind of it.
enum class Verdict { agrees, differs, unclear };
Verdict compare(const trace::Record& record, const Sight& sight);

// Whether the record says found and the path is gone, or the other way round.
bool contradicts_world(const trace::Record& record, const std::string& absolute, std::uint64_t started_ns);

// Whether the path now leads to what the record says that the process got there. True where the record does not say.
bool is_what_was_seen(const trace::Record& record, const std::string& absolute);

}  // namespace hipcache::inputs

#endif
