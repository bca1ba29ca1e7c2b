// Whether a text holds nothing but preprocessor directives, comments and blank lines, as generated configuration
// headers do.
//
// No macro is expanded into code in such a file. So if its macros use __FILE__, that names the files that use the
// macros. A text counts as code if simple rules for lines cannot tell.
#ifndef HIPCACHE_SRC_INPUTS_MENTIONS_DIRECTIVES_H
#define HIPCACHE_SRC_INPUTS_MENTIONS_DIRECTIVES_H

#include <string_view>

namespace hipcache::inputs {

bool is_only_directives(std::string_view text);

}  // namespace hipcache::inputs

#endif
