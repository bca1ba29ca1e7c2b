#include "daemon/run/opaque_run.h"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "daemon/request/keys.h"
#include "daemon/request/python_start.h"
#include "daemon/request/step_kinds.h"
#include "daemon/run/collected_output.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/relocatability.h"
#include "daemon/run/sight.h"
#include "daemon/run/usual_mode.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/compiler/hip/depfile.h"
#include "hipcache/compiler/option_facts.h"
#include "hipcache/compiler/source_sight.h"
#include "hipcache/inputs/written_outputs.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/trace/seen.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

using inputs::Refusal;
using inputs::WrittenOutput;

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

// The tick is 4 ms on most machines.
void wait_for_next_tick() {
  constexpr auto kLongestTick = 50ms;
  const inputs::Clock clock = inputs::file_clock();
  const std::uint64_t now = clock();
  const auto until = std::chrono::steady_clock::now() + kLongestTick;
  while (clock() == now && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(500us);
}

// An object for the linker. Its type is behind the 16 bytes that say how the file is to be read.
bool is_relocatable(std::string_view bytes) {
  constexpr std::size_t kType = EI_NIDENT;
  return bytes.starts_with(kElf) && bytes.size() > kType + 1 && bytes[kType] + bytes[kType + 1] == ET_REL;
}

// Compilers leave modes to the umask or the directory, and so does the client on a hit. Another mode of a new file
// cannot be restored. A text or a relocatable object that may be executed was written over a program.
bool has_usual_mode(const CollectedOutput& made, const WrittenOutput& file, std::uint32_t umask) {
  if (made.executable && (made.in_place || is_relocatable(made.bytes))) return false;
  if (made.in_place) return true;
  struct stat status{};
  if (stat(file.path.c_str(), &status) != 0) return false;
  return (status.st_mode & 07777) == usual_mode(file.path, made.executable ? kProgramMode : kFileMode, umask);
}

// Reads an output. Its place is the name that the compiler used, relative to the working directory if that one was.
// Assemblers and linkers remove an existing file before they open it, unless it is empty. So an object that was opened
// is still replaced, and likewise a linker's output in any format.
Result<CollectedOutput> read_written(const WrittenOutput& file, hip::DepfileForm form, const Request& request) {
  const auto& names = request.invocation.opaque.output_names;
  const bool is_object = names && file.name == names->object;
  const bool is_depfile = names && file.name == names->depfile;
  Result<CollectedOutput> made = collect_depfile(file.path, request.from.roots, form, is_depfile ? names->target : "");
  if (!made) return made.error();
  if (made->role == hip::kDepfile) made->role = "file";
  made->place = is_object    ? compiler::kObjectName
                : is_depfile ? compiler::kDepfileName
                             : request.from.roots.portable_path(file.name);
  made->in_place = file.opened && file.path != linked_file(request) && !made->bytes.starts_with(kElf);
  made->in_place_if_empty = file.opened && !made->in_place;
  return made;
}

std::variant<std::vector<CollectedOutput>, Refusal> read_all(const std::vector<WrittenOutput>& files,
                                                             hip::DepfileForm form, const Request& request) {
  std::vector<CollectedOutput> all;
  for (const WrittenOutput& file : files) {
    if (!file.exists) continue;
    if (all.size() == protocol::kDescriptorLimit)
      return Refusal{Reason::writes_more_than_known, "more files than one answer can carry"};
    Result<CollectedOutput> made = read_written(file, form, request);
    if (!made) return Refusal{Reason::writes_more_than_known, made.error().message};
    if (!has_usual_mode(*made, file, request.umask)) return Refusal{Reason::unusual_mode, file.path};
    all.push_back(std::move(*made));
  }
  return all;
}

// gcc runs cc1, cc1plus or cc1obj, and collect2 to link; clang compiles in the driver's program.
bool is_run_of_gcc(const trace::Trace& trace) {
  return std::any_of(trace.programs.begin(), trace.programs.end(), [](const std::string& program) {
    const std::string_view name = base_name(program);
    return name.starts_with("cc1") || name == "collect2";
  });
}

// False only if all outputs have a known place, and neither they nor the messages contain an output's name.
bool show_output_names(const cache::ActionResult& said, const std::vector<CollectedOutput>& made,
                       const Request& request) {
  if (!request.invocation.opaque.output_names) return false;
  const NameTie tie(*request.invocation.opaque.output_names);
  const auto shows = [&](const CollectedOutput& output) {
    if (output.place == compiler::kDepfileName) return !hip::portable_form(output.role);
    return output.place != compiler::kObjectName || tie.shows_in(output.bytes);
  };
  return tie.shows_in(said.stdout_text) || tie.shows_in(said.stderr_text) ||
         std::any_of(made.begin(), made.end(), shows);
}

// Files of these kinds never record the command line's options for the look of messages. clang's precompiled headers
// record them, and lists of options in gcc's LTO objects may. Assembly and other kinds are not known well enough. These
// kinds also have each name as it is, or escaped in a known way.
bool is_object_or_depfile(const CollectedOutput& made) {
  if (hip::portable_form(made.role) || holds_only_rules(made.bytes)) return true;
  return made.bytes.starts_with(kElf) && made.bytes.find(".gnu.lto_") == std::string::npos;
}

// Whether a name with characters that texts escape may be in the result without being found.
bool may_hold_escaped(const cache::ActionResult& said, const std::vector<CollectedOutput>& made) {
  return may_show_escaped(said.stdout_text) || may_show_escaped(said.stderr_text) ||
         !std::all_of(made.begin(), made.end(), is_object_or_depfile);
}

// What the outputs and messages show of the request.
inputs::Shows shown_by(const cache::ActionResult& said, const std::vector<CollectedOutput>& made,
                       const Request& request) {
  const std::vector<std::string>& arguments = request.invocation.expanded;
  hip::PrefixMaps maps;
  maps.add(arguments, request.from.roots);
  const Relocatability ties = relocatability_of(maps, made, said, request.from);
  DirectoryReferences directory(request.from, arguments);
  for (const CollectedOutput& output : made) directory.look_into(output.bytes);
  directory.look_into(said.stdout_text);
  directory.look_into(said.stderr_text);
  const Hiding hiding{.source = request.invocation.opaque.only_input,
                      .has_debug_information = std::any_of(made.begin(), made.end(), [](const CollectedOutput& output) {
                        return holds_debug_information(output.bytes);
                      })};
  const bool hidden = may_hide_names(arguments, hiding);
  const bool escaped = may_hold_escaped(said, made);
  inputs::Shows shows{.roots = ties.roots,
                      .command = ties.command,
                      .colour = ties.command || !said.stdout_text.empty() || !said.stderr_text.empty() ||
                                !std::all_of(made.begin(), made.end(), is_object_or_depfile),
                      .output_names = hidden || show_output_names(said, made, request),
                      .directory = directory.shows() || hidden || (escaped && directory.may_be_escaped())};
  shows.roots.arguments = arguments;
  shows.roots.hidden = hidden || directory.hides() || (escaped && may_be_escaped(request.from.roots));
  shows.roots.named = request.from.roots.shown_in_any(arguments);
  return shows;
}

// clang's driver and hipcc may add options that the command does not have. A driver that runs gcc's programs takes what
// clang ignores, whatever its name is.
inputs::Sight sight_of_run(const cache::ActionResult& said, const std::vector<CollectedOutput>& made, bool by_gcc,
                           const Request& request) {
  const compiler::OpaqueTraits& opaque = request.invocation.opaque;
  // clang makes the id of a HIP compile of its whole command, so that key has all macros.
  const bool keeps_macros =
      (opaque.makes_id || opaque.not_split) && !compiler::may_record_macros(request.invocation.expanded);
  if (!request.from.leaves_out_macros && !keeps_macros) return inputs::kNoSources;
  if (opaque.links_objects) {
    const bool is_silent = said.stdout_text.empty() && said.stderr_text.empty();
    const bool has_ignored = by_gcc && !opaque.ignored.empty();
    return {.macros = is_silent && !has_ignored && request.from.variable("CCC_OVERRIDE_OPTIONS") == nullptr
                          ? inputs::Sight::Macros::unread
                          : inputs::Sight::Macros::every};
  }
  const bool is_whole = request.from.variable("CCC_OVERRIDE_OPTIONS") == nullptr &&
                        !compiler::names_hipcc(request.compiler) && !(by_gcc && !opaque.ignored.empty());
  if (!is_whole) return {.because = "the driver may add options"};
  // "c++" may be a link to gcc's driver or to clang's, and options are judged for each.
  std::vector<std::string> command = request.invocation.expanded;
  if (std::string program = real_path(request.compiler); compiler::names_driver(program))
    command[0] = std::move(program);
  inputs::Sight sight = sight_of(command, made, said, request.from);
  if (keeps_macros) sight.macros = inputs::Sight::Macros::none;
  return sight;
}

// The programs that do nothing but start the compiler: a script of the compiler's package, and Python. Drops Python's
// look at the clock from the trace (daemon/request/python_start.h).
std::vector<std::string> take_starters(trace::Trace& trace, const Request& request) {
  if (!only_starts_by_python(request)) return {};
  std::vector<std::string> starters{real_path(request.compiler)};
  for (const std::string& program : trace.programs)
    if (base_name(program).starts_with("python")) starters.push_back(real_path(program));
  std::erase_if(trace.records, [](const trace::Record& record) {
    return record.kind == trace::Kind::clock && record.text == trace::kPythonsClock;
  });
  return starters;
}

}  // namespace

StepSpec opaque_spec(const RequestContext& context) {
  const Request& request = context.request;
  StepSpec spec;
  spec.label = label_of(request.invocation.opaque.making);
  spec.key = context.key;
  spec.command = command_key(request);
  spec.commands = {{request.compiler, request.invocation.argv}};
  spec.prints_temporary_paths = true;
  return spec;
}

Status OpaqueRun::prepare() {
  const Updated& updated = context_.request.updated;
  if (updated.content) wait_for_next_tick();
  struct stat status{};
  const bool there = !updated.path.empty() && stat(updated.path.c_str(), &status) == 0;
  if (there != updated.content.has_value()) return Error{updated.path + " was made or removed meanwhile"};
  if (!there) return done();
  updated_as_ = trace::seen_file(status);
  const Result<Digest> content = context_.services.file_system.content(updated.path);
  if (!content || *content != *updated.content) return Error{updated.path + " was written meanwhile"};
  return done();
}

Status OpaqueRun::take(const protocol::StepDone& report) {
  if (Status status = take_status(state_, report, context_); !status) return status;
  if (!state_.succeeded()) {
    take_failure(state_, report, context_);
    return done();
  }
  if (const auto records = records_of(state_, report.step, context_)) {
    if (std::optional<Refusal> refusal = witness(*records, report)) {
      state_.result.refusal = *std::move(refusal);
      note_descriptor(state_, *records, context_);
    }
  }
  if (std::optional<Refusal> why = why_unusable()) state_.result.make_unusable(*std::move(why));
  state_.is_stored_later = !state_.result.is_refused();
  if (!state_.is_stored_later) store();
  return done();
}

std::optional<Refusal> OpaqueRun::witness(const std::vector<trace::Record>& records, const protocol::StepDone& report) {
  const Request& request = context_.request;
  auto written = inputs::written_files(records, context_.directory.path(), request.from.working_directory,
                                       read_and_written(request));
  if (auto* refusal = std::get_if<Refusal>(&written)) return std::move(*refusal);
  const auto& files = std::get<std::vector<WrittenOutput>>(written);
  std::vector<std::string> paths;
  for (const WrittenOutput& file : files) paths.push_back(file.path);
  if (auto refusal = too_large(state_, paths, context_)) return refusal;
  trace::Trace trace = trace::trace_of(records);
  state_.result.ran = ran_in(trace);
  auto made = read_all(files, is_run_of_gcc(trace) ? hip::DepfileForm::gcc : hip::DepfileForm::clang, request);
  if (auto* refusal = std::get_if<Refusal>(&made)) return std::move(*refusal);
  outputs_ = std::move(std::get<std::vector<CollectedOutput>>(made));
  const WrittenFiles by_run{.records = records, .files = files, .updated_as = updated_as_};
  if (auto refusal = refusal_of_link(by_run, outputs_, context_)) return refusal;
  std::vector<std::string> starters = take_starters(trace, request);
  inputs::Run run{.programs = {.commands = {request.compiler},
                               .others = inputs::Programs::Others::known,
                               .starters = std::move(starters)},
                  .directory = context_.directory.path(),
                  .started_ns = report.started_ns,
                  .shows = shown_by(state_.result, outputs_, request),
                  .is_mixed = report.mixed,
                  .sight = sight_of_run(state_.result, outputs_, is_run_of_gcc(trace), request),
                  .specs = compiler::values_of(request.invocation.expanded, compiler::facts::names_specs),
                  .is_keyed_by_processor = request.invocation.opaque.asks_processor};
  run.written = std::move(paths);
  take_witnessed(state_, trace, std::move(run), context_);
  return std::nullopt;
}

// An archive cannot be made twice: its old contents are gone. Archivers keep nothing elsewhere.
std::optional<Refusal> OpaqueRun::why_unusable() const {
  if (context_.request.invocation.opaque.making == compiler::Making::archive) return std::nullopt;
  if (auto lost = context_.directory.lost_file({})) return lost;
  if (!outputs_.empty()) return names_directory(outputs_, context_.directory);
  // The trace proves nothing, but the command names its output. A pipe was read by the user's process.
  struct stat status{};
  const Request& request = context_.request;
  const std::string object = join_path(request.from.working_directory, request.invocation.object);
  if (stat(object.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  Result<std::string> bytes = read_file(object, kOutputLimit);
  if (!bytes) return std::nullopt;
  return names_directory({{.role = "file", .bytes = std::move(*bytes), .place = request.invocation.object}},
                         context_.directory);
}

void OpaqueRun::store() {
  std::vector<CollectedOutput> outputs;
  if (state_.is_stored_later) outputs = std::move(outputs_);
  if (!keep(state_, std::move(outputs), context_)) note_not_stored(state_, context_);
}

}  // namespace hipcache::daemon
