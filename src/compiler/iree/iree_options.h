// The options of IREE's compilers that hipcache knows by name.
#ifndef HIPCACHE_SRC_COMPILER_IREE_IREE_OPTIONS_H
#define HIPCACHE_SRC_COMPILER_IREE_IREE_OPTIONS_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/invocation.h"

namespace hipcache::compiler {

// An argument as LLVM's command line library reads it: "-name", "--name" and "--name=value" are the
// same option. A value may also be the next argument.
struct IreeOption {
  std::string_view name;  // without dashes; "" if the argument is no option
  std::optional<std::string_view> value;
};

IreeOption iree_option(std::string_view argument);

// Why an option makes the command uncacheable; nullptr if it does not.
const char* iree_refusal(const IreeOption& option);

// Whether the option writes a file, so that "-" means standard output. Other options read "-".
bool writes_file(const IreeOption& option);

// The variables that do what refused options do.
std::vector<RefusedVariable> iree_refused_variables();

}  // namespace hipcache::compiler

#endif
