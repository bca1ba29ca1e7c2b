// The questions for programs that are looked for along PATH.
//
// A trace has the places of one search, along one PATH. Along another PATH, the program may be in a directory where the
// run did not look. So the question is where PATH finds the program's name. Rejected: PATH's value as an input. It
// differs from shell to shell, and hardly ever changes which program is found.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_PROGRAM_QUESTIONS_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_PROGRAM_QUESTIONS_H

#include <vector>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// A search begins in PATH's first directory, so every name that was looked for there gets a question. A few names too
// many do no harm.
void add_program_questions(const trace::Trace& trace, const RunContext& from, std::vector<Observation>& out);

}  // namespace hipcache::inputs

#endif
