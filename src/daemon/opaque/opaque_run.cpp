#include "daemon/opaque/opaque_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "daemon/opaque/link_refusal.h"
#include "daemon/opaque/name_tie.h"
#include "daemon/request/reason.h"
#include "daemon/steps/output_recorder.h"
#include "daemon/steps/relocatability.h"
#include "hipcache/base/files.h"
#include "hipcache/inputs/written_outputs.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {
namespace {

using inputs::Refusal;
using inputs::WrittenOutput;

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

// Compilers leave modes to the umask, and so does the client on a hit. Another mode of a new file cannot be restored.
bool has_usual_mode(const CollectedOutput& made, const WrittenOutput& file, std::uint32_t umask) {
  if (made.in_place) return true;
  struct stat status{};
  if (stat(file.path.c_str(), &status) != 0) return false;
  return (status.st_mode & 07777) == ((made.executable ? kProgramMode : kFileMode) & ~umask);
}

// Reads an output. Its place is the name that the compiler used, relative to the working directory if that one was.
// Assemblers and linkers remove an existing file before they open it, unless it is empty. So an object that was opened
// is still replaced, and likewise a linker's output in any format.
Result<CollectedOutput> read_written(const WrittenOutput& file, hip::DepfileForm form, const Request& request) {
  const auto& names = request.invocation.output_names;
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
      return Refusal{reason::kWritesMoreThanKnown, "more files than one answer can carry"};
    Result<CollectedOutput> made = read_written(file, form, request);
    if (!made) return Refusal{reason::kWritesMoreThanKnown, made.error().message};
    if (!has_usual_mode(*made, file, request.umask)) return Refusal{reason::kUnusualMode, file.path};
    all.push_back(std::move(*made));
  }
  return all;
}

// gcc runs cc1, cc1plus or cc1obj; clang compiles in the driver's program.
hip::DepfileForm form_by(const trace::Trace& trace) {
  const bool is_gcc = std::any_of(trace.programs.begin(), trace.programs.end(),
                                  [](const std::string& program) { return base_name(program).starts_with("cc1"); });
  return is_gcc ? hip::DepfileForm::gcc : hip::DepfileForm::clang;
}

// Accepts -specs=name, --specs=name and -specs name.
std::vector<std::string> specs_in(const std::vector<std::string>& arguments) {
  std::vector<std::string> specs;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view option = std::string_view(arguments[i]).substr(arguments[i].starts_with("--") ? 1 : 0);
    if (option.starts_with("-specs="))
      specs.emplace_back(option.substr(option.find('=') + 1));
    else if (option == "-specs" && i + 1 < arguments.size())
      specs.push_back(arguments[i + 1]);
  }
  return specs;
}

inputs::Run run_of(const StepState& work, const protocol::StepDone& report, const RequestDirectory& directory,
                   const std::vector<WrittenOutput>& files, const std::vector<std::string>& arguments) {
  inputs::Run run{.programs = {work.commands[0].program},
                  .directory = directory.path(),
                  .started_ns = report.started_ns,
                  .is_opaque = true};
  for (const WrittenOutput& file : files) run.written.push_back(file.path);
  run.specs = specs_in(arguments);
  return run;
}

// False only if all outputs have a known place, and neither they nor the messages contain an output's name.
bool show_output_names(const StepState& work, const std::vector<CollectedOutput>& made, const Request& request) {
  if (!request.invocation.output_names) return false;
  const NameTie tie(*request.invocation.output_names);
  const auto shows = [&](const CollectedOutput& output) {
    const bool is_depfile = output.role == hip::kPortableDepfile || output.role == hip::kPortableGccDepfile;
    if (output.place == compiler::kDepfileName) return !is_depfile;
    return output.place != compiler::kObjectName || tie.shows_in(output.bytes);
  };
  return tie.shows_in(work.result.stdout_text) || tie.shows_in(work.result.stderr_text) ||
         std::any_of(made.begin(), made.end(), shows);
}

// Whether the text consists of make rules only: targets, a colon, files, with continued lines.
bool is_depfile(std::string_view bytes) {
  if (bytes.empty() || bytes.starts_with('{') || bytes.find('\0') != bytes.npos) return false;
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    while (end != bytes.npos && end > 0 && bytes[end - 1] == '\\') end = bytes.find('\n', end + 1);
    const std::string_view rule = bytes.substr(0, end);
    if (!rule.empty() && (rule.find(':') == rule.npos || rule.starts_with('#') || rule.starts_with('\t'))) return false;
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  }
  return true;
}

// Whether files of this kind never record the command line's options for the look of messages. clang's precompiled
// headers record them, and lists of options in gcc's LTO objects may. Assembly and other kinds are not known well
// enough.
bool hides_command_line(const CollectedOutput& made) {
  if (made.role == hip::kPortableDepfile || made.role == hip::kPortableGccDepfile || is_depfile(made.bytes))
    return true;
  return made.bytes.starts_with(kElf) && made.bytes.find(".gnu.lto_") == std::string::npos;
}

void add_ties(inputs::Run& run, const StepState& work, const std::vector<CollectedOutput>& made,
              const Request& request) {
  hip::PrefixMaps maps;
  maps.add(request.invocation.expanded, request.from.roots);
  Relocatability ties(std::move(maps));
  DirectoryReferences tie(request.from, request.invocation.expanded);
  for (const CollectedOutput& output : made) {
    ties.look_into(output.role, output.bytes, request.from);
    tie.look_into(output.bytes);
  }
  for (const std::string* text : {&work.result.stdout_text, &work.result.stderr_text}) {
    ties.look_into(*text, request.from);
    tie.look_into(*text);
  }
  const bool hidden = may_hide_names(request.invocation.expanded);
  run.roots = ties.roots;
  run.roots.hidden = hidden || tie.hides();
  run.roots.named = named_roots(request.invocation.expanded, request.from.roots);
  run.shows_directory = tie.shows() || hidden;
  run.shows_command = ties.command;
  run.shows_output_names = hidden || show_output_names(work, made, request);
  run.shows_colour = ties.command || !work.result.stdout_text.empty() || !work.result.stderr_text.empty() ||
                     !std::all_of(made.begin(), made.end(), hides_command_line);
}

// Returns the outputs and sets what they depend on; or says why they prove nothing.
std::variant<std::vector<CollectedOutput>, Refusal> witness_run(
    StepState& work, const std::vector<trace::Record>& records, const protocol::StepDone& report,
    const Request& request, const RequestDirectory& directory, const Services& services) {
  auto written =
      inputs::written_files(records, directory.path(), request.from.working_directory, read_and_written(request));
  if (auto* refusal = std::get_if<Refusal>(&written)) return std::move(*refusal);
  const auto& files = std::get<std::vector<WrittenOutput>>(written);
  if (auto refusal = too_large(work, files, request, services)) return *std::move(refusal);
  const trace::Trace trace = trace::trace_of(records);
  auto made = read_all(files, form_by(trace), request);
  if (std::holds_alternative<Refusal>(made)) return made;
  if (auto refusal =
          refusal_of_link(work, std::get<std::vector<CollectedOutput>>(made), files, records, request, directory))
    return *std::move(refusal);
  inputs::Run run = run_of(work, report, directory, files, request.invocation.expanded);
  add_ties(run, work, std::get<std::vector<CollectedOutput>>(made), request);
  auto witnessed = inputs::witness(trace, run, request.from, services.file_system);
  if (auto* refusal = std::get_if<Refusal>(&witnessed)) return std::move(*refusal);
  work.witnessed = std::move(std::get<inputs::Witnessed>(witnessed));
  return made;
}

void refuse(StepState& work, const Request& request, const Services& services) {
  work.witnessed.set = nullptr;
  note_not_stored(work, request, services);
}

void keep(StepState& work, const protocol::StepDone& report, const Request& request, const RequestDirectory& directory,
          const Services& services, store::Lease& lease) {
  const auto records = records_of(work, report.step, directory, services);
  if (!records) return;
  auto made = witness_run(work, *records, report, request, directory, services);
  if (const auto* refusal = std::get_if<Refusal>(&made)) take_witnessed(work, *refusal);
  if (!work.refusal.empty()) {
    work.descriptor = inputs::descriptor_read(*records, request.from.working_directory);
    return;
  }
  work.store = [&, outputs = std::move(std::get<std::vector<CollectedOutput>>(made))]() mutable {
    store_outputs(work, std::move(outputs), request, services, lease);
    if (work.refusal.empty())
      record(work, request, services);
    else
      refuse(work, request, services);
  };
}

}  // namespace

Status take_opaque(StepState& work, const protocol::StepDone& report, const Request& request,
                   const RequestDirectory& directory, const Services& services, store::Lease& lease) {
  keep(work, report, request, directory, services, lease);
  if (!work.refusal.empty()) refuse(work, request, services);
  return done();
}

}  // namespace hipcache::daemon
