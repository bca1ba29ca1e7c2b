// Whether the programs that ran are those that were to run, and each of them left a whole trace.
#ifndef HIPCACHE_SRC_INPUTS_PROGRAMS_H
#define HIPCACHE_SRC_INPUTS_PROGRAMS_H

#include <optional>
#include <string>

#include "hipcache/inputs/observe.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// realpath(3), or the path itself where that fails.
std::string real_path(const std::string& path);

std::optional<Refusal> check_programs(const trace::Trace& trace, const Run& run);

// Of a program that one of them started, at that absolute path: one that left no trace, a static program or a script,
// may have read anything. Of an undivided command a script is a file that the program reads which runs it.
std::optional<Refusal> check_start(const trace::Record& record, const std::string& path, const trace::Trace& trace,
                                   const Run& run);

}  // namespace hipcache::inputs

#endif
