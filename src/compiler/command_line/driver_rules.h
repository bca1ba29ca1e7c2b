// What each option of clang's driver means for the cache: accepted, or a reason to pass through.
//
// Built once per Parser from clang's own table, by option group, with the exceptions of the table of
// facts (plan_accepts, plan_refuses). An option outside of the groups known to be harmless is
// unsupported until someone has examined it.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_DRIVER_RULES_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_DRIVER_RULES_H

#include <optional>
#include <vector>

#include "hipcache/compiler/invocation.h"

namespace llvm::opt {
class Arg;
class InputArgList;
}  // namespace llvm::opt

namespace hipcache::compiler {

class DriverRules {
 public:
  DriverRules();

  // Reason::none if the option by itself is acceptable. `option` is an id of clang's
  // table, aliases resolved.
  Reason refusal(unsigned option) const {
    return option < refusals_.size() ? refusals_[option] : Reason::unknown_option;
  }

 private:
  std::vector<Reason> refusals_;
};

// Options inside of options: -Xclang, -Wp, and -Xpreprocessor pass them to the frontend, -mllvm to
// the backend, and -Xarch_ to one of the compiles.

// The first refusal among the nested options.
std::optional<Uncacheable> nested_refusal(const llvm::opt::InputArgList& arguments, const DriverRules& rules);

// Whether a -Wp, is the driver's own -Wp,-MD[,FILE] or -Wp,-MMD[,FILE]; all others go to the
// frontend unchanged.
bool is_dependency_request(const llvm::opt::Arg& argument);

}  // namespace hipcache::compiler

#endif
