// The environment of a step's commands: ours, with the trace library preloaded and the temporary directory set.
//
// A clang also gets its memory in huge pages. The problem: what hipcache adds to a compile has to be paid somewhere.
// The choice: a compile by clang of half a second takes 15,000 page faults, and glibc asks the kernel for huge pages
// where GLIBC_TUNABLES says so: a tenth of processor time less. Memory's addresses differ with every start of a
// program, so nothing that a compiler makes depends on them. A variable of the user's own stays as it is, so an empty
// one is the way to switch this off. Rejected: the same for gcc, which maps most of its memory itself (measured: no
// gain), and for linkers and small tools, where it costs more to clear a huge page than is saved; a malloc of our own,
// which would have to be as good as libc's in every respect.
#ifndef HIPCACHE_SRC_CLIENT_STEP_ENVIRONMENT_H
#define HIPCACHE_SRC_CLIENT_STEP_ENVIRONMENT_H

#include <string>
#include <vector>

#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// `program` is that of the command which is to be run.
std::vector<std::string> step_environment(const std::vector<std::string>& ours, const protocol::RunStep& step,
                                          const std::string& program);

}  // namespace hipcache::client

#endif
