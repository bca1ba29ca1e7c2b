#include "daemon/request/request.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "daemon/request/macros.h"
#include "daemon/request/output_places.h"
#include "daemon/request/request_roots.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/compiler/hip/cuid.h"
#include "hipcache/compiler/opaque/opaque_command.h"
#include "hipcache/inputs/path_set_builder.h"

namespace hipcache::daemon {

namespace {

using compiler::Invocation;
using compiler::Route;
using compiler::Uncacheable;

// Names the first variable of that kind.
template <typename Predicate>
std::optional<Uncacheable> refused_variable(Reason reason, const std::vector<std::string>& environment,
                                            Predicate is_one) {
  for (const std::string& entry : environment) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    if (is_one(name)) return Uncacheable{reason, std::string(name)};
  }
  return std::nullopt;
}

// Of several sources the first one.
std::string source_of(const Request& request) {
  const Invocation& invocation = request.invocation;
  const std::string& source = invocation.route == Route::planned ? invocation.source : invocation.opaque.only_input;
  return source.empty() ? "" : join_path(request.from.working_directory, source);
}

std::string output_root_of(const Request& request, inputs::FileSystemState& file_system) {
  const std::string object = join_path(request.from.working_directory, request.invocation.object);
  const auto exists = [&file_system](const std::string& path) { return file_system.exists(path); };
  return hip::output_root(object, request.from.roots, exists);
}

std::string cuid_of(const Request& request, const BaseDirectories& bases, inputs::FileSystemState& file_system) {
  if (request.invocation.driver.user_cuid || request.invocation.driver.links) return "";
  std::string cuid =
      hip::make_cuid(request.invocation, without_macros(request.invocation.driver.for_cuid, request.from),
                     request.from.working_directory, request.from.roots, output_root_of(request, file_system));
  if (!bases.is_chosen) return cuid;
  return Hasher("hipcache cuid in a repository").field(cuid).field(repository_of(bases.all.front())).finish().shown();
}

// The output names as one text; names contain no newline.
std::string names_of(const Invocation& invocation, const Roots& roots) {
  if (!invocation.opaque.output_names) return "";
  const compiler::OutputNames& names = *invocation.opaque.output_names;
  return roots.portable_path(names.object) + '\n' + roots.portable_path(names.depfile) + '\n' +
         roots.portable_path(names.target);
}

config::Lookup variables_of(const inputs::RunContext& from) {
  return [&from](const std::string& name) -> std::optional<std::string> {
    const char* value = from.variable(name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

// gcc asks for none of these variables. Of a compiler by another name the trace tells.
std::optional<Uncacheable> one_run_report(const Request& request) {
  const bool is_clang = request.invocation.route == Route::planned || compiler::names_clang_driver(request.compiler);
  if (!is_clang) return std::nullopt;
  return refused_variable(Reason::statistics, request.from.environment, inputs::reports_on_one_run);
}

std::optional<Uncacheable> find_updated(Request& request, inputs::FileSystemState& file_system) {
  const std::string& name = request.invocation.opaque.updates;
  if (name.empty()) return std::nullopt;
  request.updated.path = join_path(request.from.working_directory, name);
  struct stat status{};
  if (lstat(request.updated.path.c_str(), &status) != 0)
    return errno == ENOENT ? std::nullopt : std::optional(Uncacheable{Reason::output_not_writable, name});
  if (!S_ISREG(status.st_mode)) return Uncacheable{Reason::output_not_a_regular_file, name};
  const Result<Digest> content = file_system.content(request.updated.path);
  if (!content) return Uncacheable{Reason::output_not_writable, content.error().message};
  request.updated.content = *content;
  request.updated.mode = status.st_mode;
  return std::nullopt;
}

// mold writes into the file that it finds, so all names of that file get the new program.
std::optional<Uncacheable> changed_under_other_names(const Request& request) {
  const Invocation& invocation = request.invocation;
  const auto names_mold = [](const std::string& word) { return word.find("mold") != word.npos; };
  if (invocation.opaque.making != compiler::Making::link ||
      std::none_of(invocation.expanded.begin(), invocation.expanded.end(), names_mold))
    return std::nullopt;
  struct stat status{};
  const std::string output = join_path(request.from.working_directory, invocation.object);
  if (stat(output.c_str(), &status) != 0 || status.st_nlink < 2) return std::nullopt;
  return Uncacheable{Reason::output_not_a_regular_file, invocation.object + " has other names, and mold keeps them"};
}

// A name in a process's own part of /proc means another file in this process. What a trace names so is asked about by
// another name (inputs/observe/process_names.h); the command's own words and search paths are looked at here.
std::optional<Uncacheable> named_by_process(const protocol::CompileRequest& message, const inputs::RunContext& from) {
  const auto refuse = [](std::string name) { return Uncacheable{Reason::other_file_system_view, std::move(name)}; };
  for (const std::string& word : message.argv)
    if (is_of_a_process(word) && !leads_to_descriptor(word)) return refuse(word);  // those are told as "standard-input"
  for (const char* list : {"PATH", "LD_LIBRARY_PATH"}) {
    const char* value = from.variable(list);
    if (value != nullptr && std::string_view(value).find("/proc/") != std::string_view::npos) return refuse(list);
  }
  // The steps have none of the client's descriptors.
  if (from.pwd_leads_here && leads_to_descriptor(from.logical_directory())) return refuse("PWD");
  return std::nullopt;
}

std::optional<Uncacheable> outputs_named_by_process(const Invocation& invocation) {
  for (const std::string& output : {invocation.object, invocation.depfile.value_or("")})
    if (is_of_a_process(output)) return Uncacheable{Reason::other_file_system_view, output};
  return std::nullopt;
}

}  // namespace

// CC_PRINT_OPTIONS_FILE without CC_PRINT_OPTIONS makes no report.
std::optional<Uncacheable> report_by_variable(const std::vector<std::string>& environment) {
  return refused_variable(Reason::extra_output, environment, [](std::string_view name) {
    return (name.starts_with("CC_PRINT_") || name.starts_with("CC_LOG_")) && !name.ends_with("_FILE");
  });
}

std::variant<Request, Uncacheable> understand(const protocol::CompileRequest& message, const Services& services) {
  if (message.argv.empty()) return Uncacheable{Reason::no_command, ""};

  Request request;
  request.from.working_directory = message.working_directory;
  request.from.environment = message.environment;
  request.from.pwd_leads_here = message.pwd_leads_here;
  inputs::sort_environment(request.from.environment);
  if (auto other = named_by_process(message, request.from)) return *std::move(other);

  Result<config::Settings> settings = config::load(variables_of(request.from));
  if (!settings) return Uncacheable{Reason::bad_configuration, settings.error().message};
  request.settings = std::move(*settings);
  if (request.settings.disable) return Uncacheable{Reason::disabled, ""};
  auto invocation = compiler::read_command(services.kinds, {.argv = message.argv,
                                                            .working_directory = message.working_directory,
                                                            .further_compilers = request.settings.compilers,
                                                            .keeps_id = request.settings.cuid == "keep"});
  if (auto* uncacheable = std::get_if<Uncacheable>(&invocation)) return std::move(*uncacheable);
  request.invocation = std::move(std::get<Invocation>(invocation));
  if (auto other = outputs_named_by_process(request.invocation)) return *std::move(other);
  const char* path_variable = request.from.variable("PATH");
  Result<std::string> compiler =
      find_program(message.argv[0], path_variable == nullptr ? "" : path_variable, message.working_directory);
  if (!compiler) return Uncacheable{Reason::compiler_not_found, message.argv[0]};
  request.compiler = std::move(*compiler);
  const BaseDirectories bases =
      base_directories_of(request.settings.base_directories, request.invocation.argv, source_of(request), request.from);
  request.from.roots = roots_of(request.invocation.argv, request.compiler, request.from, bases.all);
  request.from.output_names = names_of(request.invocation, request.from.roots);
  request.umask = message.umask;
  request.from.streams = message.streams;

  find_macros(request.invocation, source_of(request), request.from, services.file_system);
  if (request.invocation.route == Route::planned) {
    if (auto unusual = unusual_outputs(request.invocation, message.working_directory)) return std::move(*unusual);
    request.from.cuid = cuid_of(request, bases, services.file_system);
  }
  for (const compiler::RefusedVariable& refused : request.invocation.opaque.refused_variables)
    if (request.from.variable(refused.name) != nullptr) return Uncacheable{refused.reason, refused.name};
  if (auto report = one_run_report(request)) return *std::move(report);
  if (auto unusual = changed_under_other_names(request)) return std::move(*unusual);
  if (auto unusual = find_updated(request, services.file_system)) return std::move(*unusual);
  return request;
}

std::string relocatable_cuid_of(const Request& request, const hip::Plan& plan, inputs::FileSystemState& file_system) {
  if (request.from.cuid.empty() || plan.relocatable.empty()) return "";
  std::vector<std::string> distinct;
  for (const inputs::Macro& macro : request.from.macros) distinct.push_back(macro.text);
  for (const std::vector<std::string>& options : plan.relocatable) {
    const std::vector<std::string> others = without_macros(options, request.from);
    distinct.insert(distinct.end(), others.begin(), others.end());
    distinct.emplace_back();  // the list's end
  }
  return hip::make_relocatable_cuid(request.from.cuid, distinct, request.from.roots,
                                    output_root_of(request, file_system));
}

hip::SourceIds source_ids_of(const Request& request, inputs::FileSystemState& file_system) {
  const Invocation& invocation = request.invocation;
  if (request.from.cuid.empty() || invocation.other_sources.empty()) return {};
  const std::string root = output_root_of(request, file_system);
  hip::SourceIds ids{.given = request.from.cuid, .of_source = {}};
  const auto add = [&](const std::string& source) {
    ids.of_source[source] =
        hip::cuid_of_source(ids.given, source, request.from.working_directory, request.from.roots, root);
  };
  add(invocation.source);
  for (const std::string& source : invocation.other_sources) add(source);
  return ids;
}

std::optional<Digest> tokens_of_source(const Request& request, inputs::FileSystemState& file_system) {
  const std::string source = source_of(request);
  if (source.empty() || !request.invocation.other_sources.empty()) return std::nullopt;
  const Result<Digest> content = file_system.tokens(source);
  return content ? std::optional(*content) : std::nullopt;
}

std::string local_place(const std::string& place, const Request& request) {
  const auto& names = request.invocation.opaque.output_names;
  if (names && place == compiler::kObjectName) return names->object;
  if (names && place == compiler::kDepfileName) return names->depfile;
  return request.from.roots.local_path(place);
}

std::optional<Request> opaque_instead(const Request& planned, const Uncacheable& why) {
  if (why.reason != Reason::plan_not_understood && why.reason != Reason::compiler_is_a_wrapper &&
      why.reason != Reason::extra_output)
    return std::nullopt;
  auto parsed = compiler::parse_opaque(planned.invocation.argv, planned.from.working_directory);
  auto* invocation = std::get_if<Invocation>(&parsed);
  if (invocation == nullptr) return std::nullopt;
  Request request = planned;
  request.invocation = std::move(*invocation);
  request.invocation.opaque.not_split = why;
  request.from.cuid.clear();
  request.from.leaves_out_macros = false;  // the compiler's own id has all of them
  request.from.macros.clear();
  request.from.output_names = names_of(request.invocation, request.from.roots);
  return request;
}

}  // namespace hipcache::daemon
