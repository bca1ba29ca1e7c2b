// Options inside of options: -Xclang, -Wp, and -Xpreprocessor pass them to the frontend, -mllvm to
// the backend, and -Xarch_ to one of the compiles.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_NESTED_OPTIONS_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_NESTED_OPTIONS_H

#include <optional>
#include <string>

#include "compiler/command_line/driver_rules.h"
#include "hipcache/compiler/invocation.h"

namespace llvm::opt {
class Arg;
class InputArgList;
}  // namespace llvm::opt

namespace hipcache::compiler {

// The first refusal among the nested options.
std::optional<Uncacheable> nested_refusal(const llvm::opt::InputArgList& arguments, const DriverRules& rules);

// Whether a -Wp, is the driver's own -Wp,-MD[,FILE] or -Wp,-MMD[,FILE]; all others go to the
// frontend unchanged.
bool is_dependency_request(const llvm::opt::Arg& argument);

}  // namespace hipcache::compiler

#endif
