// The processor of this machine, as far as a compiler that is told to compile for it (-march=native) may look.
#ifndef HIPCACHE_DAEMON_PROCESSOR_H
#define HIPCACHE_DAEMON_PROCESSOR_H

#include <string>
#include <vector>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

// Whether an argument has the compiler ask the processor. Those that ask for GPUs are another matter: they are refused.
bool asks_processor(const std::vector<std::string>& arguments);

// Vendor, family, model, stepping and flags as the kernel tells them, and the sizes of the caches (gcc tunes by them).
// The instruction that compilers ask by cannot be traced; equal digests give equal answers. Taken once.
const Digest& processor();

}  // namespace hipcache::daemon

#endif
