#include "hipcache/compiler/cc1.h"

#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "compiler/options/option_table.h"
#include "compiler/options/unknown_option.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

using namespace options;

// What the table says of an option of cc1.
struct Rule {
  bool is_refused = false;
  Cc1Role role = Cc1Role::plain;
};

Cc1Role role_by_name(std::string_view name) {
  if (name.find("prefix-map") != name.npos || name.find("ignorelist") != name.npos) return Cc1Role::plain;
  if (option_has(name, facts::hides_names | facts::hides_debug_names)) return Cc1Role::hashes_names;
  return option_has(name, facts::records_paths) ? Cc1Role::records_paths : Cc1Role::plain;
}

Cc1Role find_role(const llvm::opt::Option& option) {
  if (option.getID() == OPT_INPUT) return Cc1Role::source;
  const std::string name = spelled(option);
  if (const Cc1Role role = cc1_role(name); role != Cc1Role::plain) return role;
  if (option.matches(OPT_Preprocessor_Group)) return Cc1Role::preprocessing;
  if (option.matches(OPT_O_Group)) return Cc1Role::optimization;
  if (option.matches(OPT_R_Group)) return Cc1Role::remark;
  if (option.matches(OPT_W_Group) || option.matches(OPT_pedantic_Group)) return Cc1Role::warning;
  return role_by_name(name);
}

// By the ids of clang's table.
std::vector<Rule> make_rules() {
  const llvm::opt::OptTable& table = option_table();
  std::vector<Rule> rules(table.getNumOptions() + 1);
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    const llvm::opt::Option option = table.getOption(id);
    rules[id] = {option_has(spelled(option), facts::cc1_refuses), find_role(option)};
  }
  return rules;
}

const Rule& rule_of(const llvm::opt::Option& option) {
  static const std::vector<Rule> rules = make_rules();
  return rules[option.getID()];
}

Cc1Role role_of(const llvm::opt::Option& option) { return rule_of(option).role; }

// What a word is that may be an unknown option's value instead. The key keeps it.
Cc1Role role_after_unknown(Cc1Role role) {
  return role == Cc1Role::compilation_dir || role == Cc1Role::dependency ? Cc1Role::plain : role;
}

// Whether the option's value is the next argument.
bool is_separate(const llvm::opt::Arg& argument, const std::vector<const char*>& all) {
  const std::size_t next = argument.getIndex() + 1;
  return argument.getNumValues() != 0 && next < all.size() && argument.getValue() == all[next];
}

// Whether the option is judged, or its name is quiet; and nothing says that it writes, prints,
// loads or emits more than the roles account for.
bool is_acceptable(const llvm::opt::Arg& argument, const llvm::opt::ArgList& arguments) {
  const llvm::opt::Option& option = argument.getOption();
  if (is_unjudged(argument.getOption()) && !is_quiet(argument, arguments)) return false;
  if (rule_of(option).is_refused) return false;
  return option.getID() != OPT_mllvm || is_quiet_backend_option(argument.getValue());
}

Error refused(const std::string& argument) { return Error{"the frontend option " + argument + " is not supported"}; }

}  // namespace

Result<std::vector<Cc1Argument>> read_cc1(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  pointers.reserve(arguments.size());
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());

  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const llvm::opt::InputArgList parsed = option_table().ParseArgs(pointers, missing_index, missing_count, kCc1);
  if (missing_count != 0) return Error{"the frontend option " + arguments[missing_index] + " lacks its value"};

  const llvm::opt::InputArgList others = other_readings(parsed, pointers, kCc1);
  for (const llvm::opt::Arg* other : others)
    if (!is_acceptable(*other, others)) return refused(arguments[other->getIndex()]);

  std::vector<Cc1Argument> result;
  result.reserve(parsed.size());
  std::size_t seen_action = 0;
  bool after_unknown = false;
  for (const llvm::opt::Arg* argument : parsed) {
    const llvm::opt::Option& option = argument->getOption();
    const std::size_t first = argument->getIndex();
    const std::string& word = arguments[first];
    const bool follows_unknown = std::exchange(after_unknown, is_unknown(*argument));
    if (!is_acceptable(*argument, parsed)) {
      return option.getID() == OPT_mllvm ? refused(std::string("-mllvm ") + argument->getValue()) : refused(word);
    }
    // A job names its source behind -x, so this is a value.
    if (follows_unknown && option.getID() == OPT_INPUT && result.back().first + 1 == first) {
      if (may_be_path(word)) return refused(arguments[first - 1] + " " + word);
      ++result.back().count;
      result.back().value = word;
      continue;
    }
    if (after_unknown) {
      result.push_back({role_of_unjudged(word), first, 1, ""});
      continue;
    }
    if (option.matches(OPT_Action_Group) && (role_of(option) != Cc1Role::emits || ++seen_action > 1)) {
      return refused(word);
    }
    const bool separate = is_separate(*argument, pointers);
    Cc1Role role = is_unjudged(option) ? role_of_unjudged(word) : role_of(option);
    if (follows_unknown && !separate) role = role_after_unknown(role);
    result.push_back({role, first, separate ? std::size_t{2} : std::size_t{1},
                      argument->getNumValues() == 0 ? std::string() : std::string(argument->getValue())});
  }
  return result;
}

}  // namespace hipcache::compiler
