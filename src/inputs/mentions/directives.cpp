#include "inputs/mentions/directives.h"

namespace hipcache::inputs {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return trimmed(line);
}

// Skips a comment that begins the line. False if code follows it in the line where it ends.
bool skip_comment(std::string_view line, std::string_view& text) {
  line.remove_prefix(2);
  for (;;) {
    if (const std::size_t end = line.find("*/"); end != line.npos) return trimmed(line.substr(end + 2)).empty();
    if (text.empty()) return false;
    line = take_line(text);
  }
}

// Whether the line has no comment, or only one that ends with the line. Any other may hide code in the next lines.
bool has_plain_comments(std::string_view line) {
  const std::size_t begin = line.find("/*");
  if (begin == line.npos) return true;
  return line.find_first_of("\"'") == line.npos && line.find("//") == line.npos &&
         line.find("*/", begin + 2) + 2 == line.size();
}

// Skips a directive with its continuation lines.
bool skip_directive(std::string_view line, std::string_view& text) {
  for (;;) {
    if (!has_plain_comments(line)) return false;
    if (!line.ends_with('\\')) return true;
    if (text.empty()) return false;
    line = take_line(text);
  }
}

bool skip_line(std::string_view line, std::string_view& text) {
  if (line.empty()) return true;
  if (line.starts_with('#')) return skip_directive(line, text);
  if (line.starts_with("//")) return !line.ends_with('\\');
  return line.starts_with("/*") && skip_comment(line, text);
}

}  // namespace

bool is_only_directives(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!skip_line(line, text)) return false;
  }
  return true;
}

}  // namespace hipcache::inputs
