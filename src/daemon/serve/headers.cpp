// The wrapper headers of a command, made in idle time.
//
// The problem: a header pays only if more jobs follow, and mostly nothing tells whether they will
// (run/units_to_come.h). The choice: it is made when nobody else wants the processor. Then it costs no build anything,
// and later builds have it from their first job. The compilers are children of a client as all others, in the
// environment and directory of the job. That client has the lowest priority and takes no job slot, so a build that
// begins meanwhile finds all of its slots.
#include <poll.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "daemon/plan/planner.h"
#include "daemon/request/request.h"
#include "daemon/request/request_context.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/preamble_making.h"
#include "daemon/serve/compile_service.h"
#include "daemon/serve/reply.h"
#include "daemon/shared/client_process.h"
#include "daemon/shared/preambles.h"
#include "hipcache/base/reason.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kSendLimit = 10s;
constexpr auto kReceiveLimit = 10s;
constexpr auto kLookInterval = 250ms;
constexpr unsigned kIdleLooks = 8;             // in a row: two seconds
constexpr std::uint64_t kMemory = 512u << 20;  // of a compiler that makes a header, and more

// Nothing if the client or the daemon leaves, or if there is no idle time for too long.
std::optional<std::unique_lock<std::mutex>> wait_for_idle_time(protocol::Channel& channel, const Services& services) {
  const pid_t client = peer_process(channel.fd());
  const Clock::time_point until = Clock::now() + Preambles::kWaitsAtMost;
  Clock::time_point last_word = Clock::now();
  for (unsigned idle = 0; Clock::now() < until && !services.preambles.is_stopped();) {
    pollfd gone{.fd = channel.fd(), .events = POLLIN, .revents = 0};
    if (poll(&gone, 1, static_cast<int>(std::chrono::milliseconds(kLookInterval).count())) != 0) return std::nullopt;
    if (Clock::now() - last_word >= protocol::kKeepWaitingInterval) {
      last_word = Clock::now();
      if (!channel.send(protocol::KeepWaiting{}, kSendLimit)) return std::nullopt;
    }
    idle = services.job_slots.is_idle({.client = client, .memory = kMemory}) ? idle + 1 : 0;
    if (idle < kIdleLooks) continue;
    if (std::unique_lock<std::mutex> turn = services.preambles.turn_in_idle_time()) return turn;
  }
  return std::nullopt;
}

Result<protocol::StepDone> run_in_client(const StepSpec& spec, std::uint32_t number, const StepContext& context) {
  if (Status sent = context.channel.send(run_message(spec, number, context), kSendLimit); !sent) return sent.error();
  pollfd ready{.fd = context.channel.fd(), .events = POLLIN, .revents = 0};
  while (poll(&ready, 1, static_cast<int>(std::chrono::milliseconds(kLookInterval).count())) == 0)
    if (context.services.preambles.is_stopped()) return Error{"the daemon leaves"};
  Result<protocol::Received> received = context.channel.receive(kReceiveLimit);
  if (!received) return received.error();
  const auto* report = std::get_if<protocol::StepDone>(&received->message);
  if (report == nullptr || report->step != number) return Error{"the client sent something other than the report"};
  return *report;
}

Status make(const hip::Preamble& preamble, std::uint32_t& number, const StepContext& context) {
  PreambleMaking making(preamble, context);
  if (Status prepared = making.prepare(); !prepared) return prepared;
  for (PreambleMaking::Then then = PreambleMaking::Then::next_part; then == PreambleMaking::Then::next_part;) {
    const Result<protocol::StepDone> report = run_in_client(making.part().spec(), number++, context);
    if (!report) return report.error();
    then = making.take_in(*report);
  }
  return done();
}

// All steps of the plan that may use one, in either order of its steps.
std::vector<const hip::Preamble*> preambles_of(const hip::Plan& plan) {
  std::vector<const hip::Preamble*> all;
  const auto add = [&](const std::vector<hip::Step>& steps) {
    for (const hip::Step& step : steps)
      if (step.preamble && step.preamble->why_not.empty()) all.push_back(&*step.preamble);
  };
  add(plan.steps);
  if (plan.deferred_fatbin) add(plan.deferred_fatbin->steps);
  return all;
}

Status make_what_is_wanted(const RequestContext& asked) {
  auto obtained = obtain_plan(asked);
  if (const auto* why = std::get_if<compiler::Uncacheable>(&obtained)) return Error{text_of(why->reason)};
  const Planned& planned = std::get<Planned>(obtained);
  const RequestContext context = planned.context(asked);
  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return directory.error();
  std::uint32_t number = 0;
  for (const hip::Preamble* preamble : preambles_of(*planned.plan)) {
    const cache::ActionKey key = spec_to_look_up(*preamble->make, context.request).key;
    if (!context.services.preambles.takes_over(place_of(key, context))) continue;
    if (Status made = make(*preamble, number, StepContext{context, *directory}); !made) return made;
  }
  return done();
}

Status serve(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services) {
  const std::optional<Preambles::Waiting> waiting = services.preambles.begin_waiting();
  if (!waiting) return Error{"enough others wait"};
  const auto turn = wait_for_idle_time(channel, services);
  if (!turn) return Error{"there was no idle time"};
  auto understood = understand(message, services);
  if (const auto* why = std::get_if<compiler::Uncacheable>(&understood)) return Error{text_of(why->reason)};
  const auto& request = std::get<Request>(understood);
  if (request.settings.readonly || request.settings.preamble == config::Settings::Preamble::off) return done();
  const std::unique_ptr<store::Lease> lease = services.store.lease();
  return make_what_is_wanted(context_of(channel, request, services, *lease, nullptr));
}

}  // namespace

void serve_headers(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services) {
  if (const Status served = serve(channel, message, services); !served)
    services.log.info("no wrapper header is made in idle time: " + served.error().message);
  reply(channel, protocol::Finish{}, {}, services);
}

}  // namespace hipcache::daemon
