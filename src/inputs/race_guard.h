// Whether the world still is what a run saw: every file, directory and link the one that it got, in the state in which
// it got it; nothing there that it saw absent, nothing gone that it saw; and no content newer than the run's start.
//
// The problem: the compiler reads a file some time after the run began, and a while after it opened it. The choice: the
// trace says which file it opened, and in which state (device, inode, size, mtime, ctime); and ctime, which every
// change of a file sets and no program can set back, says that this state is older than the run. Either alone lets
// something through: a directory that was another one meanwhile holds old files, a file written twice within one tick
// of its file system's clock looks the same. Where a file has changed, its content may still be the one that the run
// got: same_content.h.
#ifndef HIPCACHE_INPUTS_RACE_GUARD_H
#define HIPCACHE_INPUTS_RACE_GUARD_H

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/world.h"
#include "hipcache/trace/record.h"
#include "inputs/glance.h"
#include "inputs/real_paths.h"

namespace hipcache::inputs {

// What was seen when the state was taken that is to be guarded. Where that says enough, nobody looks once more.
using Seen = std::unordered_map<std::string_view, const Sight*>;

// Whether a change of what the question asks about at the path is known to have changed no answer.
using Excuse = std::function<bool(Question, const std::string&)>;

// The first name of the set whose file, link or directory changed at or after the time, and has no excuse.
std::optional<std::string> changed_since(const PathSet& set, const Surroundings& from, std::uint64_t started_ns,
                                         const Seen& seen, const Excuse& is_excused);

// The alias of a root that leads elsewhere by now, or to which a link on the way changed at or after the time. What was
// read by it is asked by the root's real name.
std::optional<std::string> changed_alias(const Roots& roots, std::uint64_t started_ns);

// A time of whole seconds may be of a file system that keeps no more: then only the seconds are compared.
bool at_or_after(std::int64_t time_ns, std::uint64_t started_ns);

// What stat says of a file with this stamp, as far as the records of a trace have it.
struct stat status_of(const Stamp& stamp, mode_t mode);

// Whether the process got what the state was made of; unclear where that takes another look, or another kind of it.
enum class Verdict { agrees, differs, unclear };
Verdict compare(const trace::Record& record, const Sight& sight);

// Whether the record says found and the path is gone, or the other way round.
bool contradicts_world(const trace::Record& record, const std::string& absolute, std::uint64_t started_ns);

// Whether the path now leads to what the record says that the process got there. True where the record does not say.
// `real_paths` is as old as the guard at most.
bool is_what_was_seen(const trace::Record& record, const std::string& absolute, RealPaths& real_paths);

}  // namespace hipcache::inputs

#endif
