#include "inputs/rules/variable_use.h"

#include <algorithm>
#include <array>
#include <string>

#include "hipcache/base/files.h"
#include "inputs/rules/environment.h"

namespace hipcache::inputs {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Calls `take` with what follows each `what`: without leading space, up to one of `ends`.
template <typename Take>
void each_after(std::string_view text, std::string_view what, const char* ends, Take take) {
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) {
    const auto begin = text.find_first_not_of(kSpace, at + what.size());
    if (begin == std::string_view::npos) return;
    take(text.substr(begin, text.find_first_of(ends, begin) - begin));
  }
}

// Whether a run may ask for the variable without its value becoming an input.
bool may_be_no_input(std::string_view variable) {
  return is_left_out(variable) || may_go_unused(variable) || variable == "LD_PRELOAD";
}

}  // namespace

std::string asked_in_vain(std::string_view specs) {
  std::string found;
  each_after(specs, "getenv(", " \t\r\n)", [&](std::string_view variable) {
    if (found.empty() && may_be_no_input(variable)) found = variable;
  });
  return found;
}

std::set<std::string> included_by(std::string_view specs) {
  std::set<std::string> names;
  for (const std::string_view directive : {"%include <", "%include_noerr <"})
    each_after(specs, directive, ">\n", [&](std::string_view name) { names.emplace(base_name(name)); });
  return names;
}

namespace {

// gcc's programs that do not link LTO code. Of these, only the driver asks for MAKEFLAGS (gcc.cc, detect_jobserver). It
// passes the variable on, and removes a jobserver that does not exist. lto-wrapper and lto1 (gcc 13 and later) look for
// the jobserver, so they are not listed: -flto=jobserver warns if there is none.
constexpr auto kWithoutJobserver =
    std::to_array<std::string_view>({"gcc", "g++", "cpp", "cc1", "cc1plus", "as", "collect2", "ld", "ld.bfd"});

// clang's programs for a compile. Of these, only the frontend asks for SOURCE_DATE_EPOCH (CompilerInvocation.cpp). The
// frontend formats every date of the value with gmtime (PPMacroExpansion.cpp of clang 16 to 22). lld asks for the
// variable when it links for Windows, but then it is started as lld-link. gcc asks only when it uses the value, so gcc
// is not listed.
constexpr auto kDatesByGmtime =
    std::to_array<std::string_view>({"clang", "lld", "ld.lld", "clang-offload-bundler", "clang-offload-packager"});

// They decide how compilers and their tools print: colours, links in messages, the width of a line.
constexpr auto kOfTerminal = std::to_array<std::string_view>(
    {"TERM", "COLORTERM", "NO_COLOR", "GCC_COLORS", "GCC_URLS", "TERM_URLS", "COLUMNS", "LINES"});

// Programs of gcc, GNU and clang that use libc's locale at most for messages (LC_MESSAGES) and their encoding
// (LC_CTYPE: quotes, columns). gcc reads sources as UTF-8 in every locale (libcpp's charset.cc, _cpp_default_encoding),
// and has its own names of months for dates. as writes dates into listings, and a listing as an output sets
// `Shows::colour`. Neither clang nor lld asks for a locale.
constexpr auto kSpeakLocale = std::to_array<std::string_view>({"gcc", "g++", "cpp", "cc1", "cc1plus", "as", "collect2",
                                                               "ld", "ld.bfd", "ar", "ranlib", "clang", "lld", "ld.lld",
                                                               "clang-offload-bundler", "clang-offload-packager"});

bool is_of_locale(std::string_view variable) {
  return variable.starts_with("LC_") || variable == "LANG" || variable == "LANGUAGE" || variable == "OUTPUT_CHARSET";
}

bool is_of_terminal(std::string_view variable) {
  return std::find(kOfTerminal.begin(), kOfTerminal.end(), variable) != kOfTerminal.end();
}

template <typename List>
bool ran_only(const List& tools, const trace::Trace& trace) {
  return std::all_of(trace.programs.begin(), trace.programs.end(), [&](const std::string& program) {
    return std::find(tools.begin(), tools.end(), tool_of(program)) != tools.end();
  });
}

bool holds(const trace::Trace& trace, trace::Kind kind) {
  return std::any_of(trace.records.begin(), trace.records.end(),
                     [&](const trace::Record& record) { return record.kind == kind; });
}

bool started(std::string_view name, const trace::Trace& trace) {
  return std::any_of(trace.records.begin(), trace.records.end(), [&](const trace::Record& record) {
    return record.kind == trace::Kind::execute && base_name(record.text).starts_with(name);
  });
}

bool made_no_date(const trace::Trace& trace) {
  return ran_only(kDatesByGmtime, trace) && !holds(trace, trace::Kind::date) && !started("lld-link", trace);
}

}  // namespace

bool may_go_unused(std::string_view variable) {
  return variable == "MAKEFLAGS" || is_of_terminal(variable) || is_of_locale(variable);
}

// Programs other than compilers may do anything by what they hear of a terminal.
VariableUse use_of_terminal(const trace::Trace& trace, Shown shown) {
  if (shown.colour || !std::all_of(trace.programs.begin(), trace.programs.end(), asks_by_name))
    return VariableUse::value;
  return shown.plans ? VariableUse::look : VariableUse::none;
}

VariableUse use_of(std::string_view variable, const trace::Trace& trace, Shown shown) {
  if (is_of_terminal(variable)) return use_of_terminal(trace, shown);
  if (!shown.colour && is_of_locale(variable) && ran_only(kSpeakLocale, trace)) return VariableUse::none;
  if (variable == "MAKEFLAGS" && ran_only(kWithoutJobserver, trace)) return VariableUse::none;
  if (variable == "SOURCE_DATE_EPOCH" && made_no_date(trace)) return VariableUse::form;
  return VariableUse::value;
}

}  // namespace hipcache::inputs
