// Identifies the machine's processor, for compilers that compile for it (-march=native).
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_PROCESSOR_H
#define HIPCACHE_SRC_DAEMON_REQUEST_PROCESSOR_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

// Whether an argument makes the compiler ask the processor, also within another one: "-Wl,-plugin-opt=mcpu=native".
// Arguments that ask for the machine's GPUs are refused elsewhere.
bool is_native_option(std::string_view argument);
bool asks_processor(const std::vector<std::string>& arguments);

// The name of a variable that may make the compiler do so, or "". Drivers take options from variables
// (CCC_OVERRIDE_OPTIONS, HIPCC_COMPILE_FLAGS_APPEND), and scripts put any of them together ("-march=$CPU"). So
// "=native" suffices, also in an entry "CPU=native". A variable that nobody uses costs a miss on another processor.
std::string_view variable_that_asks_processor(const std::vector<std::string>& environment);

// The lines of /proc/cpuinfo that tell what code suits the processor. They are parts of `cpuinfo`.
std::vector<std::string_view> identifying_lines(std::string_view cpuinfo);

// Digests vendor, family, model, stepping and flags from the kernel, and the cache sizes, which gcc uses for tuning.
// The CPUID instruction cannot be traced, but equal digests mean equal answers. Computed once.
const Digest& processor();

}  // namespace hipcache::daemon

#endif
