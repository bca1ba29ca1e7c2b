#include "daemon/answer.h"

#include <fcntl.h>
#include <sys/statvfs.h>

#include <cstdint>

#include "daemon/reason.h"
#include "daemon/reply.h"
#include "hipcache/base/files.h"
#include "hipcache/plan/depfile.h"

namespace hipcache::daemon {
namespace {

using command::Uncacheable;

// The bytes that go to one place of the user's.
struct Placed {
  std::string path;
  bool in_place;  // so does the compiler write a depfile
  UniqueFd bytes;
};

Result<UniqueFd> from_store(const action::Output& output, const Request& request, store::Store& store) {
  Result<std::optional<std::string>> bytes = store.blob(output.blob);
  if (!bytes) return bytes.error();
  if (!*bytes) return Error{"blob " + output.blob.hex() + " is gone"};
  if (output.name != kPortableDepfile) return sealed_memory(**bytes, "hipcache-output");
  const std::optional<std::string> local = plan::local_depfile(**bytes, request.from.base);
  if (!local) return Error{"blob " + output.blob.hex() + " is no portable depfile"};
  return sealed_memory(*local, "hipcache-output");
}

Result<UniqueFd> from_directory(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("cannot open", path);
  return fd;
}

// Where an output of the given role belongs, or null if the user gets none of it.
const std::string* place_of(const std::string& role, const command::Invocation& invocation) {
  if (role == "object") return &invocation.object;
  if ((role == kDepfile || role == kPortableDepfile) && invocation.depfile) return &*invocation.depfile;
  return nullptr;
}

void send_finish(protocol::Channel& channel, protocol::Finish finish, std::vector<Placed> placed,
                 const Services& services) {
  std::vector<int> descriptors;
  for (Placed& output : placed) {
    finish.outputs.push_back({std::move(output.path), output.in_place});
    descriptors.push_back(output.bytes.get());
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

}  // namespace

Status answer_hit(protocol::Channel& channel, const Request& request, const action::ActionResult& whole,
                  const Services& services) {
  std::vector<Placed> placed;
  for (const action::Output& output : whole.outputs) {
    const std::string* place = place_of(output.name, request.invocation);
    if (place == nullptr) continue;
    Result<UniqueFd> bytes = from_store(output, request, services.store);
    if (!bytes) return bytes.error();
    placed.push_back({*place, place != &request.invocation.object, std::move(*bytes)});
  }
  for (const std::string& arch : whole.archs) services.counters.device(arch, true);
  services.counters.bundle(true);
  services.counters.host(true);
  services.counters.saved(whole.duration_us);
  services.counters.request(stats::Outcome::hit);
  send_finish(channel, {.exit_code = 0, .stdout_text = whole.stdout_text, .stderr_text = whole.stderr_text},
              std::move(placed), services);
  return done();
}

std::optional<Uncacheable> answer_success(protocol::Channel& channel, const Request& request, const StepGraph& graph,
                                          const RequestDirectory& directory, const action::ActionResult& whole,
                                          const Services& services) {
  const StepWork& host = *graph.steps().back();
  std::vector<Placed> placed;
  if (host.result.outputs.size() != host.outputs.size())
    return Uncacheable{reason::kStoreError, "the stored host step has other outputs"};
  for (std::size_t i = 0; i < host.outputs.size(); ++i) {
    const action::Output& output = host.result.outputs[i];
    const std::string* place = place_of(output.name, request.invocation);
    if (place == nullptr) return Uncacheable{reason::kPlanNotUnderstood, "an output without a place: " + output.name};
    Result<UniqueFd> bytes =
        host.hit ? from_store(output, request, services.store) : from_directory(directory.file(host.outputs[i].name));
    if (!bytes) return Uncacheable{reason::kStoreError, bytes.error().message};
    placed.push_back({*place, place != &request.invocation.object, std::move(*bytes)});
  }
  send_finish(channel, {.exit_code = 0, .stdout_text = whole.stdout_text, .stderr_text = whole.stderr_text},
              std::move(placed), services);
  return std::nullopt;
}

std::optional<Uncacheable> answer_failure(protocol::Channel& channel, const Request& request, const StepGraph& graph,
                                          const std::string& driver_stderr, const RequestDirectory& directory,
                                          const Services& services) {
  const StepWork& failed = *graph.failed();
  if (!compiler_said_why(failed, directory)) return Uncacheable{reason::kStepFailed, failed.label};

  protocol::Finish finish{.exit_code = failed.exit_code, .stdout_text = "", .stderr_text = driver_stderr};
  for (const auto& step : graph.steps()) {
    finish.stdout_text += step->result.stdout_text;
    finish.stderr_text += step->result.stderr_text;
    if (step.get() == &failed) break;
  }
  // The driver removes the output of the job that failed; a failed job's depfile stays, unless a header was not found.
  std::vector<Placed> placed;
  if (failed.label == "host") finish.removed.push_back(request.invocation.object);
  if (request.invocation.depfile && !failed.failed_depfile.empty()) {
    if (Result<UniqueFd> depfile = from_directory(directory.file(failed.failed_depfile))) {
      placed.push_back({*request.invocation.depfile, true, std::move(*depfile)});
    } else {
      finish.removed.push_back(*request.invocation.depfile);
    }
  }
  services.counters.failed_compile();
  services.counters.request(stats::Outcome::miss);
  send_finish(channel, std::move(finish), std::move(placed), services);
  return std::nullopt;
}

}  // namespace hipcache::daemon
