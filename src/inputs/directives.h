// Whether a text is nothing but preprocessor directives, comments and blank lines, as generated headers of settings
// are.
//
// No macro is expanded into code in such a file, so whatever its macros ask for (__FILE__) is asked where they are
// used. What takes more than a look at lines to be told counts as code.
#ifndef HIPCACHE_SRC_INPUTS_DIRECTIVES_H
#define HIPCACHE_SRC_INPUTS_DIRECTIVES_H

#include <string_view>

namespace hipcache::inputs {

bool is_only_directives(std::string_view text);

}  // namespace hipcache::inputs

#endif
