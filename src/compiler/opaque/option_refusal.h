// The options of a compiler driver that make an opaque command uncacheable.
#ifndef HIPCACHE_SRC_COMPILER_OPAQUE_OPTION_REFUSAL_H
#define HIPCACHE_SRC_COMPILER_OPAQUE_OPTION_REFUSAL_H

#include <string_view>

namespace hipcache::compiler {

// The reason against the option, or null.
const char* option_refusal(std::string_view option);

}  // namespace hipcache::compiler

#endif
