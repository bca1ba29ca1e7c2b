#include "hipcache/inputs/name_likeness.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {
namespace {

constexpr char kEnd = ' ';

// How much of a name counts.
struct Parts {
  bool length = false;
  std::size_t first = 0;  // characters
  std::size_t last = 0;
};

// Of the ends whole components count: two names often end in the same letter, and no code cuts a name off there.
std::size_t length_of_shared_end(std::string_view one, std::string_view other) {
  std::size_t length = 0;
  for (std::size_t at = one.rfind('/'); at != one.npos && other.ends_with(one.substr(at));
       at = one.rfind('/', at - 1)) {
    length = one.size() - at;
    if (at == 0) break;
  }
  return length;
}

Parts shared(std::string_view one, std::string_view other) {
  return {one.size() == other.size(), shared_prefix(one, other), length_of_shared_end(one, other)};
}

std::string text_of(const Parts& parts) {
  std::string text;
  for (const std::size_t number : {std::size_t{parts.length}, parts.first, parts.last})
    text += kEnd + std::to_string(number);
  return text;
}

// Takes a number from the front of a text; 0 if there is none.
std::size_t take_number(std::string_view& text) {
  std::size_t number = 0;
  if (text.starts_with(kEnd)) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? number : 0;
}

void append_parts(std::string& answer, std::string_view name, std::string_view& question) {
  const Parts parts{take_number(question) != 0, take_number(question), take_number(question)};
  if (parts.length) answer += std::to_string(name.size());
  answer += '\n';
  answer += name.substr(0, parts.first);
  answer += '\n';
  answer += name.substr(name.size() - std::min(parts.last, name.size()));
  answer += '\n';
}

}  // namespace

std::optional<Observation> likeness_of(const Root& one, const Root& other) {
  if (one.mark != other.mark || one.form != other.form) return std::nullopt;
  if (one.path == other.path || (one.alias == other.alias && !one.alias.empty())) return std::nullopt;
  return Observation{Question::name_likeness,
                     one.mark + text_of(shared(one.path, other.path)) + text_of(shared(one.alias, other.alias))};
}

std::string shared_parts(const Root& root, std::string_view question) {
  std::string answer = root.form + '\n';
  append_parts(answer, root.path, question);
  append_parts(answer, root.alias, question);
  return answer;
}

std::string_view mark_of_likeness(std::string_view name) { return name.substr(0, name.find(kEnd)); }

std::string_view parts_of_likeness(std::string_view name) {
  return name.substr(std::min(name.find(kEnd), name.size()));
}

}  // namespace hipcache::inputs
