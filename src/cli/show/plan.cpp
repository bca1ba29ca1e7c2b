// What the daemon would do with a command: its plan, and why its steps would run.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/show/show.h"
#include "hipcache/base/digest.h"
#include "hipcache/client/own_request.h"

namespace hipcache::cli {

namespace {

using nlohmann::ordered_json;
using protocol::Difference;
using protocol::ExplainedStep;
using protocol::Explanation;
using protocol::Verdict;

struct Asked {
  std::vector<std::string> argv;
  protocol::Message reply;
};

// `question`: the field of a request that asks it.
Result<Asked> ask(const Control& control, const std::vector<std::string>& words,
                  bool protocol::CompileRequest::* question) {
  Result<std::vector<std::string>> argv = client::with_real_compiler(words);
  if (!argv) return argv.error();
  Result<protocol::CompileRequest> request = client::own_request(*argv);
  if (!request) return request.error();
  *request.*question = true;
  Result<client::Reply> reply = control.converse(*request);
  if (!reply) return reply.error();
  return Asked{std::move(*argv), std::move(reply->message)};
}

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

std::string place_of(const protocol::PlanStep& step) {
  if (step.is_sent) return ", sent to the engine while this machine is busy";
  return step.not_sent.empty() ? "" : ", runs here: " + step.not_sent;
}

// A step has no key while its inputs, made by earlier steps, are missing.
std::string describe(const protocol::PlanStep& step) {
  if (step.key.empty()) return "not stored, its key depends on steps that have not run" + place_of(step);
  return shown(step.key) + "  " + stored(step.stored) +
         (step.inputs == 0 ? std::string() : ", " + std::to_string(step.inputs) + " inputs") + place_of(step);
}

Result<protocol::PlanReport> ask_for_plan(const Control& control, const std::vector<std::string>& words, bool json) {
  Result<Asked> asked = ask(control, words, &protocol::CompileRequest::plan_only);
  if (!asked) return asked.error();
  if (auto* plan = std::get_if<protocol::PlanReport>(&asked->reply)) return std::move(*plan);
  if (auto* pass = std::get_if<protocol::PassThrough>(&asked->reply)) {
    if (!pass->wrapper_library.empty()) return client::ask_wrapper(asked->argv, pass->wrapper_library, "--plan", json);
    return protocol::PlanReport{.reason = std::move(pass->reason)};
  }
  return Error{"the daemon sent something else than a plan"};
}

constexpr std::string_view kProbe = "probe";
constexpr const char* kPassesThrough = "passes through";

std::string said(Verdict verdict) {
  switch (verdict) {
    case Verdict::stored:
      return "stored";
    case Verdict::runs:
    case Verdict::bundles:
      return "would run";
    case Verdict::depends:
      return "depends";
  }
  return "unknown";
}

// A partial hit is a miss: it runs a compiler.
int exit_code_of(stats::Outcome forecast) {
  if (forecast == stats::Outcome::passthrough) return 4;
  return forecast == stats::Outcome::hit ? 0 : 3;
}

// The request itself does not run.
std::string verdict_of(const ExplainedStep& step, bool is_request) {
  return is_request && step.verdict != Verdict::stored ? "not stored" : said(step.verdict);
}

std::string to_text(const ExplainedStep& step, std::size_t width, bool is_request) {
  std::string name = step.name;
  name.resize(std::max(width, name.size()), ' ');
  const std::string margin(name.size() + 2, ' ');
  std::string text = name + "  " + verdict_of(step, is_request) + "\n";
  for (const Difference& difference : step.differences) text += margin + protocol::describe(difference) + "\n";
  if (step.more > 0) text += margin + "and " + std::to_string(step.more) + " more\n";
  for (const protocol::Tie& tie : step.ties) text += margin + protocol::describe(tie) + "\n";
  return text;
}

ordered_json to_json(const ExplainedStep& step) {
  ordered_json differences = ordered_json::array();
  for (const Difference& difference : step.differences)
    differences.push_back({{"kind", protocol::name_of(difference.kind)},
                           {"name", difference.name},
                           {"now", difference.now},
                           {"was", difference.was},
                           {"text", protocol::describe(difference)}});
  ordered_json ties = ordered_json::array();
  for (const protocol::Tie& tie : step.ties)
    ties.push_back({{"kind", protocol::name_of(tie.by)},
                    {"kept_to", protocol::tied_to(tie.by)},
                    {"name", tie.name},
                    {"other", tie.other},
                    {"more", tie.more},
                    {"text", protocol::describe(tie)}});
  return {{"name", step.name},
          {"verdict", said(step.verdict)},
          {"differences", differences},
          {"more", step.more},
          {"ties", ties}};
}

Result<Explanation> ask_for_explanation(const Control& control, const std::vector<std::string>& words, bool json) {
  Result<Asked> asked = ask(control, words, &protocol::CompileRequest::explain);
  if (!asked) return asked.error();
  if (auto* explanation = std::get_if<Explanation>(&asked->reply)) return std::move(*explanation);
  if (const auto* pass = std::get_if<protocol::PassThrough>(&asked->reply); pass && !pass->wrapper_library.empty())
    return client::ask_wrapper(asked->argv, pass->wrapper_library, "--explain", json);
  if (const auto* busy = std::get_if<protocol::Busy>(&asked->reply))
    return Error{"the daemon is busy: " + busy->reason};
  return Error{"the daemon sent something else than an explanation"};
}

}  // namespace

std::string plan_to_text(const protocol::PlanReport& plan) {
  const std::string why = plan.reason + (plan.detail.empty() ? "" : ": " + plan.detail);
  if (!plan.reason.empty() && plan.steps.empty()) return "passes through: " + why + "\n";
  std::size_t width = std::max(kRequest.size(), plan.reason.empty() ? 0 : kNotSplit.size());
  for (const protocol::PlanStep& step : plan.steps) width = std::max(width, step.name.size());
  std::string text = line("CUID", width, plan.cuid.empty() ? "the compiler's own" : plan.cuid);
  text += line(kRequest, width, shown(plan.request_key) + "  " + stored(plan.request_stored));
  for (const protocol::PlanStep& step : plan.steps) text += line(step.name, width, describe(step));
  if (!plan.reason.empty()) text += line(kNotSplit, width, why);
  if (!plan.not_sent.empty()) text += line("not sent", width, plan.not_sent);
  if (!plan.at_once.empty()) text += line("at once", width, plan.at_once);
  return text;
}

std::string plan_to_json(const protocol::PlanReport& plan) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const protocol::PlanStep& step : plan.steps)
    steps.push_back({{"name", step.name},
                     {"key", step.key},
                     {"stored", step.stored},
                     {"inputs", step.inputs},
                     {"sent", step.is_sent},
                     {"not_sent", step.not_sent}});
  return json_text({{"reason", plan.reason},
                    {"detail", plan.detail},
                    {"cuid", plan.cuid},
                    {"request_key", plan.request_key},
                    {"request_stored", plan.request_stored},
                    {"steps", std::move(steps)},
                    {"not_sent", plan.not_sent},
                    {"at_once", plan.at_once}});
}

Result<std::string> show_plan(const Control& control, const std::vector<std::string>& command, bool json) {
  const Result<protocol::PlanReport> plan = ask_for_plan(control, command, json);
  if (!plan) return plan.error();
  return json ? plan_to_json(*plan) : plan_to_text(*plan);
}

// As the daemon counts requests: a probe compiles nothing, and neither does a bundle of what is stored.
stats::Outcome forecast_of(const Explanation& explanation) {
  if (protocol::passes_through(explanation)) return stats::Outcome::passthrough;
  if (explanation.request.verdict == Verdict::stored) return stats::Outcome::hit;
  bool any_stored = false;
  bool any_missing = false;
  for (const ExplainedStep& step : explanation.steps) {
    if (step.name == kProbe) continue;
    any_stored |= step.verdict == Verdict::stored;
    any_missing |= step.verdict == Verdict::runs || step.verdict == Verdict::depends;
  }
  return stats::outcome_of_steps(any_stored, any_missing);
}

std::string explanation_to_text(const Explanation& explanation) {
  if (protocol::passes_through(explanation))
    return std::string(kPassesThrough) + ": " + explanation.reason +
           (explanation.detail.empty() ? std::string() : ": " + explanation.detail) + "\n";
  std::size_t width = explanation.request.name.size();
  for (const ExplainedStep& step : explanation.steps) width = std::max(width, step.name.size());
  std::string text = to_text(explanation.request, width, true);
  for (const ExplainedStep& step : explanation.steps) text += to_text(step, width, false);
  return text;
}

std::string explanation_to_json(const Explanation& explanation) {
  ordered_json steps = ordered_json::array();
  for (const ExplainedStep& step : explanation.steps) steps.push_back(to_json(step));
  ordered_json request = to_json(explanation.request);
  if (protocol::passes_through(explanation)) {
    request["name"] = "request";
    request["verdict"] = kPassesThrough;
  }
  return json_text({{"outcome", stats::name_of(forecast_of(explanation))},
                    {"reason", explanation.reason},
                    {"detail", explanation.detail},
                    {"compared", explanation.compared},
                    {"request", std::move(request)},
                    {"steps", std::move(steps)}});
}

Result<Outcome> show_explanation(const Control& control, const std::vector<std::string>& command, bool json) {
  const Result<Explanation> explanation = ask_for_explanation(control, command, json);
  if (!explanation) return explanation.error();
  return Outcome{.text = json ? explanation_to_json(*explanation) : explanation_to_text(*explanation),
                 .exit_code = exit_code_of(forecast_of(*explanation))};
}

}  // namespace hipcache::cli
