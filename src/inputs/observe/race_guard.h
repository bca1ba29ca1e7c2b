// Checks that the file system is still as a run saw it. Every file, directory and link that the run got must be the
// same one in the same state. What the run saw absent must be absent, what it saw must be there, and no content may be
// newer than the run's start.
//
// The problem: the compiler opens a file some time after the run began, and reads it some time after it opened it. The
// choice: two checks. The trace says which file the compiler opened, in which state (device, inode, size, mtime,
// ctime). The file's ctime says that this state is older than the run: every change sets it, and no program can set it
// back. Neither check is enough alone. A directory that was replaced for a while may hold old files. A file that is
// written twice within one tick of its file system's clock keeps its stamp.
//
// If a file has changed, its content may still be what the run got: same_content.h.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_RACE_GUARD_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_RACE_GUARD_H

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run.h"
#include "hipcache/trace/record.h"
#include "inputs/observe/links.h"
#include "inputs/state/stat_snapshot.h"

namespace hipcache::inputs {

// What was seen when the guarded state was taken. Where that suffices, the guard does not look again.
using Seen = std::unordered_map<std::string_view, const PathStat*>;

// Whether a change of what the question is about, at this path, is known to leave every answer as it was.
using Excuse = std::function<bool(Question, const std::string&)>;

// Refuses a run if a file, link or directory of the set changed at or after `started_ns` without an excuse.
std::optional<Refusal> changed_since(const PathSet& set, const RunContext& from, std::uint64_t started_ns,
                                     const Seen& seen, const Excuse& is_excused);

// Refuses a run if an alias of a root now leads elsewhere, or has a link on the way that changed at or after
// `started_ns`. Questions about what was read by an alias use the root's real name, so they do not notice.
std::optional<Refusal> changed_alias(const Roots& roots, std::uint64_t started_ns);

// A time of whole seconds may come from a file system that keeps no fractions, so only seconds are compared then.
bool at_or_after(std::int64_t time_ns, std::uint64_t started_ns);

// What stat returns for a file with this stamp, as far as the records of a trace have it.
struct stat status_of(const Stamp& stamp, mode_t mode);

// Whether the process got the file from which the state was made. `unclear`: it takes a new look, or another kind of
// look.
enum class Verdict { agrees, differs, unclear };
Verdict compare(const trace::Record& record, const PathStat& now);

// Whether the record and the file system disagree on whether the path exists.
bool contradicts_file_system(const trace::Record& record, const std::string& absolute, std::uint64_t started_ns);

// Whether the path leads to what the process got there, according to the record. True if the record does not say.
// `real_paths` must not be older than the guard.
bool is_what_was_seen(const trace::Record& record, const std::string& absolute, RealPaths& real_paths);

}  // namespace hipcache::inputs

#endif
