#include "cli/show/show_explanation.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "cli/show/json_text.h"
#include "hipcache/client/own_request.h"
#include "hipcache/client/wrapper_run.h"

namespace hipcache::cli {
namespace {

using nlohmann::ordered_json;
using protocol::Difference;
using protocol::ExplainedStep;
using protocol::Explanation;
using protocol::Verdict;

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

std::string name_of(Forecast forecast) {
  switch (forecast) {
    case Forecast::hit:
      return "hit";
    case Forecast::partial:
      return "partial";
    case Forecast::miss:
      return "miss";
    case Forecast::passthrough:
      return "passthrough";
  }
  return "unknown";
}

int exit_code_of(Forecast forecast) {
  if (forecast == Forecast::passthrough) return kExplainedPassThrough;
  return forecast == Forecast::hit ? 0 : kExplainedMiss;
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

Result<Explanation> ask(const Control& control, const std::vector<std::string>& words, bool json) {
  Result<std::vector<std::string>> argv = client::with_real_compiler(words);
  if (!argv) return argv.error();
  Result<protocol::CompileRequest> request = client::own_request(*argv);
  if (!request) return request.error();
  request->explain = true;
  Result<client::Reply> reply = control.converse(*request);
  if (!reply) return reply.error();
  if (auto* explanation = std::get_if<Explanation>(&reply->message)) return std::move(*explanation);
  if (const auto* pass = std::get_if<protocol::PassThrough>(&reply->message); pass && !pass->wrapper_library.empty())
    return client::ask_wrapper(*argv, pass->wrapper_library, "--explain", json);
  if (const auto* busy = std::get_if<protocol::Busy>(&reply->message))
    return Error{"the daemon is busy: " + busy->reason};
  return Error{"the daemon sent something else than an explanation"};
}

}  // namespace

// As the daemon counts requests: a probe compiles nothing, and neither does a bundle of what is stored.
Forecast forecast_of(const Explanation& explanation) {
  if (protocol::passes_through(explanation)) return Forecast::passthrough;
  if (explanation.request.verdict == Verdict::stored) return Forecast::hit;
  bool any_stored = false;
  bool any_missing = false;
  for (const ExplainedStep& step : explanation.steps) {
    if (step.name == kProbe) continue;
    any_stored |= step.verdict == Verdict::stored;
    any_missing |= step.verdict == Verdict::runs || step.verdict == Verdict::depends;
  }
  if (!any_stored) return Forecast::miss;
  return any_missing ? Forecast::partial : Forecast::hit;
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
  return json_text({{"outcome", name_of(forecast_of(explanation))},
                    {"reason", explanation.reason},
                    {"detail", explanation.detail},
                    {"compared", explanation.compared},
                    {"request", std::move(request)},
                    {"steps", std::move(steps)}});
}

Result<ShownExplanation> show_explanation(const Control& control, const std::vector<std::string>& command, bool json) {
  const Result<Explanation> explanation = ask(control, command, json);
  if (!explanation) return explanation.error();
  return ShownExplanation{.text = json ? explanation_to_json(*explanation) : explanation_to_text(*explanation),
                          .exit_code = exit_code_of(forecast_of(*explanation))};
}

}  // namespace hipcache::cli
