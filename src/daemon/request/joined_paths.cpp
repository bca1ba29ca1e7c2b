#include "daemon/request/joined_paths.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "hipcache/compiler/option_facts.h"

namespace hipcache::daemon {
namespace {

using Words = std::vector<std::string_view>;

// Of options that hand the next argument to another program.
constexpr compiler::OptionFacts kHandsOn = compiler::facts::to_frontend | compiler::facts::to_backend |
                                           compiler::facts::to_assembler | compiler::facts::to_linker;

bool is_relative(std::string_view word) { return compiler::option_has(word, compiler::facts::behind_prefix); }

// The words as the receiving program sees them: "-Wl,-L=/x,-z" is two.
void add_words(std::string_view argument, Words& words) {
  if (argument.starts_with("-W") && argument.size() > 3 && argument[3] == ',') {
    argument.remove_prefix(4);
    for (auto comma = argument.find(','); comma != argument.npos; comma = argument.find(',')) {
      words.push_back(argument.substr(0, comma));
      argument.remove_prefix(comma + 1);
    }
  }
  words.push_back(argument);
}

Words words_of(const std::vector<std::string>& argv) {
  Words words;
  for (const std::string& argument : argv)
    if (!compiler::is_option(argument, kHandsOn)) add_words(argument, words);
  return words;
}

// "-I=/x", "--include-directory==/x", "=/x" behind "-I", "-I$SYSROOT/x". Returns the value behind the sysroot.
std::optional<std::string_view> behind_sysroot(std::string_view word) {
  constexpr std::string_view kVariable = "$SYSROOT";
  if (const auto at = word.find(kVariable); at != word.npos) return word.substr(at + kVariable.size());
  const auto equals = word.find('=');
  if (equals == word.npos) return std::nullopt;
  const std::string_view option = word.substr(0, equals), value = word.substr(equals + 1);
  if (option.empty() || compiler::is_option(option, compiler::facts::below_sysroot)) return value;
  if (option.starts_with("--") && value.starts_with('=')) return value.substr(1);
  return std::nullopt;
}

// The value that a prefix is put in front of; nothing for other words.
std::optional<std::string_view> relative_value(const Words& words, std::size_t index) {
  const std::string_view word = words[index];
  if (index > 0 && is_relative(words[index - 1]) && !word.starts_with('-')) return word;
  // The option's name ends where the path begins, or the value is the next word.
  if (is_relative(word)) return word.substr(std::min(word.find_first_of("/."), word.size()));
  return behind_sysroot(word);
}

std::optional<std::string_view> prefix_value(const Words& words, std::size_t index) {
  if (index > 0 && compiler::is_option(words[index - 1], compiler::facts::prefixes_others)) return words[index];
  const std::size_t name = compiler::option_with(words[index], compiler::facts::prefixes_others).size();
  if (name == 0 || name == words[index].size()) return std::nullopt;
  const std::string_view value = words[index].substr(name);
  return value.substr(value.starts_with('=') ? 1 : 0);
}

// What the command joins.
struct Joins {
  Words prefixes;
  bool any_relative = false;
  bool any_without_slash = false;  // gcc appends it to the prefix's last name
};

Joins joins_of(const Words& words) {
  Joins joins;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto prefix = prefix_value(words, i)) joins.prefixes.push_back(*prefix);
    const auto relative = relative_value(words, i);
    if (!relative) continue;
    joins.any_relative = true;
    joins.any_without_slash = joins.any_without_slash || !relative->starts_with('/');
  }
  return joins;
}

// A compiler has directories of its own below a sysroot, so a prefix that ends above the root counts by itself.
bool may_lead_to(const std::string& root, std::string_view prefix, const Joins& joins) {
  if (root.empty() || !root.starts_with(prefix)) return false;
  if (root == prefix) return joins.any_without_slash;
  return joins.any_relative || prefix.find_first_not_of('/') != prefix.npos;
}

}  // namespace

bool is_joined(const std::vector<std::string>& argv, std::size_t index) {
  const std::string_view before = index > 0 ? std::string_view(argv[index - 1]) : "";
  if (compiler::option_has(argv[index], compiler::facts::prefixes_by_text) ||
      compiler::is_option(before, compiler::facts::prefixes_by_text))
    return true;
  if (is_relative(before)) return true;
  Words words;
  add_words(argv[index], words);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (relative_value(words, i)) return true;
  return false;
}

RootMask roots_reached_by_joining(const std::vector<std::string>& argv, const Roots& roots) {
  if (roots.empty()) return 0;
  const Joins joins = joins_of(words_of(argv));
  // A compiler may have a prefix built in.
  if (joins.any_relative && joins.prefixes.empty()) return roots.every();
  RootMask reached = 0;
  for (std::size_t i = 0; i < roots.all().size(); ++i) {
    const Root& root = roots.all()[i];
    const auto leads_there = [&](std::string_view prefix) {
      return may_lead_to(root.path, prefix, joins) || may_lead_to(root.alias, prefix, joins);
    };
    if (std::any_of(joins.prefixes.begin(), joins.prefixes.end(), leads_there)) reached |= RootMask{1} << i;
  }
  return reached;
}

}  // namespace hipcache::daemon
