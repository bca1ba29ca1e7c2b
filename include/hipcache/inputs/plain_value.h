// Whether a value can be given to a macro by the command line without further effect.
#ifndef HIPCACHE_INPUTS_PLAIN_VALUE_H
#define HIPCACHE_INPUTS_PLAIN_VALUE_H

#include <string_view>

namespace hipcache::inputs {

// Whether a compiler takes the text as the value of a macro without a message, whatever the sources say: complete
// literals, no comments, one line.
bool is_plain_value(std::string_view text);

}  // namespace hipcache::inputs

#endif
