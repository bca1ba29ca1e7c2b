#include "daemon/undivided.h"

#include <algorithm>

#include "daemon/answer.h"
#include "daemon/keys.h"
#include "daemon/reason.h"
#include "daemon/reply.h"
#include "daemon/step_runner.h"
#include "daemon/trail.h"

namespace hipcache::daemon {
namespace {

using command::Uncacheable;

constexpr int kKilled = 128;  // from here on an exit code is a signal, in the shell's way of counting

// Both families know it. Everything after "--" is a file.
std::vector<std::string> arguments_of(const Request& request) {
  std::vector<std::string> arguments = request.invocation.argv;
  if (request.colour) {
    const auto place = std::find(arguments.begin(), arguments.end(), "--");
    arguments.insert(place, "-fdiagnostics-color=always");
  }
  return arguments;
}

// A compiler that crashed names files of its report, which lie in a directory that is about to vanish: it has to do
// that again by itself.
bool crashed(const StepWork& work) {
  return work.exit_code >= kKilled || (!work.succeeded() && work.refusal == reason::kPrintsTemporaryNames);
}

// With the trail: for those who ask why another one missed.
void store(StepWork& work, const Request& request, const Services& services) {
  work.store();
  if (!work.recordable() || request.settings.readonly) return;
  action::Examined alone{.all = work.witnessed, .answered = work.witnessed.answered, .agrees = true};
  if (Result<action::Observed> observed = services.actions.store_union(std::move(alone)))
    record_trail(*observed, {trail_step(work, nullptr, request.from)}, request, services);
}

protocol::Finish finish_of(const StepWork& work) {
  return {.exit_code = work.exit_code, .stdout_text = work.result.stdout_text, .stderr_text = work.result.stderr_text};
}

void answer_and_store(protocol::Channel& channel, StepWork& work, const Request& request, const Services& services) {
  if (!work.store) return reply(channel, finish_of(work), {}, services);
  const Pending::Mark pending = services.pending.mark({work.key.value, output_key(request)});
  reply(channel, finish_of(work), {}, services);
  store(work, request, services);
}

}  // namespace

std::optional<Request> undivided_instead(const Request& request, const Uncacheable& why) {
  if (why.reason != reason::kPlanNotUnderstood && why.reason != reason::kWrapper) return std::nullopt;
  return undivided_request(request);
}

StepWork undivided_work(const Request& request) {
  StepWork work;
  work.label = "compile";
  work.key = request_key(request);
  work.commands = {{request.compiler, arguments_of(request)}};
  work.undivided = true;
  return work;
}

std::optional<Uncacheable> serve_undivided(protocol::Channel& channel, const Request& request,
                                           std::optional<std::uint64_t> missed, const Services& services,
                                           store::Lease& lease) {
  const Result<RequestDirectory> directory = RequestDirectory::make(services.temporary_root);
  if (!directory) return Uncacheable{reason::kNoTemporaryDirectory, directory.error().message};
  StepWork work = undivided_work(request);
  work.missed = missed;
  services.pending.wait_for(work.key.value);
  if (Status ran = StepRunner(channel, request, services, *directory, lease).run({&work}); !ran)
    return Uncacheable{reason::kStepFailed, ran.error().message};
  if (work.hit) {
    const Status answered = answer_hit(channel, request, work.result, services);
    return answered ? std::nullopt : std::optional(Uncacheable{reason::kStoreError, answered.error().message});
  }
  if (crashed(work)) return Uncacheable{reason::kStepFailed, work.label};
  services.counters.host(false);
  services.counters.request(stats::Outcome::miss);
  if (!work.succeeded()) services.counters.failed_compile();
  answer_and_store(channel, work, request, services);
  return std::nullopt;
}

}  // namespace hipcache::daemon
