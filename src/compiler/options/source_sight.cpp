#include "hipcache/compiler/source_sight.h"

#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/options/option_table.h"
#include "compiler/options/unknown_option.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

using namespace options;
using namespace std::string_view_literals;
using Sees = SourceSight::Sees;

// Words of options that record, measure, keep or analyse something of the source.
constexpr auto kSeeing = std::to_array<std::string_view>(
    {"debug",   "dwarf",    "profile", "prof",        "profiling", "pgo",    "coverage",  "sanitize",
     "xray",    "record",   "embed",   "comments",    "comment",   "pch",    "module",    "modules",
     "plugin",  "save",     "dump",    "index",       "serialize", "sarif",  "callgraph", "verify",
     "analyze", "analyzer", "rewrite", "fixit",       "line",      "column", "trace",     "temps",
     "verbose", "C",        "CC",      "traditional", "trigraphs", "ansi",   "hash",      "info"});

constexpr auto kSeeingWarnings =
    std::to_array<std::string_view>({"documentation", "whitespace", "traditional", "everything", "doc"});
constexpr auto kWithIndentation =
    std::to_array<std::string_view>({"all", "most", "misleading-indentation", "error=misleading-indentation"});
constexpr auto kAnyCommentFallsThrough = std::to_array<std::string_view>(
    {"implicit-fallthrough=1", "error=implicit-fallthrough=1", "implicit-fallthrough=2"});

// Languages in which "//" begins no comment, or trigraphs count.
constexpr auto kOldLanguages = std::to_array<std::string_view>(
    {"c89", "c90", "iso9899:1990", "iso9899:199409", "c++98", "c++03", "gnu++98", "gnu++03"});

constexpr auto kC = std::to_array<std::string_view>({"c", "c-header", "objective-c", "objective-c-header"});
constexpr auto kCxx = std::to_array<std::string_view>({"c++", "c++-header", "objective-c++", "objective-c++-header",
                                                       "hip", "cuda", "c++-user-header", "c++-system-header"});
constexpr auto kCEndings = std::to_array<std::string_view>({"c", "m", "h"});
constexpr auto kCxxEndings =
    std::to_array<std::string_view>({"cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "hip", "cu", "mm", "hpp", "hh"});

template <typename List>
bool has_word(const List& words, std::string_view name) {
  while (!name.empty()) {
    const std::size_t end = name.find_first_of("-_.:+,=");
    const std::string_view word = name.substr(0, end);
    if (holds(words, word)) return true;
    if (word.size() > 1 && (word[0] == 'f' || word[0] == 'g' || word[0] == 'm') && holds(words, word.substr(1)))
      return true;
    name = end == name.npos ? std::string_view() : name.substr(end + 1);
  }
  return false;
}

bool turns_off(std::string_view name) {
  constexpr std::array kBegin = {"no-"sv, "fno-"sv, "gno-"sv, "mno-"sv};
  return holds_prefix_of(kBegin, name);
}

Sees seen_by_debug_option(std::string_view name) {
  return name == "g0" || name == "ggdb0" || turns_off(name) ? Sees::tokens : Sees::bytes;
}

void take_warning(std::string_view name, SourceSight& sight) {
  if (turns_off(name)) return;
  if (holds(kWithIndentation, name)) sight.checks_indentation = true;
  if (has_word(kSeeingWarnings, name) || holds(kAnyCommentFallsThrough, name)) sight.sees = Sees::bytes;
  if (name == "everything") sight.checks_indentation = true;
}

void take_language(std::string_view language, SourceSight& sight) {
  sight.is_cxx = holds(kCxx, language);
  sight.is_c_family = sight.is_cxx || holds(kC, language);
}

void take_source(std::string_view path, bool is_language_given, SourceSight& sight) {
  if (is_language_given) return;
  const std::string_view name = base_name(path);
  const std::size_t dot = name.rfind('.');
  const std::string_view ending = dot == name.npos ? ""sv : name.substr(dot + 1);
  sight.is_cxx = holds(kCxxEndings, ending);
  sight.is_c_family = sight.is_cxx || holds(kCEndings, ending);
}

Sees seen_by(const llvm::opt::Arg& argument) {
  if (is_unjudged(argument.getOption())) return Sees::bytes;
  const llvm::opt::Option& option = argument.getOption();
  const std::string_view name(option.getName().data(), option.getName().size());
  if (option.matches(OPT_fopenmp) || option.matches(OPT_fopenmp_EQ) || name.starts_with("fopenacc"))
    return Sees::places;
  if (name.starts_with("X")) return Sees::bytes;  // -Xclang and kin hand options on
  if (option_has(spelled(option), facts::sees_nothing)) return Sees::tokens;
  if (option.matches(OPT_g_Group) || option.matches(OPT_gN_Group)) return seen_by_debug_option(name);
  if (option.matches(OPT_std_EQ) && holds(kOldLanguages, std::string_view(argument.getValue()))) return Sees::bytes;
  return !turns_off(name) && has_word(kSeeing, name) ? Sees::bytes : Sees::tokens;
}

bool is_complete(std::string_view word) {
  constexpr std::array kJoined = {"-D"sv, "-U"sv,    "-I"sv, "-O"sv, "-f"sv,    "-m"sv,
                                  "-W"sv, "-std="sv, "-g"sv, "--"sv, "-nogpu"sv};
  if (!word.starts_with('-') || option_has(word, facts::stands_alone)) return true;
  if (word == "-fplugin" || option_has(word, facts::takes_next | facts::job_takes_next)) return false;
  if (word.starts_with("--")) return word.find('=') != word.npos || word == "--hip-link" || word.starts_with("--no-");
  return word.size() > 2 && holds_prefix_of(kJoined, word);
}

}  // namespace

SourceSight source_sight(const std::vector<std::string>& arguments) {
  const bool is_cc1 = arguments.size() > 1 && arguments[1] == "-cc1";
  std::vector<const char*> words;
  for (std::size_t i = is_cc1 ? 2 : 1; i < arguments.size(); ++i) words.push_back(arguments[i].c_str());
  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const llvm::opt::InputArgList parsed =
      option_table().ParseArgs(words, missing_index, missing_count, is_cc1 ? kCc1 : kDriver);
  SourceSight sight;
  if (missing_count != 0) sight.sees = Sees::bytes;
  bool is_language_given = false;
  for (const llvm::opt::Arg* argument : parsed) {
    const llvm::opt::Option& option = argument->getOption();
    if (option.getID() == OPT_x) {
      is_language_given = std::string_view(argument->getValue()) != "none";
      take_language(argument->getValue(), sight);
    } else if (option.getID() == OPT_INPUT) {
      take_source(argument->getValue(), is_language_given, sight);
    } else if (option.matches(OPT_W_Group)) {
      const std::string spelled = argument->getAsString(parsed);
      take_warning(std::string_view(spelled).substr(std::min<std::size_t>(2, spelled.size())), sight);
    } else {
      sight.sees = std::min(sight.sees, seen_by(*argument));
    }
  }
  return sight;
}

bool may_record_macros(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view argument) {
    return argument == "-M" || argument == "-MM" || option_has(argument, facts::shows_macros);
  });
}

std::vector<MacroArgument> macro_arguments(const std::vector<std::string>& arguments) {
  std::vector<MacroArgument> macros;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with("-D") && !word.starts_with("-U")) continue;
    if (i > 1 && !is_complete(arguments[i - 1])) continue;
    if (word.size() > 2) {
      macros.push_back({i, 1, word});
    } else if (i + 1 < arguments.size()) {
      macros.push_back({i, 2, word + arguments[i + 1]});
      ++i;
    }
  }
  return macros;
}

}  // namespace hipcache::compiler
