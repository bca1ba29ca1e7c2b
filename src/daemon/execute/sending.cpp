#include "daemon/execute/sending.h"

#include <chrono>

#include "daemon/execute/action.h"
#include "daemon/execute/engine.h"
#include "daemon/step/split_codegen_worth.h"

namespace hipcache::daemon {
namespace {

std::string in_milliseconds(std::chrono::microseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

std::string why_none_is_sent(const RequestContext& context) {
  const Services& services = context.services;
  if (services.engine == nullptr)
    return "the running daemon has no engine: it reads HIPCACHE_EXECUTE when it starts; hipcache --doctor says more";
  const config::Settings& settings = services.own_settings;
  if (services.engine->url().is_trusted || (settings.remote.empty() && settings.signing_key.empty())) return "";
  return "the daemon writes to shared caches or signs, and the engine's URL has no trusted=true";
}

bool is_worth_sending(std::uint64_t cost_us, const config::ExecuteUrl& url) {
  return cost_us == 0 || std::chrono::microseconds(cost_us) >= url.min_cost;
}

std::string why_not_sent(const StepSpec& spec, const RequestContext& context) {
  Engine& engine = *context.services.engine;
  if (spec.planned == nullptr || spec.planned->kind != hip::StepKind::device) return "not a device step";
  if (!may_be_sent(spec)) return "no worker can run it as one action";
  const std::uint64_t known = context.services.split_codegen_ledger.cost(spec.key).known_us();
  const std::uint64_t cost = known != 0 ? known : engine.typical_us();
  if (!is_worth_sending(cost, engine.url()))
    return "expected to take " + in_milliseconds(std::chrono::microseconds(cost)) + ", less than min_cost (" +
           in_milliseconds(engine.url().min_cost) + ")";
  if (const auto platform = platform_of(spec, context, engine); !platform) return platform.error().message;
  return engine.is_open() ? "" : "the engine is not asked now: too many failures, or too many actions at once";
}

}  // namespace hipcache::daemon
