#include "cli/show/show_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "cli/show/json_text.h"
#include "hipcache/base/digest.h"
#include "hipcache/client/own_request.h"
#include "hipcache/client/wrapper_run.h"

namespace hipcache::cli {
namespace {

constexpr std::string_view kCuid = "CUID";
constexpr std::string_view kRequest = "request";
constexpr std::string_view kNotSplit = "not split";

std::string line(std::string_view name, std::size_t width, const std::string& rest) {
  std::string text(name);
  text.resize(std::max(width, name.size()), ' ');
  return text + "  " + rest + "\n";
}

std::string stored(bool is_stored) { return is_stored ? "stored" : "not stored"; }

// Enough of a key to tell it from others. The JSON has all of it.
std::string shown(const std::string& key) { return key.substr(0, Digest::kShownDigits); }

// A step has no key while its inputs, made by earlier steps, are missing.
std::string describe(const protocol::PlanStep& step) {
  if (step.key.empty()) return "not stored, its key depends on steps that have not run";
  return shown(step.key) + "  " + stored(step.stored) +
         (step.inputs == 0 ? std::string() : ", " + std::to_string(step.inputs) + " inputs");
}

Result<protocol::PlanReport> ask(const Control& control, const std::vector<std::string>& words, bool json) {
  Result<std::vector<std::string>> argv = client::with_real_compiler(words);
  if (!argv) return argv.error();
  Result<protocol::CompileRequest> request = client::own_request(*argv);
  if (!request) return request.error();
  request->plan_only = true;
  Result<client::Reply> reply = control.converse(*request);
  if (!reply) return reply.error();
  if (auto* plan = std::get_if<protocol::PlanReport>(&reply->message)) return std::move(*plan);
  if (auto* pass = std::get_if<protocol::PassThrough>(&reply->message)) {
    if (!pass->wrapper_library.empty()) return client::ask_wrapper(*argv, pass->wrapper_library, "--plan", json);
    protocol::PlanReport plan;
    plan.reason = std::move(pass->reason);
    return plan;
  }
  return Error{"the daemon sent something else than a plan"};
}

}  // namespace

std::string plan_to_text(const protocol::PlanReport& plan) {
  const std::string why = plan.reason + (plan.detail.empty() ? "" : ": " + plan.detail);
  if (!plan.reason.empty() && plan.steps.empty()) return "passes through: " + why + "\n";
  std::size_t width = std::max(kRequest.size(), plan.reason.empty() ? 0 : kNotSplit.size());
  for (const protocol::PlanStep& step : plan.steps) width = std::max(width, step.name.size());
  std::string text = line(kCuid, width, plan.cuid.empty() ? "the compiler's own" : plan.cuid);
  text += line(kRequest, width, shown(plan.request_key) + "  " + stored(plan.request_stored));
  for (const protocol::PlanStep& step : plan.steps) text += line(step.name, width, describe(step));
  if (!plan.reason.empty()) text += line(kNotSplit, width, why);
  return text;
}

std::string plan_to_json(const protocol::PlanReport& plan) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const protocol::PlanStep& step : plan.steps)
    steps.push_back({{"name", step.name}, {"key", step.key}, {"stored", step.stored}, {"inputs", step.inputs}});
  return json_text({{"reason", plan.reason},
                    {"detail", plan.detail},
                    {"cuid", plan.cuid},
                    {"request_key", plan.request_key},
                    {"request_stored", plan.request_stored},
                    {"steps", std::move(steps)}});
}

Result<std::string> show_plan(const Control& control, const std::vector<std::string>& command, bool json) {
  const Result<protocol::PlanReport> plan = ask(control, command, json);
  if (!plan) return plan.error();
  return json ? plan_to_json(*plan) : plan_to_text(*plan);
}

}  // namespace hipcache::cli
