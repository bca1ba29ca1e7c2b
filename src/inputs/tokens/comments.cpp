#include "inputs/tokens/comments.h"

#include <cstddef>

#include "hipcache/base/text.h"

namespace hipcache::inputs {

namespace {

// Compilers warn of a comment that a backslash continues in the next line, or would at the end of the file.
bool spans_lines(std::string_view comment) {
  const std::size_t last = comment.find_last_not_of(kBlanks);
  return comment.find('\n') != comment.npos || comment[last] == '\\';
}

// gcc takes "fall through" in many spellings for a remark on a case (-Wimplicit-fallthrough).
bool says_fall(std::string_view comment) {
  for (std::size_t at = 0; at + 4 <= comment.size(); ++at)
    if ((comment[at] | 0x20) == 'f' && (comment[at + 1] | 0x20) == 'a' && (comment[at + 2] | 0x20) == 'l' &&
        (comment[at + 3] | 0x20) == 'l')
      return true;
  return false;
}

// "*", a joined line and "/" end a comment, too.
bool may_end_earlier(std::string_view block) {
  for (std::size_t at = block.find('\n'); at != block.npos; at = block.find('\n', at + 1)) {
    const std::string_view line = block.substr(0, at);
    const std::size_t last = line.find_last_not_of(kBlanks);
    const bool is_joined = last != line.npos && last > 0 && line[last] == '\\' && line[last - 1] == '*';
    const char next = at + 1 < block.size() ? block[at + 1] : '\0';
    if (is_joined && (next == '/' || next == '\\')) return true;
  }
  return false;
}

// gcc warns if a backslash joins lines in a file's last line that does not end, within comments as well.
bool may_join_last_line(std::string_view comment, std::string_view behind) {
  return behind.find('\n') == behind.npos && comment.find('\n') != comment.npos && comment.find('\\') != comment.npos;
}

}  // namespace

Remark remark_of(std::string_view comment, std::string_view behind) {
  if (may_join_last_line(comment, behind)) return Remark::unclear;
  if (comment.starts_with("//")) return spans_lines(comment) || says_fall(comment) ? Remark::some : Remark::none;
  if (may_end_earlier(comment)) return Remark::unclear;
  return comment.find("/*", 2) < comment.size() - 2 || says_fall(comment) ? Remark::some : Remark::none;
}

std::size_t end_of_joined_line(std::string_view text, std::size_t from) {
  for (std::size_t end = text.find('\n', from); end != text.npos; end = text.find('\n', end + 1)) {
    const std::size_t last = end == 0 ? text.npos : text.find_last_not_of(kBlanks, end - 1);
    if (last == text.npos || last < from || text[last] != '\\') return end;
  }
  return text.size();
}

}  // namespace hipcache::inputs
