#include "daemon/request/keys.h"

#include "daemon/request/macros.h"
#include "daemon/request/portable_arguments.h"
#include "daemon/request/processor.h"
#include "daemon/request/step_kinds.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {

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

// The roles and forms of the step's outputs. Names and places do not count, because the plan decides who gets a file.
void add_outputs(Hasher& hasher, const std::vector<hip::StepOutput>& outputs) {
  hasher.field(outputs.size());
  for (const hip::StepOutput& output : outputs) hasher.field(output.role).field(output.fatbin.empty() ? 0 : 1);
}

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
