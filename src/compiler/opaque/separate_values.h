// The options of clang's and gcc's drivers whose value is the next argument.
#ifndef HIPCACHE_SRC_COMPILER_OPAQUE_SEPARATE_VALUES_H
#define HIPCACHE_SRC_COMPILER_OPAQUE_SEPARATE_VALUES_H

#include <string_view>

namespace hipcache::compiler {

// Whether the argument after this one is its value, and neither an input nor an option.
bool takes_next(std::string_view argument);

}  // namespace hipcache::compiler

#endif
