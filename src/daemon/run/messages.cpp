#include "daemon/run/messages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

using namespace std::string_view_literals;

// Warnings whose texts come from declarations, types and statements alone, or from a line of the file that they name
// (#warning). Not among them: those that look for a macro, to propose its name (a null pointer, [[fallthrough]]).
constexpr std::string_view kJudgedWarnings =
    " #warnings c++17-extensions c++20-extensions constant-conversion conversion cpp delete-abstract-non-virtual-dtor "
    "delete-non-abstract-non-virtual-dtor delete-non-virtual-dtor deprecated-copy deprecated-copy-dtor "
    "deprecated-copy-with-dtor deprecated-copy-with-user-provided-copy deprecated-declarations double-promotion "
    "exceptions float-conversion ignored-attributes ignored-qualifiers implicit-const-int-float-conversion "
    "implicit-float-conversion implicit-int-conversion implicit-int-float-conversion inconsistent-missing-override "
    "invalid-noreturn literal-conversion mismatched-tags missing-braces missing-declarations "
    "missing-field-initializers missing-prototypes non-virtual-dtor overloaded-virtual pass-failed "
    "pass-failed=transform-warning pessimizing-move range-loop-construct redundant-move reorder reorder-ctor "
    "return-type self-assign self-assign-field shadow shorten-64-to-32 sign-compare sign-conversion "
    "suggest-override switch terminate undefined-inline undefined-internal undefined-var-template "
    "unneeded-internal-declaration unused-but-set-parameter unused-but-set-variable unused-comparison "
    "unused-const-variable unused-function unused-label unused-lambda-capture unused-local-typedef "
    "unused-local-typedefs unused-parameter unused-private-field unused-result unused-value unused-variable "
    "vla-cxx-extension ";
// #pragma message prints a text that macros of any file may make.
constexpr std::string_view kMessage = " [-W#pragma-messages]", kMessageOfGcc = "#pragma message: ";

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kWrapped = "      ";  // how clang begins the second line of a text at a terminal

// Colours, as clang and gcc write them. Other control sequences stay, and then the line has no form that is known.
std::string without_colours(std::string_view printed) {
  std::string text;
  while (!printed.empty()) {
    const std::size_t at = std::min(printed.find("\x1b["), printed.size());
    text += printed.substr(0, at);
    printed.remove_prefix(at);
    if (printed.empty()) break;
    const std::size_t end = printed.find_first_not_of("0123456789;", 2);
    const bool is_colour = end != printed.npos && (printed[end] == 'm' || printed[end] == 'K');
    if (!is_colour) text += printed.substr(0, 2);
    printed.remove_prefix(is_colour ? end + 1 : 2);
  }
  return text;
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Takes ":12" from the end.
bool take_number(std::string_view& text) {
  const std::size_t last = text.find_last_not_of(kDigits);
  if (last == text.npos || last + 1 == text.size() || text[last] != ':') return false;
  text.remove_suffix(text.size() - last);
  return true;
}

// "<command line>", "<built-in>" and "<scratch space>" move with macros that no source has.
bool is_file(std::string_view name) {
  return !name.empty() && name.front() != '<' && name.front() != ' ' && name.find(": ") == name.npos;
}

// The file of "a.h:3" and "a.h:3:15"; "" if the text is no place.
std::string_view file_of_place(std::string_view place) {
  if (!take_number(place)) return "";
  take_number(place);
  return is_file(place) ? place : "";
}

std::string replace_first(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  return at == text.npos ? text : text.replace(at, what.size(), with);
}

bool is_judged_warning(std::string_view text) {
  const std::size_t at = text.rfind("[-W");
  if (at == text.npos || !text.ends_with(']')) return false;
  return lists(kJudgedWarnings, text.substr(at + 3, text.size() - at - 4));
}

// Where a line names a file.
struct Place {
  std::size_t line = 0;
  std::string file;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // False if some line has no known form.
  bool read_all() {
    while (!rest_.empty())
      if (!read_message()) return false;
    return true;
  }
  bool are_judged() const { return has_warning_ && !has_unjudged_; }
  std::vector<Place> take_places() { return std::move(places_); }

 private:
  std::string_view next_line() {
    ++lines_;
    return take_line(rest_);
  }
  void note(std::string_view file) { places_.push_back({lines_ - 1, std::string(file)}); }

  bool read_message() {
    const std::string_view line = next_line();
    return is_inclusion(line) || is_context(line) || is_count(line) || is_of_margin(line) || read_diagnostic(line);
  }

  // "a.h:3:15: warning: text [-Wname]", "a.h:3:15: note: text", and the line of the source below it.
  bool read_diagnostic(std::string_view line) {
    const auto [place, kind] = parted(line);
    const std::string_view file = file_of_place(place);
    if (file.empty()) return false;
    note(file);
    const std::string_view text = line.substr(place.size() + kind.size());
    if (text.ends_with(kMessage)) {
      has_warning_ = true;
      has_unjudged_ = has_unjudged_ || text.substr(0, text.size() - kMessage.size()) != literals_of_next_line();
    } else if (kind == ": warning: ") {
      has_warning_ = true;
      has_unjudged_ = has_unjudged_ || !is_judged_warning(with_wrapped(line));
    } else {
      has_unjudged_ = has_unjudged_ || text.find(kMessageOfGcc) != text.npos;
      while (rest_.starts_with(kWrapped) && !is_excerpt()) next_line();
    }
    if (is_excerpt()) {
      next_line();
      next_line();
      if (is_mending()) next_line();
    }
    return true;
  }

  static std::pair<std::string_view, std::string_view> parted(std::string_view line) {
    constexpr std::array kKinds = {": warning: "sv, ": note: "sv, ":   required from "sv,
                                   ":   recursively required "sv};
    std::size_t first = line.npos;
    std::string_view kind;
    for (const std::string_view one : kKinds)
      if (const std::size_t at = line.find(one); at < first) {
        first = at;
        kind = one;
      }
    return first == line.npos ? std::pair(""sv, ""sv) : std::pair(line.substr(0, first), kind);
  }

  // What the literals of the line that is shown say together.
  std::string literals_of_next_line() const {
    std::string_view rest = rest_, line = take_line(rest);
    std::string said;
    while (line.find('"') != line.npos) {
      line.remove_prefix(line.find('"') + 1);
      said += line.substr(0, line.find('"'));
      line.remove_prefix(std::min(line.find('"'), line.size() - 1) + 1);
    }
    return said;
  }

  // At a terminal, clang breaks a text. Its name comes last.
  std::string with_wrapped(std::string_view line) {
    std::string all(line);
    while (all.rfind("[-W") == all.npos && rest_.starts_with(kWrapped)) all += next_line();
    return all;
  }

  // A line of the source and the marks below it, as clang before 17 and gcc without numbers show them.
  bool is_excerpt() const {
    std::string_view rest = rest_;
    take_line(rest);
    const std::string_view marks = take_line(rest);
    return !marks.empty() && marks.find_first_not_of(" \t~^") == marks.npos && marks.find_first_of("~^") != marks.npos;
  }

  // What clang proposes to write there, below the marks.
  bool is_mending() const {
    std::string_view rest = rest_;
    const std::string_view line = take_line(rest);
    return line.starts_with(' ') && !is_of_margin(line) && !trimmed(line).starts_with("from ");
  }

  // "In file included from a.h:3:", "                 from a.h:3,".
  bool is_inclusion(std::string_view line) {
    if (!take_prefix(line, "In file included from ")) {
      if (!line.starts_with(' ')) return false;
      line = trimmed(line);
      if (!take_prefix(line, "from ")) return false;
    }
    if (!line.ends_with(':') && !line.ends_with(',')) return false;
    line.remove_suffix(1);
    const std::string_view file = file_of_place(line);
    if (!file.empty()) note(file);
    return !file.empty();
  }

  // "a.h: In function 'f':", "a.h: At global scope:".
  bool is_context(std::string_view line) {
    const std::size_t at = std::min(line.find(": In "), line.find(": At "));
    if (at == line.npos || !line.ends_with(':') || !is_file(line.substr(0, at))) return false;
    note(line.substr(0, at));
    return true;
  }

  // "2 warnings generated when compiling for gfx906."
  static bool is_count(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of(kDigits), line.size());
    if (digits == 0 || !line.ends_with('.')) return false;
    line.remove_prefix(digits);
    return line.starts_with(" warning generated") || line.starts_with(" warnings generated");
  }

  // "   12 | text" and "      |  ^~~".
  static bool is_of_margin(std::string_view line) {
    if (!line.starts_with(' ')) return false;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kDigits), line.size()));
    return line.starts_with(" |") || line.starts_with("|");
  }

  std::string_view rest_;
  std::size_t lines_ = 0;
  std::vector<Place> places_;
  bool has_warning_ = false;
  bool has_unjudged_ = false;
};

std::string portable(std::string text, const Roots& roots) {
  if (roots.shown_in(text) == 0) return text;
  const std::string plain = without_colours(text);
  Reader reader(plain);
  if (!reader.read_all()) return text;
  std::string named;
  std::string_view rest = text;
  std::size_t taken = 0;
  for (const Place& place : reader.take_places()) {
    for (; taken <= place.line; ++taken) {
      std::string line(take_line(rest));
      if (taken == place.line) line = replace_first(std::move(line), place.file, roots.portable_name(place.file));
      named += line + "\n";
    }
  }
  named += rest;
  return roots.local_text(named) == roots.local_text(text) ? named : text;
}

}  // namespace

std::optional<JudgedMessages> judged_messages(std::string_view printed) {
  JudgedMessages messages{.text = without_colours(printed), .files = {}};
  if (messages.text.find("did you mean") != std::string::npos) return std::nullopt;
  Reader reader(messages.text);
  if (!reader.read_all() || !reader.are_judged()) return std::nullopt;
  for (Place& place : reader.take_places()) messages.files.push_back(std::move(place.file));
  std::sort(messages.files.begin(), messages.files.end());
  messages.files.erase(std::unique(messages.files.begin(), messages.files.end()), messages.files.end());
  return messages;
}

void make_portable(cache::ActionResult& said, const std::vector<std::string>& arguments,
                   const inputs::RunContext& from) {
  constexpr std::string_view kWidth = "-fmessage-length=";
  const bool is_broken = std::any_of(arguments.begin(), arguments.end(), [&](std::string_view argument) {
    return argument.starts_with(kWidth) && argument.substr(kWidth.size()) != "0";
  });
  if (is_broken || !from.of_terminal("2").empty() || from.variable("CCC_OVERRIDE_OPTIONS") != nullptr) return;
  for (std::string* text : {&said.stdout_text, &said.stderr_text}) *text = portable(std::move(*text), from.roots);
}

}  // namespace hipcache::daemon
