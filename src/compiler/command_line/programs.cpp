#include "compiler/command_line/programs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

// Programs that run the command in their arguments.
constexpr auto kRunners = std::to_array<std::string_view>(
    {"env", "nice", "ionice", "time", "taskset", "chrt", "nohup", "setarch", "stdbuf", "timeout", "numactl", "strace"});
// Build tools also put a link launcher before these.
constexpr auto kNoCompilers = std::to_array<std::string_view>({"cmake", "rm", "sh", "bash", "ln", "mv", "cp", "true"});
constexpr auto kOtherCaches = std::to_array<std::string_view>({"ccache", "sccache", "distcc", "icecc"});

bool is_version(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

std::string_view without_version(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash != std::string_view::npos && is_version(name.substr(dash + 1))) return name.substr(0, dash);
  return name;
}

std::string_view without_target(std::string_view name) {
  const auto dash = name.rfind('-');
  return dash == std::string_view::npos ? name : name.substr(dash + 1);
}

}  // namespace

std::string_view program_name(std::string_view path) { return without_target(without_version(base_name(path))); }

bool is_linker(std::string_view path) {
  const std::string_view name = program_name(path);
  return name == "ld" || name == "ld.bfd" || name == "ld.gold" || name == "ld.lld";
}

bool names_clang_driver(std::string_view path) {
  const std::string_view name = program_name(path);
  return name == "clang" || name == "clang++" || name == "amdclang" || name == "amdclang++";
}

bool names_other_cache(std::string_view path) { return holds(kOtherCaches, base_name(path)); }

bool names_hipcc(std::string_view path) { return program_name(path) == "hipcc"; }

bool names_driver(std::string_view path) {
  const std::string_view name = program_name(path);
  return names_clang_driver(path) || name == "gcc" || name == "g++" || name == "cc" || name == "c++" || name == "hipcc";
}

std::optional<Family> further_compiler(std::string_view path, const std::vector<std::string>& named) {
  const std::string name(base_name(path));
  for (const std::string& entry : named) {
    if (entry == name) return Family::unknown;
    if (entry == name + "=gcc") return Family::gcc;
    if (entry == name + "=clang") return Family::clang;
  }
  return std::nullopt;
}

std::string advice_on(const std::string& program) {
  const std::string name(base_name(program));
  if (holds(kOtherCaches, name) || holds(kNoCompilers, name)) return program;
  if (holds(kRunners, name)) return program + ": put hipcache after it, as in \"" + name + " hipcache clang++ ...\"";
  return program + ": if this is a compiler, name it: HIPCACHE_COMPILERS=" + name;
}

namespace {

bool is_ranlib(std::string_view path) { return program_name(path) == "ranlib"; }

bool asks_the_program(std::string_view argument) {
  return option_has(bare_option(argument), facts::asks_program, Tool::archiver);
}

Uncacheable other_operation(const std::string& argument) { return {Reason::archive_operation, argument}; }

// Accepts these letters of ar: add (q, r), write the index (s, S), be silent or not (c, v), leave
// out times (D), store names only (T), compare full names (P), truncate names (f).
std::optional<Uncacheable> letters_refusal(std::string_view letters) {
  for (const char letter : letters) {
    if (letter == 'U' || letter == 'u' || letter == 'o')
      return Uncacheable{Reason::archive_times, std::string(letters)};
    if (std::string_view("qrscvSDTPf").find(letter) == std::string_view::npos)
      return other_operation(std::string(letters));
  }
  return std::nullopt;
}

bool names_operation(std::string_view letters) { return letters.find_first_of("qrs") != std::string_view::npos; }

std::variant<std::string, Uncacheable> archive_of_ar(const std::vector<std::string>& arguments) {
  std::string letters;
  std::size_t i = 1;
  for (; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (asks_the_program(argument)) return Uncacheable{Reason::driver_information, argument};
    if (argument.starts_with("--")) return other_operation(argument);
    const bool is_bare = !argument.starts_with('-');
    if (is_bare && !letters.empty()) break;
    letters += argument.substr(is_bare ? 0 : 1);
  }
  if (auto refusal = letters_refusal(letters)) return *std::move(refusal);
  if (!names_operation(letters) || i == arguments.size()) return other_operation(letters);
  const auto is_option = [](const std::string& argument) { return argument.starts_with('-'); };
  const auto option = std::find_if(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end(), is_option);
  if (option != arguments.end()) return other_operation(*option);
  return arguments[i];
}

std::variant<std::string, Uncacheable> archive_of_ranlib(const std::vector<std::string>& arguments) {
  std::string archive;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (asks_the_program(argument)) return Uncacheable{Reason::driver_information, argument};
    if (argument == "-D") continue;
    if (argument == "-U" || argument == "-t") return Uncacheable{Reason::archive_times, argument};
    if (argument.starts_with('-') || !archive.empty()) return other_operation(argument);
    archive = argument;
  }
  if (archive.empty()) return Uncacheable{Reason::no_input, ""};
  return archive;
}

}  // namespace

bool is_archiver(std::string_view path) { return program_name(path) == "ar" || is_ranlib(path); }

std::variant<std::string, Uncacheable> find_archive(const std::vector<std::string>& arguments) {
  return is_ranlib(arguments[0]) ? archive_of_ranlib(arguments) : archive_of_ar(arguments);
}

namespace {

bool has_measuring_name(std::string_view value) {
  return value.find("stats") != std::string_view::npos || value.find("time-") != std::string_view::npos;
}

Reason refusal_of(std::string_view option) {
  const std::string_view text = bare_option(option);
  const std::string_view name = text.substr(0, text.find('='));
  if (name == "build-id") return text.ends_with("=uuid") ? Reason::linker_option : Reason::none;
  if (const Reason refusal = reason_against(name, facts::refused, Tool::linker); refusal != Reason::none)
    return refusal;
  const bool to_backend = name == "plugin-opt" || name == "mllvm";
  if (to_backend && text.find("cache-dir") != std::string_view::npos) return Reason::linker_option;
  if (to_backend && has_measuring_name(text)) return Reason::backend_option;
  return Reason::none;
}

// `words`: the arguments as the linker gets them.
std::optional<Uncacheable> refusal_among(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with('@')) return Uncacheable{Reason::response_file, word};
    if (!word.starts_with('-')) continue;
    if (const Reason refusal = refusal_of(word); refusal != Reason::none) return Uncacheable{refusal, word};
    const bool measures =
        (word == "-mllvm" || word == "--mllvm") && i + 1 < words.size() && has_measuring_name(words[i + 1]);
    if (measures) return Uncacheable{Reason::backend_option, words[i + 1]};
  }
  return std::nullopt;
}

void add_parts(std::string_view list, std::vector<std::string>& words) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    words.emplace_back(list.substr(at, comma - at));
    at = comma + 1;
  }
}

}  // namespace

std::optional<Uncacheable> refused_for_linker(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].starts_with("-Wl,"))
      add_parts(std::string_view(arguments[i]).substr(4), words);
    else if (is_option(arguments[i], facts::to_linker) && i + 1 < arguments.size())
      words.push_back(arguments[++i]);
    else if (arguments[i].starts_with("--for-linker="))
      words.push_back(arguments[i].substr(13));
  }
  return refusal_among(words);
}

std::optional<Uncacheable> refused_by_linker(const std::vector<std::string>& arguments) {
  return refusal_among({arguments.begin() + 1, arguments.end()});
}

}  // namespace hipcache::compiler
