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
