// Whether the programs that ran are the expected ones, and each left a complete trace.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_PROGRAMS_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_PROGRAMS_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// The questions about the roots themselves: asked if the result shows a root, or may depend on one unseen.

class SourceUse;

struct RootTies {
  std::string asks_own_name;  // where the first file asks for its own name that ties the result to a root, or ""
  RootMask by_names = 0;      // roots that are asked about only because of such names
};

// Adds the questions. `use`: made of these observations. REQUIRES: the names in `observations` are not portable yet.
// `only_compilers`: no program ran that may take names apart, as a script may (asks_by_name). Then "/b.sources" in a
// file does not count as a mention of
// "/b".
RootTies add_root_questions(const RootReferences& ties, const SourceUse& use, const RunContext& from,
                            bool only_compilers, FileSystemState& file_system, std::vector<Observation>& observations);

// The questions for programs that are looked for along PATH.
//
// A trace has the places of one search, along one PATH. Along another PATH, the program may be in a directory where the
// run did not look. So the question is where PATH finds the program's name. Rejected: PATH's value as an input. It
// differs from shell to shell, and hardly ever changes which program is found.

// A search begins in PATH's first directory, so every name that was looked for there gets a question. A few names too
// many do no harm.
void add_program_questions(const trace::Trace& trace, const RunContext& from, std::vector<Observation>& out);

// The questions for the variables that programs read of the environment itself, where no hook sees it, if a program
// other than compilers and their tools ran.
//
// Of hipcc's script, if it is one of those that were judged, the text says which variables it reads, of its
// interpreters we know, and a shell uses those of the text that it runs. So a variable that only a CI job sets is no
// input. Any other script asks for all of them.
void add_environment_questions(const trace::Trace& trace, const Run& run, const RunContext& from,
                               std::vector<Observation>& out);

// An opaque run may start other programs than its own, if a trace has all that they ask for (hipcache/inputs/script.h).
std::optional<Refusal> check_programs(const trace::Trace& trace, const RunContext& from, const Programs& may_run);

// Checks a program that a traced process started; `path` is absolute. A program without a trace (static, or a script)
// may have read anything, so it is refused. In an opaque compile a script is allowed: its interpreter reads it.
std::optional<Refusal> check_start(const trace::Record& record, const std::string& path, const trace::Trace& trace,
                                   const Programs& may_run);

}  // namespace hipcache::inputs

#endif
