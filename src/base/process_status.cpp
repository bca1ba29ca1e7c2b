#include "hipcache/base/process_status.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache {
namespace {

// The text up to the next blank, which is passed.
std::string_view take_field(std::string_view& text) {
  const std::string_view field = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(field.size() + 1, text.size()));
  return field;
}

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const std::string_view field = take_field(text);
  return std::from_chars(field.data(), field.data() + field.size(), number).ec == std::errc();
}

}  // namespace

// The format is "PID (NAME) STATE PARENT ...", and the name may hold any character. proc_pid_stat(5).
std::optional<ProcessStatus> process_status(pid_t process) {
  constexpr std::uint64_t kLimit = 4096;
  constexpr int kBetweenParentAndStart = 17;
  if (process <= 0) return std::nullopt;
  const Result<std::string> text = read_file("/proc/" + std::to_string(process) + "/stat", kLimit);
  if (!text) return std::nullopt;
  const std::size_t name_begin = text->find('('), name_end = text->rfind(") ");
  if (name_begin == text->npos || name_end == text->npos || name_end < name_begin) return std::nullopt;
  ProcessStatus status{.name = text->substr(name_begin + 1, name_end - name_begin - 1)};
  std::string_view left = std::string_view(*text).substr(name_end + 2);
  const std::string_view state = take_field(left);
  if (state.size() != 1 || !take_number(left, status.parent)) return std::nullopt;
  status.state = state[0];
  for (int field = 0; field < kBetweenParentAndStart; ++field) take_field(left);
  if (!take_number(left, status.started)) return std::nullopt;
  return status;
}

}  // namespace hipcache
