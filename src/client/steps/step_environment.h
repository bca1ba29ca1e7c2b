// The environment of a step's commands: the client's, with the trace library preloaded and the temporary directory set.
//
// clang also gets its memory in huge pages. The problem: hipcache adds time to a compile and has to save it elsewhere.
// The choice: GLIBC_TUNABLES has glibc ask the kernel for huge pages. A half-second compile by clang takes 15,000 page
// faults, and huge pages save a tenth of its processor time. Addresses differ with every run of a program, so no
// compiler output depends on them. A variable of the user's own stays as it is; an empty one switches this off.
// Rejected: huge pages for gcc, which maps most of its memory itself (measured: no gain); for linkers and small tools,
// where clearing a huge page costs more than it saves; and a malloc of our own, which would have to be as good as
// libc's in every respect.
#ifndef HIPCACHE_SRC_CLIENT_STEPS_STEP_ENVIRONMENT_H
#define HIPCACHE_SRC_CLIENT_STEPS_STEP_ENVIRONMENT_H

#include <string>
#include <vector>

#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// `program`: of the command that is to be run.
std::vector<std::string> step_environment(const std::vector<std::string>& ours, const protocol::RunStep& step,
                                          const std::string& program);

}  // namespace hipcache::client

#endif
