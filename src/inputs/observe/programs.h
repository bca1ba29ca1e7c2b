// Whether the programs that ran are the expected ones, and each left a complete trace.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_PROGRAMS_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_PROGRAMS_H

#include <optional>
#include <string>

#include "hipcache/inputs/run.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// An opaque run may start other programs than its own, if a trace has all that they ask for (hipcache/inputs/script.h).
std::optional<Refusal> check_programs(const trace::Trace& trace, const RunContext& from, const Run& run);

// Checks a program that a traced process started; `path` is absolute. A program without a trace (static, or a script)
// may have read anything, so it is refused. In an opaque compile a script is allowed: its interpreter reads it.
std::optional<Refusal> check_start(const trace::Record& record, const std::string& path, const trace::Trace& trace,
                                   const Run& run);

}  // namespace hipcache::inputs

#endif
