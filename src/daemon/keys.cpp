#include "daemon/keys.h"

#include "daemon/processor.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

void add_list(Hasher& hasher, const std::vector<std::string>& list) {
  hasher.field(list.size());
  for (const std::string& item : list) hasher.field(item);
}

Hasher hasher_for(const char* domain, const Request& request) {
  Hasher hasher = action::key_hasher(domain);
  hasher.field(request.settings.name_space);
  return hasher;
}

// Where the driver is to ask the processor, it makes other jobs on another one; those name what it found.
void add_processor(Hasher& hasher, const Request& request) {
  if (asks_processor(request.invocation.expanded)) hasher.field(processor());
}

// What the driver is called and where: argv[0] is in its messages, the directory in its jobs.
void add_driver(Hasher& hasher, const Request& request) {
  add_processor(hasher, request);
  hasher.field(request.compiler).field(request.invocation.argv[0]);
  hasher.field(request.from.working_directory).field(request.from.logical_directory());
}

const char* domain_of(plan::StepKind kind) {
  switch (kind) {
    case plan::StepKind::device:
      return "device";
    case plan::StepKind::bundle:
      return "bundle";
    case plan::StepKind::host:
      return "host";
    case plan::StepKind::unbundle:
      return "unbundle";
    case plan::StepKind::link:
      return "link";
  }
  return "unknown";
}

// A macro's text is the source's own to measure and to hash.
bool defines_macro(const std::vector<std::string>& argv, std::size_t index) {
  return argv[index].starts_with("-D") || (index > 0 && argv[index - 1] == "-D");
}

// The driver joins what it takes from CPATH: "-I/base/include".
std::string portable_argument(const std::string& argument, const BaseDirectory& base) {
  if (argument.starts_with("-I/")) return "-I" + base.portable_path(std::string_view(argument).substr(2));
  return base.portable_argument(argument);
}

}  // namespace

std::vector<std::string> portable(const std::vector<std::string>& argv, const inputs::Surroundings& from) {
  std::vector<std::string> result;
  result.reserve(argv.size());
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (defines_macro(argv, i)) {
      result.push_back(argv[i]);
    } else if (!from.cuid.empty() && argv[i] == "-cuid=" + from.cuid) {
      result.emplace_back("-cuid=");
    } else {
      result.push_back(portable_argument(argv[i], from.base));
    }
  }
  return result;
}

namespace {

// As it was typed, and wherever: what of the directory matters is asked by the path set.
action::ActionKey undivided_key(const Request& request) {
  Hasher hasher = hasher_for("undivided", request);
  hasher.field(request.from.base.portable_path(request.compiler));
  add_list(hasher, portable(request.invocation.argv, request.from));
  hasher.field(request.colour ? 1 : 0);
  add_processor(hasher, request);
  return {hasher.finish()};
}

}  // namespace

action::ActionKey request_key(const Request& request) {
  if (request.invocation.route == command::Route::undivided) return undivided_key(request);
  Hasher hasher = hasher_for("request", request);
  add_driver(hasher, request);
  add_list(hasher, request.invocation.without_archs);
  hasher.field(request.invocation.archs.size());
  for (const command::ArchId& arch : request.invocation.archs) hasher.field(arch.name);
  hasher.field(request.from.cuid).field(request.colour ? 1 : 0);
  return {hasher.finish()};
}

action::ActionKey probe_key(const Request& request, const std::vector<std::string>& arguments) {
  Hasher hasher = hasher_for("probe", request);
  add_driver(hasher, request);
  add_list(hasher, arguments);
  return {hasher.finish()};
}

action::ActionKey step_key(const Request& request, const plan::Step& step, const std::vector<Digest>& inputs) {
  Hasher hasher = hasher_for(domain_of(step.kind), request);
  hasher.field(step.commands.size());
  for (const plan::StepCommand& command : step.commands) hasher.field(request.from.base.portable_path(command.program));
  for (const std::vector<std::string>& argv : step.keyed) add_list(hasher, portable(argv, request.from));
  hasher.field(inputs.size());
  for (const Digest& input : inputs) hasher.field(input);
  return {hasher.finish()};
}

action::ActionKey back_key(const Request& request, const plan::Halves& halves, const Digest& bitcode) {
  Hasher hasher = hasher_for("back", request);
  hasher.field(halves.back.size());
  for (const plan::StepCommand& command : halves.back) {
    hasher.field(request.from.base.portable_path(command.program));
    add_list(hasher, portable(command.argv, request.from));
  }
  return {hasher.field(bitcode).finish()};
}

action::ActionKey halves_proof_key(const Request& request, const plan::Halves& halves) {
  Hasher hasher = hasher_for("halves", request);
  for (const plan::StepCommand& command : halves.back) hasher.field(request.from.base.portable_path(command.program));
  for (const std::vector<std::string>& argv : halves.proven) add_list(hasher, portable(argv, request.from));
  return {hasher.finish()};
}

Digest cost_key(const action::ActionKey& step) { return action::key_hasher("cost").field(step.value).finish(); }

Digest output_key(const Request& request) {
  const std::string object = join_path(request.from.working_directory, request.invocation.object);
  return hasher_for("history", request).field(request.from.base.portable_path(object)).finish();
}

}  // namespace hipcache::daemon
