// Options inside of options: what -Xclang, -Wp, and -Xpreprocessor hand to the frontend, -mllvm to the backend, and
// -Xarch_ to one of the compiles.
#ifndef HIPCACHE_SRC_COMMAND_NESTED_OPTIONS_H
#define HIPCACHE_SRC_COMMAND_NESTED_OPTIONS_H

#include <optional>
#include <string>

#include "command/driver_rules.h"
#include "hipcache/command/invocation.h"

namespace llvm::opt {
class InputArgList;
}

namespace hipcache::command {

// The first obstacle in any of them.
std::optional<Uncacheable> nested_refusal(const llvm::opt::InputArgList& arguments, const DriverRules& rules);

}  // namespace hipcache::command

#endif
