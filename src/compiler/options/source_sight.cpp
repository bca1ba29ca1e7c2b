#include "hipcache/compiler/source_sight.h"

#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_map>

#include "compiler/options/option_table.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

using namespace options;
using namespace std::string_view_literals;
using llvm::opt::Arg;
using llvm::opt::InputArgList;
using Sees = SourceSight::Sees;

enum Compilers : unsigned { kClang = 1, kGcc = 2, kBoth = kClang | kGcc };

// What an option lets the compiler see.
struct Permission {
  bool is_judged = false;
  Sees sees = Sees::bytes;
  bool checks_columns = false;
  bool makes_debug_information = false;
};
constexpr Permission kUnjudgedOption{}, bytes{true, Sees::bytes}, tokens{true, Sees::tokens},
    columns{true, Sees::tokens, true}, debug{true, Sees::tokens, false, true};

struct Names {
  unsigned compilers;
  Permission permission;
  std::string_view names;
};

constexpr Names kOptionNames[] = {
#define OPTIONS(compilers, permission, names) {compilers, permission, names},
#define WARNINGS(compilers, permission, names)
#define LLVM(compilers, permission, names)
#include "compiler/options/permitted_options.inc"
#undef OPTIONS
#undef WARNINGS
};

constexpr Names kWarningNames[] = {
#define OPTIONS(compilers, permission, names)
#define WARNINGS(compilers, permission, names) {compilers, permission, names},
#include "compiler/options/permitted_options.inc"
#undef OPTIONS
#undef WARNINGS
#undef LLVM
};

constexpr Names kLlvmNames[] = {
#define OPTIONS(compilers, permission, names)
#define WARNINGS(compilers, permission, names)
#define LLVM(compilers, permission, names) {compilers, permission, names},
#include "compiler/options/permitted_options.inc"
#undef OPTIONS
#undef WARNINGS
#undef LLVM
};

class Permissions {
 public:
  template <std::size_t count>
  Permissions(const Names (&lists)[count], unsigned compiler) {
    for (const Names& list : lists)
      if ((list.compilers & compiler) != 0)
        for (std::string_view left = list.names; !left.empty();) {
          const std::size_t end = std::min(left.find(' '), left.size());
          by_name_.emplace(left.substr(0, end), list.permission);
          left.remove_prefix(std::min(end + 1, left.size()));
        }
  }

  // Of the word itself, or of the word up to its value.
  Permission of(std::string_view word) const {
    const auto whole = by_name_.find(word);
    if (whole != by_name_.end()) return whole->second;
    const auto name = by_name_.find(word.substr(0, word.find('=') + 1));
    return name == by_name_.end() ? kUnjudgedOption : name->second;
  }

 private:
  std::unordered_map<std::string_view, Permission> by_name_;
};

Permission of_option(std::string_view name, unsigned compiler) {
  static const Permissions of_clang(kOptionNames, kClang), of_gcc(kOptionNames, kGcc);
  const Permissions& permissions = compiler == kClang ? of_clang : of_gcc;
  const Permission found = permissions.of(name);
  if (found.is_judged || name.size() < 5 || name.substr(2, 3) != "no-" || "fmg"sv.find(name[1]) == ""sv.npos)
    return found;
  const std::string turned_on = std::string(name.substr(0, 2)).append(name.substr(5));
  return permissions.of(turned_on).is_judged ? tokens : kUnjudgedOption;
}

// `name`: without -W. Whatever turns a warning off, or an error into a warning, makes no message.
Permission of_warning(std::string_view name, unsigned compiler) {
  static const Permissions of_clang(kWarningNames, kClang), of_gcc(kWarningNames, kGcc);
  const bool is_well_formed = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || "+-_=#."sv.find(c) != ""sv.npos;
  });
  if (!is_well_formed) return kUnjudgedOption;
  if (name.empty() || name.starts_with("no-")) return tokens;  // -W is -Wextra
  constexpr std::string_view kError = "error=";
  if (name.starts_with(kError)) name.remove_prefix(kError.size());
  return (compiler == kClang ? of_clang : of_gcc).of(name);
}

Permission of_llvm_option(std::string_view word) {
  static const Permissions permissions(kLlvmNames, kClang);
  if (word.starts_with("-amdgpu-")) return tokens;
  return permissions.of(word.substr(0, word.find('=')));
}

// hipcc names this one unless told otherwise. It differs from C++14 in digit separators alone.
constexpr auto kCxx11 = std::to_array<std::string_view>({"c++11", "c++0x", "gnu++11", "gnu++0x"});

Permission of_standard(std::string_view name) {
  constexpr auto kJudged = std::to_array<std::string_view>(
      {"c99",          "c9x",     "c11",          "c1x",          "c17",          "c18",          "c23",
       "c2x",          "gnu99",   "gnu9x",        "gnu11",        "gnu1x",        "gnu17",        "gnu18",
       "gnu23",        "gnu2x",   "iso9899:1999", "iso9899:199x", "iso9899:2011", "iso9899:2017", "iso9899:2018",
       "iso9899:2024", "c++14",   "c++1y",        "c++17",        "c++1z",        "c++20",        "c++2a",
       "c++23",        "c++2b",   "c++26",        "c++2c",        "gnu++14",      "gnu++1y",      "gnu++17",
       "gnu++1z",      "gnu++20", "gnu++2a",      "gnu++23",      "gnu++2b",      "gnu++26",      "gnu++2c"});
  constexpr auto kOlder = std::to_array<std::string_view>(
      {"c89", "c90", "gnu89", "gnu90", "iso9899:1990", "iso9899:199409", "c++98", "c++03", "gnu++98", "gnu++03"});
  if (holds(kJudged, name) || holds(kCxx11, name)) return tokens;
  return holds(kOlder, name) ? bytes : kUnjudgedOption;
}

// The assembler behind the compiler gets no source.
Permission of_assembler_words(const Arg& argument) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"--noexecstack", "--fatal-warnings", "--no-warn", "-mrelax-relocations=no", "-mrelax-relocations=yes"});
  const auto& words = argument.getValues();
  return std::all_of(words.begin(), words.end(), [&](std::string_view word) { return holds(kWords, word); })
             ? tokens
             : kUnjudgedOption;
}

unsigned compilers_named(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return 0;
  const std::string& program = arguments[0];
  if (names_clang_driver(program) || names_hipcc(program)) return kClang;
  if (!names_driver(program)) return 0;
  // "cc" and "c++" may be links to either.
  const std::string_view name = base_name(program);
  return name.find("gcc") != name.npos || name.find("g++") != name.npos ? kGcc : kBoth;
}

class Reader {
 public:
  Reader(const std::vector<std::string>& arguments, unsigned compiler) : compiler_(compiler) {
    const bool is_cc1 = arguments.size() > 1 && arguments[1] == "-cc1";
    is_hipcc_ = !arguments.empty() && names_hipcc(arguments[0]);
    std::vector<const char*> words;
    for (std::size_t i = is_cc1 ? 2 : 1; i < arguments.size(); ++i) words.push_back(arguments[i].c_str());
    read(words, is_cc1 ? kCc1 : kDriver);
    std::vector<const char*> handed_on;
    for (const std::string& word : for_cc1_) handed_on.push_back(word.c_str());
    is_handed_on_ = true;
    if (!handed_on.empty()) read(handed_on, kCc1);
    judge_debug_information();
    if (is_cxx11_) sight_.is_cxx = false;
  }

  const SourceSight& sight() const { return sight_; }
  bool compiles_one_source() const { return compiles_ && sources_ == 1; }

 private:
  void read(const std::vector<const char*>& words, unsigned reader) {
    unsigned missing_index = 0;
    unsigned missing_count = 0;
    const InputArgList parsed = option_table().ParseArgs(words, missing_index, missing_count, reader);
    if (missing_count != 0) take(kUnjudgedOption, words[missing_index]);
    for (const Arg* argument : parsed) take(*argument, argument->getAsString(parsed), parsed);
  }

  void take(const Arg& resolved, const std::string& text, const InputArgList& parsed) {
    switch (resolved.getOption().getID()) {
      case OPT_INPUT:
        return take_input(resolved.getValue());
      case OPT_x:
        if (compiler_ == kGcc && resolved.getAlias() != nullptr) return take(kUnjudgedOption, text);
        return take_language(resolved.getValue(), text);
      case OPT__DASH_DASH:
        if (compiler_ != kClang) return take(kUnjudgedOption, text);
        for (const char* value : resolved.getValues()) take_input(value);
        return;
      case OPT_Xclang:
        if (compiler_ == kClang) for_cc1_.emplace_back(resolved.getValue());
        return compiler_ == kClang ? void() : take(kUnjudgedOption, text);
      case OPT_Xarch_host:
      case OPT_Xarch_device:
      case OPT_Xarch__:
        if (compiler_ != kClang) return take(kUnjudgedOption, text);
        is_handed_on_ = true;
        read({resolved.getValues().back()}, kDriver);
        is_handed_on_ = false;
        return;
      case OPT_gdwarf_2:
      case OPT_gdwarf_3:
      case OPT_gdwarf_4:
      case OPT_gdwarf_5:
      case OPT_gdwarf:
        dwarf_version_ = spelled(resolved.getOption());
        break;
      case OPT_dwarf_version_EQ:
        dwarf_version_ = std::string("-gdwarf-") + resolved.getValue();
        break;
      case OPT_std_EQ:
        is_cxx11_ = holds(kCxx11, std::string_view(resolved.getValue()));
        break;
      case OPT_c:
        compiles_ = true;
        break;
      default:
        break;
    }
    take(permission_of(resolved, parsed), text);
  }

  Permission permission_of(const Arg& resolved, const InputArgList& parsed) const {
    // gcc's own aliases are other ones, so only its spellings count.
    const Arg& argument = compiler_ == kGcc && resolved.getAlias() != nullptr ? *resolved.getAlias() : resolved;
    const llvm::opt::Option& option = argument.getOption();
    const bool is_unknown = option.getKind() == llvm::opt::Option::UnknownClass;
    const std::string typed = parsed.getArgString(resolved.getIndex());
    const std::string name = is_unknown          ? typed
                             : compiler_ == kGcc ? std::string(argument.getSpelling())
                                                 : spelled(option);
    // A macro by another spelling, or handed on, is one that nobody finds in the command.
    if (resolved.getOption().matches(OPT_D) || resolved.getOption().matches(OPT_U))
      return (typed.starts_with("-D") || typed.starts_with("-U")) && !is_handed_on_ ? tokens : kUnjudgedOption;
    if (option.matches(OPT_std_EQ)) return name == "-std=" ? of_standard(argument.getValue()) : kUnjudgedOption;
    if (option.matches(OPT_Wa_COMMA)) return of_assembler_words(argument);
    if (option.matches(OPT_mllvm)) return compiler_ == kClang ? of_llvm_option(argument.getValue()) : kUnjudgedOption;
    const Permission listed = of_option(name, compiler_);
    if (listed.is_judged) return listed;
    if (option.matches(OPT_W_Group)) {
      const std::string word =
          compiler_ == kGcc ? typed : name + (argument.getNumValues() == 0 ? "" : argument.getValue());
      return word.starts_with("-W") ? of_warning(std::string_view(word).substr(2), compiler_) : kUnjudgedOption;
    }
    if (option.matches(OPT_pedantic_Group)) return tokens;
    if (compiler_ == kGcc) return of_option(typed, kGcc);
    return is_target_feature(option) || option.matches(OPT_clang_ignored_gcc_optimization_f_Group) ? tokens
                                                                                                   : kUnjudgedOption;
  }

  static bool is_target_feature(const llvm::opt::Option& option) {
    constexpr auto kGroups = std::to_array<unsigned>(
        {OPT_m_x86_Features_Group, OPT_m_x86_AVX10_Features_Group, OPT_m_amdgpu_Features_Group,
         OPT_m_aarch64_Features_Group, OPT_m_arm_Features_Group, OPT_m_ppc_Features_Group, OPT_m_riscv_Features_Group});
    return std::any_of(kGroups.begin(), kGroups.end(), [&](unsigned group) { return option.matches(group); });
  }

  void take(const Permission& permission, std::string_view text) {
    sight_.checks_indentation = sight_.checks_indentation || permission.checks_columns;
    if (permission.makes_debug_information && debug_.empty()) debug_ = text;
    lower(permission.sees, permission.is_judged, text);
  }

  void lower(Sees sees, bool is_judged, std::string_view text) {
    if (sees < sight_.sees || (sight_.is_judged && !is_judged)) sight_.because = text;
    sight_.sees = std::min(sight_.sees, sees);
    sight_.is_judged = sight_.is_judged && is_judged;
  }

  // gcc never writes digests of sources, clang does from DWARF 5 on.
  void judge_debug_information() {
    if (debug_.empty()) return;
    const bool has_digests = compiler_ == kClang && dwarf_version_ != "-gdwarf-2" && dwarf_version_ != "-gdwarf-3" &&
                             dwarf_version_ != "-gdwarf-4";
    lower(has_digests ? Sees::bytes : Sees::places, true, debug_);
  }

  void take_language(std::string_view language, std::string_view text) {
    is_language_given_ = language != "none";
    if (is_language_given_) set_language(language == "c", language == "c++" || is_hip(language), text);
  }

  void take_input(std::string_view path) {
    constexpr auto kCxxEndings = std::to_array<std::string_view>({"cc", "cp", "cxx", "cpp", "CPP", "c++", "C"});
    constexpr auto kObjects = std::to_array<std::string_view>({"o", "a", "so"});
    const std::string_view name = base_name(path);
    const std::size_t dot = name.rfind('.');
    const std::string_view ending = dot == name.npos ? ""sv : name.substr(dot + 1);
    if (!is_language_given_ && holds(kObjects, ending)) return;
    if (!is_language_given_) set_language(ending == "c", holds(kCxxEndings, ending) || is_hip(ending), path);
    ++sources_;
  }

  // hipcc takes CUDA's sources for HIP's.
  bool is_hip(std::string_view name) const {
    return compiler_ == kClang && (name == "hip" || (name == "cu" && is_hipcc_));
  }

  void set_language(bool is_c, bool is_cxx, std::string_view text) {
    if (!is_c && !is_cxx) take(kUnjudgedOption, text);
    if (sources_ != 0 && is_cxx != sight_.is_cxx) take(bytes, text);
    sight_.is_cxx = is_cxx;
    sight_.is_c_family = is_c || is_cxx;
  }

  unsigned compiler_;
  SourceSight sight_;
  bool is_hipcc_ = false;
  bool is_handed_on_ = false;  // by -Xclang or -Xarch_
  bool is_language_given_ = false;
  bool is_cxx11_ = false;
  bool compiles_ = false;
  int sources_ = 0;
  std::vector<std::string> for_cc1_;
  std::string debug_;          // the option that makes debug information
  std::string dwarf_version_;  // the last option of the driver that says which
};

}  // namespace

SourceSight source_sight(const std::vector<std::string>& arguments) {
  const unsigned compilers = compilers_named(arguments);
  if (compilers == 0)
    return {.sees = Sees::bytes, .is_judged = false, .because = arguments.empty() ? "" : arguments[0]};
  SourceSight sight = Reader(arguments, compilers == kGcc ? kGcc : kClang).sight();
  if (compilers != kBoth) return sight;
  SourceSight as_gcc = Reader(arguments, kGcc).sight();
  const bool is_stricter = as_gcc.sees < sight.sees || (sight.is_judged && !as_gcc.is_judged);
  as_gcc.checks_indentation = as_gcc.checks_indentation || sight.checks_indentation;
  sight.checks_indentation = as_gcc.checks_indentation;
  as_gcc.is_judged = as_gcc.is_judged && sight.is_judged;
  return is_stricter ? as_gcc : sight;
}

bool may_record_macros(const std::vector<std::string>& arguments) {
  const unsigned compilers = compilers_named(arguments);
  if (compilers == 0) return true;
  const auto hides_them = [&](unsigned compiler) {
    if ((compilers & compiler) == 0) return true;
    const Reader reader(arguments, compiler);
    return reader.sight().is_judged && reader.compiles_one_source();
  };
  return !hides_them(kClang) || !hides_them(kGcc);
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
