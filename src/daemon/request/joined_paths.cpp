#include "daemon/request/joined_paths.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace hipcache::daemon {
namespace {

using Words = std::vector<std::string_view>;

// Options whose value may begin with '=', which stands for the sysroot.
constexpr auto kSearch = std::to_array<std::string_view>(
    {"-I", "-L", "-F", "-B", "-isystem", "-iquote", "-idirafter", "-cxx-isystem", "-iframework", "-rpath-link"});

// Options whose value is relative to the sysroot or to -iprefix.
constexpr auto kRelative = std::to_array<std::string_view>({"-iwith", "--include-with-prefix"});

// Options whose value other names are appended to.
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"--sysroot", "-sysroot", "-isysroot", "-iprefix", "--include-prefix", "-working-directory"});

// Options that hand the next argument to another program.
constexpr auto kForwards = std::to_array<std::string_view>({"-Xclang", "-Xpreprocessor", "-Xlinker", "-Xassembler"});

template <typename List>
bool begins_with_any(std::string_view text, const List& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view start) { return text.starts_with(start); });
}

template <typename List>
bool is_any(std::string_view text, const List& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

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
    if (!is_any(argument, kForwards)) add_words(argument, words);
  return words;
}

// "-I=/x", "--include-directory==/x", "=/x" behind "-I", "-I$SYSROOT/x". Returns the value behind the sysroot.
std::optional<std::string_view> behind_sysroot(std::string_view word) {
  constexpr std::string_view kVariable = "$SYSROOT";
  if (const auto at = word.find(kVariable); at != word.npos) return word.substr(at + kVariable.size());
  const auto equals = word.find('=');
  if (equals == word.npos) return std::nullopt;
  const std::string_view option = word.substr(0, equals), value = word.substr(equals + 1);
  if (option.empty() || is_any(option, kSearch)) return value;
  if (option.starts_with("--") && value.starts_with('=')) return value.substr(1);
  return std::nullopt;
}

// The value that a prefix is put in front of; nothing for other words.
std::optional<std::string_view> relative_value(const Words& words, std::size_t index) {
  const std::string_view word = words[index];
  if (index > 0 && begins_with_any(words[index - 1], kRelative) && !word.starts_with('-')) return word;
  // The option's name ends where the path begins, or the value is the next word.
  if (begins_with_any(word, kRelative)) return word.substr(std::min(word.find_first_of("/."), word.size()));
  return behind_sysroot(word);
}

std::optional<std::string_view> prefix_value(const Words& words, std::size_t index) {
  if (index > 0 && is_any(words[index - 1], kPrefixes)) return words[index];
  for (const std::string_view option : kPrefixes) {
    if (!words[index].starts_with(option) || words[index].size() == option.size()) continue;
    const std::string_view value = words[index].substr(option.size());
    return value.substr(value.starts_with('=') ? 1 : 0);
  }
  return std::nullopt;
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
  constexpr std::array<std::string_view, 2> kWithoutSlash = {"-iprefix", "--include-prefix"};
  const std::string_view before = index > 0 ? std::string_view(argv[index - 1]) : "";
  if (begins_with_any(argv[index], kWithoutSlash) || is_any(before, kWithoutSlash)) return true;
  if (begins_with_any(before, kRelative)) return true;
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
