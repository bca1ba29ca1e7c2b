// What a compiler may notice of a comment.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_COMMENT_H
#define HIPCACHE_SRC_INPUTS_TOKENS_COMMENT_H

#include <string_view>

namespace hipcache::inputs {

enum class Remark : std::uint8_t {
  none,
  some,     // a message may depend on its text
  unclear,  // where it ends depends on the compiler
};

// `comment`: with its "/*" and "*/", or "//" up to the end of its line.
Remark remark_of(std::string_view comment);

}  // namespace hipcache::inputs

#endif
