#include "daemon/request/keys.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "daemon/request/macros.h"
#include "daemon/request/processor.h"
#include "daemon/request/step_kinds.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
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

namespace {

void add_list(Hasher& hasher, const std::vector<std::string>& list) {
  hasher.field(list.size());
  for (const std::string& item : list) hasher.field(item);
}

Hasher hasher_for(const char* domain, const Request& request) {
  Hasher hasher = cache::key_hasher(domain);
  hasher.field(request.settings.cache_namespace);
  return hasher;
}

// If the driver asks the processor, its jobs differ between machines, and they name what it found.
void add_processor(Hasher& hasher, const Request& request) {
  const compiler::Invocation& invocation = request.invocation;
  if (invocation.opaque.asks_processor || asks_processor(invocation.expanded) ||
      !variable_that_asks_processor(request.from.environment).empty())
    hasher.field(processor());
}

// Without such a root, the key is that of a request that has no roots.
void add_roots(Hasher& hasher, RootMask mask, const Request& request) {
  for (const Root* root : request.from.roots.among(mask)) hasher.field(root->mark).field(root->path);
}

// How and where the driver is called: its messages contain argv[0], its jobs the directory.
void add_driver(Hasher& hasher, const Request& request) {
  add_processor(hasher, request);
  hasher.field(request.compiler).field(request.invocation.argv[0]);
  hasher.field(request.from.working_directory).field(request.from.logical_directory());
  add_roots(hasher, roots_reached_by_joining(request.invocation.expanded, request.from.roots), request);
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

// The roles and forms of the step's outputs. Names and places do not count, because the plan decides who gets a file.
void add_outputs(Hasher& hasher, const std::vector<hip::StepOutput>& outputs) {
  hasher.field(outputs.size());
  for (const hip::StepOutput& output : outputs) hasher.field(output.role).field(output.fatbin.empty() ? 0 : 1);
}

}  // namespace

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

namespace {

// Without an updated file, the key is that of a command that updates nothing.
void add_updated(Hasher& hasher, const Updated& updated) {
  if (updated.path.empty()) return;
  hasher.field(updated.content ? "updates" : "makes").field(updated.mode);
  if (updated.content) hasher.field(*updated.content);
}

// Without a source, the key is that of the command.
void add_source(Hasher& hasher, const std::optional<Digest>& source) {
  if (source) hasher.field("source").field(*source);
}

// Raised when results of whole requests that earlier versions stored may be wrong, and those of steps are right. With
// 2, outputs lack no file that the compiler leaves in its temporary directory. With 3, path sets ask about macros.
// With 4, the ids of relocatable code have all macros, also if a variable makes the code relocatable.
constexpr std::uint64_t kRequests = 4;

// The key of the command as typed, in any directory: the path set asks what matters of the directory.
cache::ActionKey opaque_key(const Request& request, const std::optional<Digest>& source) {
  Hasher hasher = hasher_for("opaque", request);
  hasher.field(kRequests);
  hasher.field(request.from.roots.portable_path(request.compiler));
  add_list(hasher, portable(without_macros(opaque_arguments(request.invocation), request.from), request.from));
  add_roots(hasher, roots_reached_by_joining(request.invocation.expanded, request.from.roots), request);
  add_processor(hasher, request);
  add_updated(hasher, request.updated);
  add_source(hasher, source);
  return {hasher.finish()};
}

}  // namespace

cache::ActionKey request_key(const Request& request, const std::optional<Digest>& source) {
  if (request.invocation.route == compiler::Route::is_opaque) return opaque_key(request, source);
  Hasher hasher = hasher_for("request", request);
  hasher.field(kRequests);
  add_driver(hasher, request);
  add_list(hasher, without_macros(request.invocation.without_archs, request.from));
  hasher.field(request.invocation.archs.size());
  for (const compiler::ArchId& arch : request.invocation.archs) hasher.field(arch.name);
  if (!request.invocation.driver.in_order.empty())
    add_list(hasher, without_macros(request.invocation.driver.in_order, request.from));
  hasher.field(request.from.cuid);
  add_source(hasher, source);
  return {hasher.finish()};
}

cache::ActionKey command_key(const Request& request) { return request_key(request, std::nullopt); }

cache::ActionKey probe_key(const Request& request, const std::vector<std::string>& arguments) {
  Hasher hasher = hasher_for("probe", request);
  add_driver(hasher, request);
  add_list(hasher, arguments);
  return {hasher.finish()};
}

cache::ActionKey step_key(const Request& request, const hip::Step& step, const std::vector<Digest>& inputs) {
  Hasher hasher = hasher_for(traits_of(step.kind).domain, request);
  hasher.field(step.commands.size());
  for (const hip::StepCommand& command : step.commands) hasher.field(request.from.roots.portable_path(command.program));
  // A header holds all macros of the command, and its path set asks about none.
  const bool has_all_macros = step.kind == hip::StepKind::preamble;
  for (const std::vector<std::string>& argv : step.keyed)
    add_list(hasher, has_all_macros ? portable(argv, request.from) : portable_step(argv, request.from));
  hasher.field(inputs.size());
  for (const Digest& input : inputs) hasher.field(input);
  add_outputs(hasher, step.outputs);
  // Sets that earlier versions stored under the key of a command without macros ask about none.
  if (request.from.leaves_out_macros && !has_all_macros) hasher.field("asks about macros");
  return {hasher.finish(), !only_bundles(step)};
}

cache::ActionKey back_key(const Request& request, const hip::SplitCodegen& split_codegen, const Digest& bitcode) {
  Hasher hasher = hasher_for("back", request);
  hasher.field(split_codegen.back.size());
  for (const hip::StepCommand& command : split_codegen.back) {
    hasher.field(request.from.roots.portable_path(command.program));
    add_list(hasher, portable_step(command.argv, request.from));
  }
  return {hasher.field(bitcode).finish()};
}

Digest cost_key(const cache::ActionKey& step) { return cache::key_hasher("cost").field(step.value).finish(); }

Digest run_note_key(const cache::ActionKey& command) {
  return cache::key_hasher("run-note").field(command.value).finish();
}

Digest cost_group_key(const Request& request) {
  const Roots& roots = request.from.roots;
  const Root* build = roots.find(kOuterBuildMark);
  if (build == nullptr) build = roots.find(kBuildMark);
  Hasher hasher = hasher_for("cost-group", request);
  hasher.field(request.compiler).field(build != nullptr ? build->path : request.from.working_directory);
  return hasher.finish();
}

Digest output_key(const Request& request) {
  const std::string object = join_path(request.from.working_directory, request.invocation.object);
  return hasher_for("history", request).field(request.from.roots.portable_path(object)).finish();
}

Digest source_key(const Request& request, const std::string& name, const Digest& content) {
  return hasher_for("history-of-source", request).field(name).field(content).finish();
}

}  // namespace hipcache::daemon
