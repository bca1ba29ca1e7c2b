// hipcache-client: launches a compiler, or handles an option of hipcache. The launcher (src/launcher)
// passes everything to it that the launcher does not do itself; a user may also call it directly.
// Called by a compiler's name, it acts as that compiler; by the name of ccache or sccache, as hipcache in its place.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/control/control.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/trial/trial.h"
#include "cli/flush.h"
#include "cli/options/generate.h"
#include "cli/options/options.h"
#include "cli/options/other_tool.h"
#include "cli/show/show_plan.h"
#include "cli/show/watch.h"
#include "hipcache/base/files.h"
#include "hipcache/client/launcher.h"
#include "hipcache/client/own_request.h"
#include "hipcache/client/timeouts.h"
#include "hipcache/config/settings.h"
#include "hipcache/launcher/compiler.h"
#include "hipcache/launcher/exec_compiler.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/stats/report.h"
#include "hipcache/stats/hit_rate.h"

namespace hipcache::cli {

namespace {

// Runs hipcache's own options: from the words typed to the exit code.

constexpr int kFailure = 1;

constexpr int kUsage = 2;

constexpr std::chrono::seconds kLeave{15};  // for a daemon to end after it was asked; its last writes take 9 s at most

int failed(const Error& problem, int code) {
  launch_print_error(problem.message.c_str(), "", "");
  return code;
}

// What to print, an error that follows it, and the exit code if there is none.
struct Outcome {
  std::string text;
  Status status = done();
  int exit_code = 0;
  std::string warning = {};  // one line, for standard error
};

Result<std::string> formatted(std::string json, const Options& options) {
  const stats::TextStyle style{.all = options.verbose, .colour = shows_colour(STDOUT_FILENO)};
  const bool is_json = options.json();
  if (options.manner == Manner::ccache_counters)
    return stats::as_ccache_counters(json, is_json ? stats::CounterForm::json : stats::CounterForm::tab);
  if (options.manner == Manner::sccache)
    return is_json ? stats::as_sccache_json(json, std::string(version_of(Tool::sccache)))
                   : stats::as_sccache_text(json, style);
  if (options.manner == Manner::ccache && !is_json && !options.verbose) return stats::as_ccache_text(json, style);
  if (options.format == Format::text) return stats::to_text(json, style);
  if (options.format == Format::markdown) return stats::to_markdown(json);
  if (!json.ends_with('\n')) json += '\n';
  return json;
}

Result<Outcome> show_stats(const Control& control, const Options& options) {
  const Result<std::string> json = control.ask(protocol::ControlKind::stats);
  if (!json) return json.error();
  Result<std::string> text = formatted(*json, options);
  if (!text) return text.error();
  return Outcome{std::move(*text), options.fail_under ? stats::check_hit_rate(*json, *options.fail_under) : done()};
}

Result<std::string> ask(const Control& control, protocol::ControlKind kind) {
  Result<std::string> text = control.ask(kind);
  if (text) *text += '\n';
  return text;
}

// Performs an action of one text.
Result<std::string> act(const Options& options, const Control& control) {
  using protocol::ControlKind;
  switch (options.action) {
    case Action::zero_stats:
      return ask(control, ControlKind::zero_stats);
    case Action::clear:
      return ask(control, ControlKind::clear);
    case Action::cleanup:
      return ask(control, ControlKind::cleanup);
    case Action::start_server:
      return ask(control, ControlKind::ping);
    case Action::stop_server:
      return control.stop(kLeave);
    case Action::plan:
      return show_plan(control, options.command, options.json());
    case Action::explain:
    case Action::flush:
    case Action::help:
    case Action::version:
    case Action::show_config:
    case Action::show_stats:
    case Action::report:
    case Action::watch:
    case Action::export_results:
    case Action::import_results:
    case Action::doctor:
    case Action::public_key:
    case Action::generate:
      break;
  }
  return Error{"an action without a meaning"};
}

Result<Outcome> explain(const Control& control, const Options& options) {
  Result<ShownExplanation> shown = show_explanation(control, options.command, options.json());
  if (!shown) return shown.error();
  return Outcome{.text = std::move(shown->text), .exit_code = shown->exit_code};
}

// A server that is down costs compiles, not the CI job whose compiles all succeeded.
Result<Outcome> flush(const Control& control, const Options& options) {
  Result<std::string> text = flush(control);
  if (text) return Outcome{std::move(*text)};
  if (options.fail_unwritten) return text.error();
  return Outcome{.warning = text.error().message + "; --fail-unwritten makes this an error"};
}

Result<Outcome> outcome_of(Result<std::string> text) {
  if (!text) return text.error();
  return Outcome{std::move(*text)};
}

Result<Outcome> outcome_of(Result<Report> report) {
  if (!report) return report.error();
  return Outcome{std::move(report->text), std::move(report->rate)};
}

// Performs the action.
Result<Outcome> perform(const Options& options, client::Timeouts timeouts) {
  if (options.action == Action::help) return Outcome{help_text()};
  if (options.action == Action::version) return Outcome{version_text(options)};
  if (options.action == Action::generate) return outcome_of(generate(options.value));
  if (options.action == Action::public_key) return become_helper({"hipcache-remote", "--public-key", options.value});
  const config::Lookup variable = config::lookup_in_process();
  if (options.action == Action::show_config) return outcome_of(show_config(variable, options.json()));
  const Result<config::Settings> settings = config::load(variable);
  if (!settings) return settings.error();
  const Control control(*settings, timeouts);
  if (options.action == Action::show_stats) return show_stats(control, options);
  if (options.action == Action::flush) return flush(control, options);
  if (options.action == Action::explain) return explain(control, options);
  if (options.action == Action::report) return outcome_of(show_report(control, options));
  if (options.action == Action::watch) return outcome_of(watch(control, *settings));
  if (options.action == Action::export_results || options.action == Action::import_results)
    return transfer(control, options, *settings);
  return outcome_of(act(options, control));
}

// Prints each line when it is known: a test compile takes a while.
int run_doctor(const Options& options) {
  const auto say = [](const std::string& line) {
    [[maybe_unused]] const Status printed = write_all(STDOUT_FILENO, line, "standard output");
  };
  return examine(options.command, say) ? 0 : kFailure;
}

int run_action(const Options& options, client::Timeouts timeouts) {
  if (options.action == Action::doctor) return run_doctor(options);
  const Result<Outcome> outcome = perform(options, timeouts);
  if (!outcome) return failed(outcome.error(), kFailure);
  if (Status printed = write_all(STDOUT_FILENO, outcome->text, "standard output"); !printed)
    return failed(printed.error(), kFailure);
  if (!outcome->warning.empty()) std::fprintf(stderr, "hipcache: warning: %s\n", outcome->warning.c_str());
  return outcome->status ? outcome->exit_code : failed(outcome->status.error(), kFailure);
}

// Returns 0, or 1 with one line on stderr, or 2 with one line for invalid options; for --explain also the codes of
// show_plan.h. `tool`: in whose place hipcache was called.
int run(const std::vector<std::string>& arguments, client::Timeouts timeouts, Tool tool = Tool::none) {
  const Result<std::vector<Options>> actions = parse_options_of(tool, arguments);
  if (!actions) return failed(actions.error(), kUsage);
  for (const Options& options : *actions)
    if (const int code = run_action(options, timeouts); code != 0) return code;
  return 0;
}

}  // namespace

}  // namespace hipcache::cli

namespace {

using hipcache::client::Timeouts;

// Whoever gives hipcache an option waits for the daemon itself, not a compile: on a busy machine it comes up late.
Timeouts for_options() {
  Timeouts timeouts;
  timeouts.start = std::chrono::seconds(30);
  return timeouts;
}

// If stdin, stdout or stderr is closed, opens /dev/null there, so that no socket or file of ours
// gets that number. Close-on-exec: the compiler still finds the stream closed.
void occupy_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDWR | O_CLOEXEC) != stream) return;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  std::vector<std::string> words(argv, argv + argc);
  if (words.empty()) return hipcache::cli::run({}, for_options());
  if (auto begun = hipcache::client::take_launcher_handoff(words))
    return hipcache::client::launch(std::move(words), Timeouts(), std::move(*begun));
  if (!launch_is_our_name(argv[0])) return hipcache::client::launch(std::move(words), Timeouts());
  words.erase(words.begin());
  if (words.empty() || words.front().starts_with('-'))
    return hipcache::cli::run(words, for_options(), hipcache::cli::tool_named(argv[0]));
  return hipcache::client::launch(std::move(words), Timeouts());
}
