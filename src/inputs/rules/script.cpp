#include "hipcache/inputs/script.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::inputs {
namespace {

// Perl's functions and modules that ask for time, chance, a process, a user, a limit, or more of a file than whether it
// is there; and those that run or load a text that this search does not see.
constexpr auto kWords = std::to_array<std::string_view>({"time",
                                                         "times",
                                                         "localtime",
                                                         "gmtime",
                                                         "rand",
                                                         "srand",
                                                         "stat",
                                                         "lstat",
                                                         "umask",
                                                         "getpwuid",
                                                         "getpwnam",
                                                         "getpwent",
                                                         "getlogin",
                                                         "getppid",
                                                         "getpgrp",
                                                         "getgrgid",
                                                         "getgrnam",
                                                         "getpriority",
                                                         "sleep",
                                                         "alarm",
                                                         "syscall",
                                                         "utime",
                                                         "eval",
                                                         "fork",
                                                         "opendir",
                                                         "readdir",
                                                         "select",
                                                         "ioctl",
                                                         "fcntl",
                                                         "POSIX",
                                                         "Time",
                                                         "Sys",
                                                         "keys",
                                                         "each",
                                                         "PROCESS_ID",
                                                         "PID",
                                                         "UID",
                                                         "EUID",
                                                         "GID",
                                                         "EGID",
                                                         "BASETIME",
                                                         "REAL_USER_ID",
                                                         "EFFECTIVE_USER_ID"});
// Start of the program, users, groups; what the kernel tells; what a shell may be asked.
constexpr auto kTexts =
    std::to_array<std::string_view>({"$^T", "$<", "$>", "$(", "$)", "/proc/", "/sys/", "/dev/ur", "RANDOM", "EPOCH",
                                     "SECONDS", "ulimit", " -nt ", " -ot ", " -ef "});
// The tests of a file that ask for its size, times, owner, kind or mode. "-e", "-d", "-f", "-r", "-w" and "-x" are
// looks whose answer a path set has.
constexpr std::string_view kTests = "sMACoOuglkRWXtTBpSbc";

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// "$$", the process; not "$$name", which is what a variable leads to.
bool has_process(std::string_view text) {
  for (std::size_t at = text.find("$$"); at != text.npos; at = text.find("$$", at + 2))
    if (at + 2 == text.size() || (!is_word(text[at + 2]) && text[at + 2] != '{')) return true;
  return false;
}

// Without lines that are comments as a whole.
std::string code_of(std::string_view text) {
  std::string code;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == line.npos || line[first] != '#') code += line;
    text.remove_prefix(end);
  }
  return code;
}

// Calls `found` for each word that is no part of a longer one, and no variable of that name.
template <typename Found>
bool any_word(std::string_view text, Found found) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const char before = at == 0 ? ' ' : text[at - 1];
    if (before != '$' && before != '@' && before != '-' && found(text.substr(at, end - at))) return true;
    at = end;
  }
  return false;
}

// Whether an expression may begin behind this text: behind an operator or a keyword, and not within the words of a
// command.
bool may_begin_expression(std::string_view before) {
  constexpr auto kKeywords = std::to_array<std::string_view>(
      {"if", "unless", "elsif", "while", "until", "and", "or", "not", "xor", "return", "print", "defined", "x"});
  const std::size_t last = before.find_last_not_of(" \t\n");
  if (last == before.npos) return true;
  if (!is_word(before[last])) return std::string_view("\"'`$@%-/").find(before[last]) == std::string_view::npos;
  std::size_t begin = last;
  while (begin > 0 && is_word(before[begin - 1])) --begin;
  return holds(kKeywords, before.substr(begin, last + 1 - begin));
}

// "-s $file", "-M 'name'", "-l($path)".
bool has_test(std::string_view text) {
  for (std::size_t at = text.find('-'); at != text.npos; at = text.find('-', at + 1)) {
    if (at + 2 >= text.size() || kTests.find(text[at + 1]) == kTests.npos || is_word(text[at + 2])) continue;
    const std::size_t next = text.find_first_not_of(" \t", at + 2);
    const bool has_operand =
        next != text.npos && std::string_view("$\"'(_{@&qA").find(text[next]) != std::string_view::npos;
    if (has_operand && may_begin_expression(text.substr(0, at))) return true;
  }
  return false;
}

}  // namespace

bool is_script(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char begin[2] = {};
  return file && ::read(file.get(), begin, 2) == 2 && begin[0] == '#' && begin[1] == '!';
}

bool is_traceable_perl(std::string_view text) {
  const std::string code = code_of(text);
  const auto is_in_code = [&](std::string_view name) { return code.find(name) != code.npos; };
  return std::none_of(kTexts.begin(), kTexts.end(), is_in_code) && !has_process(code) && !has_test(code) &&
         !any_word(code, [](std::string_view word) { return holds(kWords, word); });
}

std::optional<std::vector<std::string>> variables_of_perl(std::string_view text) {
  const std::string code = code_of(text);
  std::vector<std::string> names;
  constexpr std::string_view kAll = "ENV";
  for (std::size_t at = code.find(kAll); at != code.npos; at = code.find(kAll, at)) {
    const bool begins = at == 0 || !is_word(code[at - 1]);
    const bool is_element = at > 0 && code[at - 1] == '$';
    at += kAll.size();
    if (!begins || (at < code.size() && is_word(code[at]))) continue;  // part of a longer word
    const std::size_t end = code.find('}', at);
    if (!is_element || code[at] != '{' || end == code.npos) return std::nullopt;
    std::string_view name = std::string_view(code).substr(at + 1, end - at - 1);
    const bool is_quoted = name.size() > 1 && name.front() == name.back() && (name[0] == '\'' || name[0] == '"');
    if (is_quoted) name = name.substr(1, name.size() - 2);
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_word)) return std::nullopt;
    names.emplace_back(name);
  }
  return names;
}

bool is_judged_module(std::string_view path) {
  constexpr auto kModules = std::to_array<std::string_view>({"strict.pm",
                                                             "warnings.pm",
                                                             "File/Basename.pm",
                                                             "File/Path.pm",
                                                             "File/Spec.pm",
                                                             "File/Temp.pm",
                                                             "Cwd.pm",
                                                             "Exporter.pm",
                                                             "File/Spec/Unix.pm",
                                                             "File/Spec/Functions.pm",
                                                             "Exporter/Heavy.pm",
                                                             "XSLoader.pm",
                                                             "constant.pm",
                                                             "warnings/register.pm",
                                                             "Carp.pm",
                                                             "Carp/Heavy.pm",
                                                             "overload.pm",
                                                             "overloading.pm",
                                                             "overload/numbers.pm",
                                                             "vars.pm",
                                                             "Fcntl.pm",
                                                             "IO/Seekable.pm",
                                                             "IO/Handle.pm",
                                                             "IO.pm",
                                                             "IO/File.pm",
                                                             "Symbol.pm",
                                                             "SelectSaver.pm",
                                                             "Errno.pm",
                                                             "Scalar/Util.pm",
                                                             "List/Util.pm",
                                                             "parent.pm",
                                                             "re.pm",
                                                             "lib.pm",
                                                             "Config.pm",
                                                             "feature.pm",
                                                             "utf8.pm",
                                                             "File/Glob.pm",
                                                             "Getopt/Long.pm",
                                                             "integer.pm",
                                                             "bytes.pm"});
  return std::any_of(kModules.begin(), kModules.end(), [&](std::string_view module) {
    return path.ends_with(module) && path.size() > module.size() && path[path.size() - module.size() - 1] == '/';
  });
}

}  // namespace hipcache::inputs
