// Finds the names that a command gives to its outputs, and puts placeholders in their place.
#ifndef HIPCACHE_SRC_COMPILER_OPAQUE_FIND_OUTPUT_NAMES_H
#define HIPCACHE_SRC_COMPILER_OPAQUE_FIND_OUTPUT_NAMES_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/output_names.h"

namespace hipcache::compiler {

// Whether the name ends like a C, C++ or assembler source.
bool is_named_like_source(std::string_view name);

// `options`: positions in `arguments` that are neither an input nor the value of the option before.
// Returns nothing for a command that may use a name in an unknown way.
std::optional<OutputNames> find_output_names(const std::vector<std::string>& arguments,
                                             const std::vector<std::size_t>& options,
                                             const std::vector<std::string>& inputs);

}  // namespace hipcache::compiler

#endif
