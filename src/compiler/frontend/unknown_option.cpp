#include "compiler/frontend/unknown_option.h"

#include <llvm/Option/Arg.h>
#include <llvm/Option/OptTable.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <set>
#include <string>

#include "compiler/options/option_table.h"
#include "hipcache/base/text.h"

namespace hipcache::compiler {
namespace {

using namespace options;

// Words in the names of options that do more than steer the compile. A false match only means that
// the compile is one step for all architectures.
constexpr auto kLoudWords = std::to_array<std::string_view>({
    // print something else than messages about the source, or measure
    "print",
    "printing",
    "dump",
    "list",
    "view",
    "verbose",
    "help",
    "version",
    "log",
    "logging",
    "dot",
    "stats",
    "stat",
    "statistics",
    "time",
    "timer",
    "timing",
    "timings",
    "trace",
    "tracing",
    "report",
    "reports",
    "summary",
    "summaries",
    "echo",
    // write files, or name them
    "output",
    "outputs",
    "save",
    "write",
    "export",
    "emit",
    "file",
    "files",
    "filename",
    "path",
    "dir",
    "directory",
    "tar",
    "reproducer",
    "crash",
    "temps",
    "temp",
    "keep",
    "database",
    "fragment",
    "serialize",
    "json",
    "yaml",
    "html",
    "sarif",
    // load code, or start programs
    "plugin",
    "plugins",
    "tool",
    "distributor",
    "server",
    "exec",
    // remember, or trust times
    "module",
    "modules",
    "modulemap",
    "pch",
    "cache",
    "cas",
    "daemon",
    "depscan",
    "scan",
    "incremental",
    "index",
    // depend on chance, or on the command's text
    "random",
    "rng",
    "uuid",
    "record",
    "switches",
    "command",
    "cmdline",
    // make something else
    "analyze",
    "analyzer",
    "rewrite",
    "migrate",
    "extract",
    "fixit",
});

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// "-fno-x", "-mno-x", "-gno-x", "--no-x" turn something off.
bool turns_off(std::string_view name) {
  constexpr auto kBegin = std::to_array<std::string_view>({"no-", "fno-", "mno-", "gno-"});
  return holds_prefix_of(kBegin, name);
}

// Options of later clangs, and of clang 15, that somebody has judged: only the front end and the driver use them, or
// they steer code generation in the same way whether it reads a source or bitcode. They play no role.
constexpr auto kJudgedLater = std::to_array<unsigned>(
    {OPT_mrelax_relocations, OPT_menable_unsafe_fp_math, OPT_no_opaque_pointers, OPT_fvisibility,
     OPT_ftype_visibility_of_15, OPT_fdwarf2_cfi_asm_of_23, OPT_no_offloadlib, OPT_offloadlib,
     OPT_fatomic_fine_grained_memory, OPT_fatomic_ignore_denormal_mode, OPT_fatomic_remote_memory,
     OPT_fno_atomic_fine_grained_memory, OPT_fno_atomic_ignore_denormal_mode, OPT_fno_atomic_remote_memory,
     OPT_fms_anonymous_structs, OPT_fno_ms_anonymous_structs, OPT_fno_color_diagnostics_of_23});

bool has_loud_word(std::string_view name) {
  if (name == "load") return true;
  while (!name.empty()) {
    const std::size_t end = name.find_first_of("-_.:+,");
    std::string_view word = name.substr(0, end);
    if (holds(kLoudWords, word)) return true;
    // "-fprint-x" is of the group -f, "-gdump-x" of -g, "-mtime-x" of -m.
    if (!word.empty() && (word[0] == 'f' || word[0] == 'g' || word[0] == 'm') && holds(kLoudWords, word.substr(1)))
      return true;
    name = end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
  }
  return false;
}

bool is_quiet_word(std::string_view option) {
  if (option.size() < 2 || option[0] != '-') return false;
  const std::size_t equals = option.find('=');
  if (equals != std::string_view::npos && may_be_path(option.substr(equals + 1))) return false;
  std::string name = lower_case(option.substr(0, equals));
  name.erase(0, name.starts_with("--") ? 2 : 1);
  if (name.empty() || name.find('/') != std::string::npos) return false;
  return turns_off(name) || !has_loud_word(name);
}

}  // namespace

bool may_be_path(std::string_view value) { return value.find('/') != std::string_view::npos || value == "-"; }

bool is_unknown(const llvm::opt::Arg& argument) {
  return argument.getOption().getKind() == llvm::opt::Option::UnknownClass;
}

bool is_unjudged(const llvm::opt::Option& option) {
  if (option.getKind() == llvm::opt::Option::UnknownClass) return true;
  return option.hasFlag(kUnjudged) && !holds(kJudgedLater, option.getID());
}

bool is_quiet(const llvm::opt::Arg& argument, const llvm::opt::ArgList& arguments) {
  if (!is_quiet_word(arguments.getArgString(argument.getIndex()))) return false;
  if (is_unknown(argument)) return true;
  // A value may be an option for another tool, which the option hands on.
  return std::all_of(argument.getValues().begin(), argument.getValues().end(), [](std::string_view value) {
    return !may_be_path(value) && (!value.starts_with('-') || is_quiet_word(value));
  });
}

llvm::opt::InputArgList other_readings(const llvm::opt::InputArgList& arguments, const std::vector<const char*>& words,
                                       unsigned reader) {
  const llvm::opt::OptTable& table = option_table();
  llvm::opt::InputArgList others(words.data(), words.data() + words.size());
  std::set<unsigned> begins;
  std::vector<unsigned> to_read;
  for (const llvm::opt::Arg* argument : arguments) {
    begins.insert(argument->getIndex());
    if (is_unknown(*argument)) to_read.push_back(argument->getIndex() + 2);
  }
  while (!to_read.empty()) {
    unsigned at = to_read.back();
    to_read.pop_back();
    while (at < words.size() && begins.insert(at).second) {
      if (*words[at] == '\0') {
        ++at;
        continue;
      }
      const unsigned first = at;
      std::unique_ptr<llvm::opt::Arg> argument = table.ParseOneArg(others, at, reader, 0);
      if (argument == nullptr) break;  // it lacks its value: no driver reads the command so
      if (is_unknown(*argument)) to_read.push_back(first + 2);
      others.append(argument.release());
    }
  }
  return others;
}

}  // namespace hipcache::compiler
