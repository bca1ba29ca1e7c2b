// Identifies the machine's processor, for compilers that compile for it (-march=native).
#ifndef HIPCACHE_SRC_DAEMON_SHARED_PROCESSOR_H
#define HIPCACHE_SRC_DAEMON_SHARED_PROCESSOR_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

// Whether an argument makes the compiler ask the processor. Arguments that ask for the machine's GPUs are refused
// elsewhere.
bool asks_processor(const std::vector<std::string>& arguments);

// The lines of /proc/cpuinfo that tell what code suits the processor. They are parts of `cpuinfo`.
std::vector<std::string_view> identifying_lines(std::string_view cpuinfo);

// Digests vendor, family, model, stepping and flags from the kernel, and the cache sizes, which gcc uses for tuning.
// The CPUID instruction cannot be traced, but equal digests mean equal answers. Computed once.
const Digest& processor();

}  // namespace hipcache::daemon

#endif
