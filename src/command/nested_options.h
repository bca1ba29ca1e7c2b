// Options inside of options: what -Xclang, -Wp, and -Xpreprocessor hand to the frontend, -mllvm to the backend, and
// -Xarch_ to one of the compiles.
#ifndef HIPCACHE_SRC_COMMAND_NESTED_OPTIONS_H
#define HIPCACHE_SRC_COMMAND_NESTED_OPTIONS_H

#include <optional>
#include <string>

#include "command/driver_rules.h"
#include "hipcache/command/invocation.h"

namespace llvm::opt {
class Arg;
class InputArgList;
}  // namespace llvm::opt

namespace hipcache::command {

// The first obstacle in any of them.
std::optional<Uncacheable> nested_refusal(const llvm::opt::InputArgList& arguments, const DriverRules& rules);

// Whether a -Wp, is the driver's own -Wp,-MD[,FILE] or -Wp,-MMD[,FILE]; all others go to the frontend as they are.
bool is_dependency_request(const llvm::opt::Arg& argument);

}  // namespace hipcache::command

#endif
