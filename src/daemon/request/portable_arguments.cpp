#include "daemon/request/portable_arguments.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "daemon/request/macros.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/plan.h"
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
  if (!root.starts_with(prefix)) return false;
  if (root == prefix) return joins.any_without_slash;
  return joins.any_relative || prefix.find_first_not_of('/') != prefix.npos;
}

// A macro's text must stay as typed: the source may measure or hash it.
bool defines_macro(const std::vector<std::string>& argv, std::size_t index) {
  const std::string_view argument = argv[index];
  const std::string_view before = index > 0 ? std::string_view(argv[index - 1]) : "";
  if (compiler::option_has(argument, compiler::facts::defines_macro)) return true;
  if (argument.starts_with("-Wp,")) return !argument.starts_with("-Wp,-MD,") && !argument.starts_with("-Wp,-MMD,");
  return compiler::is_option(before, compiler::facts::defines_macro | compiler::facts::to_frontend);
}

std::string portable_argument(const std::string& argument, const Roots& roots) {
  const std::size_t path = argument.find('/');
  const std::string_view option = std::string_view(argument).substr(0, path == std::string::npos ? 0 : path);
  if (!compiler::is_option(option, compiler::facts::before_path)) return roots.portable_argument(argument);
  return std::string(option) + roots.portable_path(std::string_view(argument).substr(path));
}

// Another checkout's command may have the same text. There it names no root of the request.
void add_as_typed(std::vector<std::string>& result, const std::string& argument, const Roots& roots) {
  result.push_back(argument);
  for (const Root* root : roots.among(roots.shown_in(argument))) result.push_back(roots.portable_path(root->path));
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
  return roots.whose_name([&](const std::string& root) {
    return std::any_of(joins.prefixes.begin(), joins.prefixes.end(),
                       [&](std::string_view prefix) { return may_lead_to(root, prefix, joins); });
  });
}

std::vector<std::string> portable(const std::vector<std::string>& argv, const inputs::RunContext& from) {
  std::vector<std::string> result;
  result.reserve(argv.size());
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (defines_macro(argv, i) || is_joined(argv, i)) {
      add_as_typed(result, argv[i], from.roots);
    } else if (!from.cuid.empty() && argv[i].starts_with("-cuid=" + from.given_cuid())) {
      result.push_back(replace_all(argv[i], from.given_cuid(), ""));  // what is left tells several sources apart
    } else {
      result.push_back(portable_argument(argv[i], from.roots));
    }
  }
  for (const Root* root : from.roots.among(roots_reached_by_joining(argv, from.roots))) result.push_back(root->path);
  return result;
}

std::vector<std::string> portable_step(const std::vector<std::string>& argv, const inputs::RunContext& from) {
  const std::vector<std::string> words = without_macros(argv, from);
  const std::string date = from.source_date();
  if (date.empty()) return portable(words, from);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == hip::kSourceDateOption && i + 1 < words.size() && words[i + 1] == date)
      ++i;
    else
      kept.push_back(words[i]);
  }
  return portable(kept, from);
}

const std::vector<std::string>& opaque_arguments(const compiler::Invocation& invocation) {
  return invocation.opaque.output_names ? invocation.opaque.output_names->keyed : invocation.argv;
}

}  // namespace hipcache::daemon
