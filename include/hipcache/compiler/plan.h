// A plan: a command as a graph of steps. Each step names the earlier outputs that it reads.
#ifndef HIPCACHE_COMPILER_PLAN_H
#define HIPCACHE_COMPILER_PLAN_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/compiler/step.h"

namespace hipcache::compiler {

// The deferred fatbin: the host is compiled with a placeholder for the fatbin, beside the devices.
// So no change of device code costs a host compile.
//
// Valid for compilers that write the same code around any fatbin. `proof` tests that: the host's
// own command compiles a small source twice, with a fatbin and with the placeholder
// (is_deferred_fatbin_proof in
// hip/plan.h). Macros, search paths and warnings are not part of its key, so it runs once for each
// compiler and set of options that make code.
struct DeferredFatbin {
  std::vector<Step> steps;  // devices, host, bundle
  Step proof;
};

struct Plan {
  std::vector<Step> steps;                             // in the driver's order: devices first
  std::string driver_stderr;                           // the driver's own warnings, printed before any step's
  std::optional<DeferredFatbin> deferred_fatbin = {};  // set if the host's object contains a fatbin
  // Set if clang-linker-wrapper runs the devices' back ends: asks the wrapper which ones. For a
  // compile, what the step prints goes to take_back_ends(); for a link, what it leaves in kCaptured
  // goes to take_captured(). Without an answer the plan is valid as it is: the back ends run inside
  // of the wrapper.
  std::optional<Step> question = {};
  // The front ends' options for the look of messages (Cc1Role::look), given by the user, or by the driver for a
  // terminal. The steps' keys lack them. One line if all front ends have the same.
  std::string look_options = {};
};

}  // namespace hipcache::compiler

#endif
