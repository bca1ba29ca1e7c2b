// What a compiler may notice of a comment, and where one ends whose lines are joined.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_COMMENTS_H
#define HIPCACHE_SRC_INPUTS_TOKENS_COMMENTS_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hipcache::inputs {

enum class Remark : std::uint8_t {
  none,
  some,     // a message may depend on its text
  unclear,  // where it ends, or what it means, depends on the compiler
};

// `comment`: with its "/*" and "*/", or "//" up to the end of its line. `behind`: the text that follows it.
Remark remark_of(std::string_view comment, std::string_view behind);

// The next end of a line from there on that no backslash joins to the line behind it.
std::size_t end_of_joined_line(std::string_view text, std::size_t from);

}  // namespace hipcache::inputs

#endif
