#include "daemon/answer.h"

#include <fcntl.h>
#include <sys/statvfs.h>

#include <cstdint>

#include "daemon/passage_names.h"
#include "daemon/reason.h"
#include "daemon/reply.h"
#include "hipcache/base/files.h"
#include "hipcache/plan/depfile.h"

namespace hipcache::daemon {
namespace {

using command::Uncacheable;

// The bytes that go to one place of the user's.
struct Placed {
  protocol::PlacedOutput output;
  UniqueFd bytes;
};

Result<UniqueFd> from_store(const action::Output& output, const Request& request, store::Store& store) {
  Result<std::optional<std::string>> bytes = store.blob(output.blob);
  if (!bytes) return bytes.error();
  if (!*bytes) return Error{"blob " + output.blob.hex() + " is gone"};
  if (output.name != plan::kPortableDepfile) return sealed_memory(**bytes, "hipcache-output");
  const std::optional<std::string> local = plan::local_depfile(**bytes, request.from.base);
  if (!local) return Error{"blob " + output.blob.hex() + " is no portable depfile"};
  return sealed_memory(*local, "hipcache-output");
}

Result<UniqueFd> from_directory(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("cannot open", path);
  return fd;
}

// What a step that succeeded made for the user. Its bytes are where the run left them, or in the store.
Status add_placed(const StepWork& step, const Request& request, const RequestDirectory& directory,
                  const Services& services, std::vector<Placed>& placed) {
  for (const plan::StepOutput& file : step.outputs) {
    if (file.place.empty()) continue;
    const action::Output* made = step.made(file);
    if (made == nullptr) return Error{"the stored " + step.label + " has no " + file.role};
    Result<UniqueFd> bytes =
        step.hit ? from_store(*made, request, services.store) : from_directory(directory.file(file.name));
    if (!bytes) return bytes.error();
    protocol::PlacedOutput output{file.place, plan::is_in_place(file), made->executable};
    placed.push_back({std::move(output), std::move(*bytes)});
  }
  return done();
}

// The driver removes the outputs of the job that failed; a failed job's depfile stays, unless a header was not found.
void add_left_by_failure(const StepWork& failed, const Request& request, const RequestDirectory& directory,
                         protocol::Finish& finish, std::vector<Placed>& placed) {
  for (const plan::StepOutput& file : failed.outputs)
    if (!file.place.empty() && !plan::is_in_place(file)) finish.removed.push_back(file.place);
  if (!request.invocation.depfile || failed.failed_depfile.empty()) return;
  if (Result<UniqueFd> depfile = from_directory(directory.file(failed.failed_depfile))) {
    protocol::PlacedOutput output{*request.invocation.depfile, true, false};
    placed.push_back({std::move(output), std::move(*depfile)});
  } else {
    finish.removed.push_back(*request.invocation.depfile);
  }
}

// Of a success.
protocol::Finish messages_of(const action::ActionResult& whole, const Request& request) {
  return {.exit_code = 0,
          .stdout_text = as_shown(whole.stdout_text, request),
          .stderr_text = as_shown(whole.stderr_text, request)};
}

void send_finish(protocol::Channel& channel, protocol::Finish finish, std::vector<Placed> placed,
                 const Services& services) {
  std::vector<int> descriptors;
  for (Placed& one : placed) {
    finish.outputs.push_back(std::move(one.output));
    descriptors.push_back(one.bytes.get());
  }
  reply(channel, finish, descriptors, services);
}

// A full disk is ours and not the source's, and cuts messages short.
bool is_full(const RequestDirectory& directory) {
  constexpr std::uint64_t kEnough = 1u << 20;
  struct statvfs status{};
  return statvfs(directory.path().c_str(), &status) != 0 || status.f_bavail * status.f_frsize < kEnough;
}

bool compiler_said_why(const StepWork& failed, const RequestDirectory& directory) {
  return failed.exit_code == 1 && failed.failed_command == 0 && failed.label != "bundle" && failed.refusal.empty() &&
         !failed.result.stderr_text.empty() && !is_full(directory);
}

void count_hits(const action::ActionResult& whole, command::Route route, stats::Counters& counters) {
  if (route == command::Route::undivided) counters.host(true);
  for (const std::string& step : whole.steps) {
    if (step == action::kHostStep) {
      counters.host(true);
    } else if (step == action::kBundleStep) {
      counters.bundle(true);
    } else if (step == action::kUnbundleStep) {
      counters.unbundle(true);
    } else if (step == action::kLinkStep) {
      counters.link(true);
    } else {
      counters.device(step, true);
    }
  }
}

}  // namespace

Status answer_hit(protocol::Channel& channel, const Request& request, const action::ActionResult& whole,
                  const Services& services) {
  std::vector<Placed> placed;
  for (const action::Output& output : whole.outputs) {
    Result<UniqueFd> bytes = from_store(output, request, services.store);
    if (!bytes) return bytes.error();
    protocol::PlacedOutput place{request.from.base.local_path(output.place), output.in_place, output.executable};
    placed.push_back({std::move(place), std::move(*bytes)});
  }
  count_hits(whole, request.invocation.route, services.counters);
  services.counters.saved(whole.duration_us);
  services.counters.request(stats::Outcome::hit);
  send_finish(channel, messages_of(whole, request), std::move(placed), services);
  return done();
}

std::optional<Uncacheable> answer_success(protocol::Channel& channel, const Request& request, const StepGraph& graph,
                                          const RequestDirectory& directory, const action::ActionResult& whole,
                                          const Services& services) {
  std::vector<Placed> placed;
  for (const auto& step : graph.steps())
    if (Status added = add_placed(*step, request, directory, services, placed); !added)
      return Uncacheable{reason::kStoreError, added.error().message};
  send_finish(channel, messages_of(whole, request), std::move(placed), services);
  return std::nullopt;
}

std::optional<Uncacheable> answer_failure(protocol::Channel& channel, const Request& request, const StepGraph& graph,
                                          const std::string& driver_stderr, const RequestDirectory& directory,
                                          const Services& services) {
  const StepWork& failed = *graph.failed();
  // What a failed job leaves of them is another thing for each.
  if (graph.writes_beside()) return Uncacheable{reason::kStepFailed, "with files beside the object"};
  // The driver has a message of its own for a linker that failed.
  if (request.invocation.links || !compiler_said_why(failed, directory))
    return Uncacheable{reason::kStepFailed, failed.label};

  protocol::Finish finish{.exit_code = failed.exit_code, .stdout_text = "", .stderr_text = driver_stderr};
  std::vector<Placed> placed;
  for (const auto& step : graph.steps()) {
    finish.stdout_text += step->result.stdout_text;
    finish.stderr_text += step->result.stderr_text;
    if (step.get() == &failed) break;
    if (Status added = add_placed(*step, request, directory, services, placed); !added)
      return Uncacheable{reason::kStoreError, added.error().message};
  }
  add_left_by_failure(failed, request, directory, finish, placed);
  services.counters.failed_compile();
  services.counters.request(stats::Outcome::miss);
  send_finish(channel, std::move(finish), std::move(placed), services);
  return std::nullopt;
}

}  // namespace hipcache::daemon
