#include "compiler/options/unknown_option.h"

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
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

using namespace options;

struct NameWord {
  std::string_view word;
  NameFacts facts;
};

using namespace name_words;

constexpr NameWord kWords[] = {
#include "compiler/options/name_words.inc"
};

bool is_word_with(std::string_view word, NameFacts facts) {
  const auto* found = std::lower_bound(std::begin(kWords), std::end(kWords), word,
                                       [](const NameWord& one, std::string_view text) { return one.word < text; });
  return found != std::end(kWords) && found->word == word && (found->facts & facts) != 0;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_quiet_word(std::string_view option) {
  if (option.size() < 2 || option[0] != '-') return false;
  const std::size_t equals = option.find('=');
  if (equals != std::string_view::npos && may_be_path(option.substr(equals + 1))) return false;
  std::string name = lower_case(option.substr(0, equals));
  name.erase(0, name.starts_with("--") ? 2 : 1);
  if (name.empty() || name.find('/') != std::string::npos) return false;
  return turns_off(name) || (name != "load" && !name_has(name, does_more));
}

// Refused as a complete name, harmless in compounds: "-load" against
// "-amdgpu-load-store-vectorizer".
constexpr auto kLoudAlone = std::to_array<std::string_view>({"load", "help", "version", "o"});

}  // namespace

bool turns_off(std::string_view name) {
  constexpr auto kBegin = std::to_array<std::string_view>({"no-", "fno-", "mno-", "gno-"});
  return holds_prefix_of(kBegin, name);
}

bool name_has(std::string_view name, NameFacts facts) {
  while (!name.empty()) {
    const std::size_t end = name.find_first_of("-_.:+,=");
    const std::string_view word = name.substr(0, end);
    if (is_word_with(word, facts)) return true;
    // "-fprint-x" is of the group -f, "-gdump-x" of -g, "-mtime-x" of -m.
    if (!word.empty() && (word[0] == 'f' || word[0] == 'g' || word[0] == 'm') && is_word_with(word.substr(1), facts))
      return true;
    name = end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
  }
  return false;
}

bool may_be_path(std::string_view value) { return value.find('/') != std::string_view::npos || value == "-"; }

bool is_unknown(const llvm::opt::Arg& argument) {
  return argument.getOption().getKind() == llvm::opt::Option::UnknownClass;
}

bool is_unjudged(const llvm::opt::Option& option) {
  if (option.getKind() == llvm::opt::Option::UnknownClass) return true;
  return option.hasFlag(kUnjudged) && !option_has(spelled(option), facts::judged_later);
}

bool is_quiet(const llvm::opt::Arg& argument, const llvm::opt::ArgList& arguments) {
  if (!is_quiet_word(arguments.getArgString(argument.getIndex()))) return false;
  if (is_unknown(argument)) return true;
  // A value may be an option for another tool, which the option hands on.
  return std::all_of(argument.getValues().begin(), argument.getValues().end(), [](std::string_view value) {
    return !may_be_path(value) && (!value.starts_with('-') || is_quiet_word(value));
  });
}

Cc1Role role_of_unjudged(std::string_view option) {
  const llvm::StringRef name = llvm::StringRef(option).ltrim('-').split('=').first;
  for (const char* part : {"coverage", "prof", "sanitize", "xray", "unique", "compress", "hash", "map", "experimental"})
    if (name.contains(part)) return Cc1Role::hashes_names;
  if (name.take_front() == "g" || name.contains("debug") || name.contains("dwarf")) return Cc1Role::records_paths;
  return Cc1Role::plain;
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

// LLVM has thousands of backend options and no public table of them. Options that print, write or load have one of
// these words in their names. A false match only means that the compile is not cached.
bool is_quiet_backend_option(const std::string& option) {
  std::string_view name = bare_option(option);
  name = name.substr(0, name.find('='));
  return !name.empty() && !holds(kLoudAlone, name) && !name_has(name, backend_does_more);
}

}  // namespace hipcache::compiler
