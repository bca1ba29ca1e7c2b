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

constexpr auto kC = std::to_array<std::string_view>({"c", "c-header", "objective-c", "objective-c-header"});
constexpr auto kCxx = std::to_array<std::string_view>({"c++", "c++-header", "objective-c++", "objective-c++-header",
                                                       "hip", "cuda", "c++-user-header", "c++-system-header"});
constexpr auto kCEndings = std::to_array<std::string_view>({"c", "m", "h"});
constexpr auto kCxxEndings =
    std::to_array<std::string_view>({"cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "hip", "cu", "mm", "hpp", "hh"});

Sees seen_by_debug_option(std::string_view name) {
  return name == "g0" || name == "ggdb0" || turns_off(name) ? Sees::tokens : Sees::bytes;
}

void take_warning(std::string_view word, SourceSight& sight) {
  const std::string_view name = word.substr(std::min<std::size_t>(2, word.size()));
  if (turns_off(name)) return;
  if (option_has(word, facts::shows_columns)) sight.checks_indentation = true;
  if (option_has(word, facts::shows_text) || name_has(name, name_words::warns_of_text)) sight.sees = Sees::bytes;
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
  if (option.matches(OPT_std_EQ) && option_has(spelled(option) + argument.getValue(), facts::shows_text))
    return Sees::bytes;
  return !turns_off(name) && name_has(name, name_words::records_source) ? Sees::bytes : Sees::tokens;
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
      take_warning(argument->getAsString(parsed), sight);
    } else {
      sight.sees = std::min(sight.sees, seen_by(*argument));
    }
  }
  return sight;
}

bool may_record_macros(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](std::string_view argument) { return option_has(argument, facts::shows_macros); });
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
