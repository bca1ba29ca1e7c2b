#include "daemon/undivided_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "daemon/made.h"
#include "daemon/reason.h"
#include "daemon/ties.h"
#include "hipcache/base/files.h"
#include "hipcache/inputs/written.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {
namespace {

using inputs::Refusal;
using inputs::Written;

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

// Compilers leave modes to the umask, and so does the client on a hit. Another one, of a file that was made anew,
// cannot be given back.
bool has_usual_mode(const Made& made, const Written& file, std::uint32_t umask) {
  if (made.in_place) return true;
  struct stat status{};
  if (stat(file.path.c_str(), &status) != 0) return false;
  return (status.st_mode & 07777) == ((made.executable ? kProgramMode : kFileMode) & ~umask);
}

// Its place is named as the compiler named it, relative to the working directory where that was so. Assemblers and
// linkers remove what was there before they open it, so an object that was opened is replaced all the same.
Result<Made> read_written(const Written& file, const BaseDirectory& base) {
  Result<Made> made = read_made(plan::kDepfile, file.path, base);
  if (!made) return made.error();
  if (made->role == plan::kDepfile) made->role = "file";
  made->place = base.portable_path(file.name);
  made->in_place = file.opened && !made->bytes.starts_with(kElf);
  return made;
}

std::variant<std::vector<Made>, Refusal> read_all(const std::vector<Written>& files, const Request& request) {
  std::vector<Made> all;
  for (const Written& file : files) {
    if (!file.exists) continue;
    if (all.size() == protocol::kDescriptorLimit)
      return Refusal{reason::kWritesMoreThanKnown, "more files than one answer can carry"};
    Result<Made> made = read_written(file, request.from.base);
    if (!made) return Refusal{reason::kWritesMoreThanKnown, made.error().message};
    if (!has_usual_mode(*made, file, request.umask)) return Refusal{reason::kUnusualMode, file.path};
    all.push_back(std::move(*made));
  }
  return all;
}

inputs::Run run_of(const StepWork& work, const protocol::StepDone& report, const RequestDirectory& directory,
                   const std::vector<Written>& files) {
  inputs::Run run{.programs = {work.commands[0].program},
                  .directory = directory.path(),
                  .started_ns = report.started_ns,
                  .undivided = true};
  for (const Written& file : files) run.written.push_back(file.path);
  return run;
}

void add_ties(inputs::Run& run, const StepWork& work, const std::vector<Made>& made, const Request& request) {
  Ties ties;
  DirectoryTie tie(request.from);
  for (const Made& output : made) {
    ties.look_into(output.bytes, request.from);
    tie.look_into(output.bytes);
  }
  for (const std::string* text : {&work.result.stdout_text, &work.result.stderr_text}) {
    ties.look_into(*text, request.from);
    tie.look_into(*text);
  }
  const bool hidden = may_hide_names(request.invocation.expanded);
  run.shows_base = ties.base || hidden;
  run.shows_directory = tie.shows() || hidden;
}

// The files, with what they depend on taken into the step; or why they prove nothing.
std::variant<std::vector<Made>, Refusal> witness_run(StepWork& work, const std::vector<trace::Record>& records,
                                                     const protocol::StepDone& report, const Request& request,
                                                     const RequestDirectory& directory, const Services& services) {
  auto written = inputs::written_files(records, directory.path(), request.from.working_directory);
  if (auto* refusal = std::get_if<Refusal>(&written)) return std::move(*refusal);
  const auto& files = std::get<std::vector<Written>>(written);
  auto made = read_all(files, request);
  if (std::holds_alternative<Refusal>(made)) return made;
  inputs::Run run = run_of(work, report, directory, files);
  add_ties(run, work, std::get<std::vector<Made>>(made), request);
  auto witnessed = inputs::witness(trace::trace_of(records), run, request.from, services.world);
  if (auto* refusal = std::get_if<Refusal>(&witnessed)) return std::move(*refusal);
  work.witnessed = std::move(std::get<inputs::Witnessed>(witnessed));
  return made;
}

void refuse(StepWork& work, const Services& services) {
  work.witnessed.set = nullptr;
  services.counters.not_stored(work.refusal);
}

void keep(StepWork& work, const protocol::StepDone& report, const Request& request, const RequestDirectory& directory,
          const Services& services, store::Lease& lease) {
  if (!work.refusal.empty()) return;
  const auto records = records_of(work, report.step, directory, services);
  if (!records) return;
  auto made = witness_run(work, *records, report, request, directory, services);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return take_witnessed(work, *refusal, services);
  work.store = [&, outputs = std::move(std::get<std::vector<Made>>(made))]() mutable {
    store_made(work, std::move(outputs), request, services, lease);
    if (work.refusal.empty())
      record(work, request, services);
    else
      refuse(work, services);
  };
}

}  // namespace

Status take_undivided(StepWork& work, const protocol::StepDone& report, const Request& request,
                      const RequestDirectory& directory, const Services& services, store::Lease& lease) {
  keep(work, report, request, directory, services, lease);
  if (!work.refusal.empty()) refuse(work, services);
  return done();
}

}  // namespace hipcache::daemon
