#include "cli/run.h"

#include <unistd.h>

#include <chrono>

#include "cli/control.h"
#include "cli/flush.h"
#include "cli/options.h"
#include "cli/show_config.h"
#include "cli/show_explanation.h"
#include "cli/show_plan.h"
#include "hipcache/base/files.h"
#include "hipcache/config/settings.h"
#include "hipcache/launcher/diagnostics.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/stats/report.h"

namespace hipcache::cli {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr std::chrono::seconds kLeave{10};  // for a daemon to end after it was asked

int failed(const Error& problem, int code) {
  launch_print_error(problem.message.c_str(), "", "");
  return code;
}

Result<std::string> show_stats(const Control& control, bool json) {
  Result<std::string> text = control.ask(protocol::ControlKind::stats);
  if (!text) return text;
  if (!json) return stats::to_text(*text);
  if (!text->ends_with('\n')) *text += '\n';
  return text;
}

Result<std::string> ask(const Control& control, protocol::ControlKind kind) {
  Result<std::string> text = control.ask(kind);
  if (text) *text += '\n';
  return text;
}

// Performs the action and returns the text to print.
Result<std::string> act(const Options& options, client::Timeouts timeouts) {
  using protocol::ControlKind;
  if (options.action == Action::help) return help_text();
  if (options.action == Action::version) return "hipcache " + protocol::build_id() + "\n";
  const config::Lookup variable = config::lookup_in_process();
  if (options.action == Action::show_config) return show_config(variable, options.json);
  const Result<config::Settings> settings = config::load(variable);
  if (!settings) return settings.error();
  const Control control(*settings, timeouts);
  switch (options.action) {
    case Action::show_stats:
      return show_stats(control, options.json);
    case Action::zero_stats:
      return ask(control, ControlKind::zero_stats);
    case Action::clear:
      return ask(control, ControlKind::clear);
    case Action::cleanup:
      return ask(control, ControlKind::cleanup);
    case Action::flush:
      return flush(control);
    case Action::start_server:
      return ask(control, ControlKind::ping);
    case Action::stop_server:
      return control.stop(kLeave);
    case Action::plan:
      return show_plan(control, options.command, options.json);
    case Action::explain:
      return show_explanation(control, options.command, options.json);
    case Action::help:
    case Action::version:
    case Action::show_config:
      break;
  }
  return Error{"an action without a meaning"};
}

}  // namespace

int run(const std::vector<std::string>& arguments, client::Timeouts timeouts) {
  const Result<Options> options = parse_options(arguments);
  if (!options) return failed(options.error(), kUsage);
  const Result<std::string> text = act(*options, timeouts);
  if (!text) return failed(text.error(), kFailure);
  if (Status printed = write_all(STDOUT_FILENO, *text, "standard output"); !printed)
    return failed(printed.error(), kFailure);
  return 0;
}

}  // namespace hipcache::cli
