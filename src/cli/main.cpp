// hipcache-client: launches a compiler, or handles an option of hipcache. The launcher (src/launcher)
// passes everything to it that the launcher does not do itself; a user may also call it directly.
// Called by a compiler's name, it acts as that compiler; by the name of ccache or sccache, as hipcache in its place.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "cli/control/control.h"
#include "cli/doctor/doctor.h"
#include "cli/flush.h"
#include "cli/options/options.h"
#include "cli/show/show.h"
#include "hipcache/base/files.h"
#include "hipcache/client/launcher.h"
#include "hipcache/client/own_request.h"
#include "hipcache/client/timeouts.h"
#include "hipcache/config/settings.h"
#include "hipcache/launcher/compiler.h"
#include "hipcache/launcher/exec_compiler.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::cli {

namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

constexpr std::chrono::seconds kLeave{15};  // for a daemon to end after it was asked; its last writes take 9 s at most

int failed(const Error& problem, int code) {
  launch_print_error(problem.message.c_str(), "", "");
  return code;
}

Result<std::string> ask(const Control& control, protocol::ControlKind kind) {
  Result<std::string> text = control.ask(kind);
  if (text) *text += '\n';
  return text;
}

// A server that is down costs compiles, not the CI job whose compiles all succeeded.
Result<Outcome> flush(const Control& control, const Options& options) {
  Result<std::string> text = flush(control);
  if (text) return Outcome{std::move(*text)};
  if (options.fail_unwritten) return text.error();
  return Outcome{.warning = text.error().message + "; --fail-unwritten makes this an error"};
}

// Replaces this process by a program of the installed tree that links what the client does not. `words`: its name,
// which lies beside this program, and its arguments. Returns only if it cannot be started.
Error become_helper(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  char path[PATH_MAX];
  if (!launch_from_here(words.front().c_str(), path)) return system_error("cannot find", "this program");
  execv(path, argv.data());
  return system_error("cannot start", path);
}

std::uint64_t used_since(const Options& options) {
  if (!options.newer_than) return 0;
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - options.newer_than->count()));
}

std::vector<std::string> archive_words(const Options& options, int socket) {
  const bool is_export = options.action == Action::export_results;
  std::vector<std::string> words{"hipcache-remote", is_export ? "export" : "import", std::to_string(socket),
                                 options.value};
  if (!is_export) return words;
  words.push_back(std::to_string(options.max_size));
  words.push_back(std::to_string(used_since(options)));
  words.insert(words.end(), options.archs.begin(), options.archs.end());
  return words;
}

// --export and --import: connects to the daemon, and becomes hipcache-remote (src/remote/archive).
Error transfer(const Control& control, const Options& options, const config::Settings& settings) {
  const bool is_export = options.action == Action::export_results;
  if (!is_export && settings.readonly) return Error{"HIPCACHE_READONLY is set, so nothing can be imported"};
  Result<protocol::Channel> channel =
      control.begin(is_export ? protocol::ControlKind::export_results : protocol::ControlKind::import_results);
  if (!channel) return channel.error();
  if (fcntl(channel->fd(), F_SETFD, 0) != 0) return system_error("cannot pass on", "the connection");
  return become_helper(archive_words(options, channel->fd()));
}

Result<Outcome> outcome_of(Result<std::string> text) {
  if (!text) return text.error();
  return Outcome{std::move(*text)};
}

Result<Outcome> perform(const Options& options, client::Timeouts timeouts) {
  using protocol::ControlKind;
  if (options.action == Action::help) return Outcome{help_text()};
  if (options.action == Action::version) return Outcome{version_text(options)};
  if (options.action == Action::generate) return outcome_of(generate(options.value));
  if (options.action == Action::public_key) return become_helper({"hipcache-remote", "--public-key", options.value});
  const config::Lookup variable = config::lookup_in_process();
  if (options.action == Action::show_config) return outcome_of(show_config(variable, options.json()));
  const Result<config::Settings> settings = config::load(variable);
  if (!settings) return settings.error();
  const Control control(*settings, timeouts);
  switch (options.action) {
    case Action::show_stats:
      return show_stats(control, options);
    case Action::zero_stats:
      return outcome_of(ask(control, ControlKind::zero_stats));
    case Action::clear:
      return outcome_of(ask(control, ControlKind::clear));
    case Action::cleanup:
      return outcome_of(ask(control, ControlKind::cleanup));
    case Action::start_server:
      return outcome_of(ask(control, ControlKind::ping));
    case Action::stop_server:
      return outcome_of(control.stop(kLeave));
    case Action::flush:
      return flush(control, options);
    case Action::plan:
      return outcome_of(show_plan(control, options.command, options.json()));
    case Action::explain:
      return show_explanation(control, options.command, options.json());
    case Action::report:
      return show_report(control, options);
    case Action::watch:
      return outcome_of(watch(control, *settings));
    case Action::export_results:
    case Action::import_results:
      return transfer(control, options, *settings);
    case Action::help:
    case Action::version:
    case Action::generate:
    case Action::public_key:
    case Action::show_config:
    case Action::doctor:
      break;
  }
  return Error{"an action without a meaning"};
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

// Returns 0, or 1 with one line on stderr, or 2 with one line for invalid options; for --explain also 3 and 4. `tool`:
// in whose place hipcache was called.
int run(const std::vector<std::string>& arguments, client::Timeouts timeouts, Tool tool = Tool::none) {
  const Result<std::vector<Options>> actions = parse_options_of(tool, arguments);
  if (!actions) return failed(actions.error(), kUsage);
  for (const Options& options : *actions)
    if (const int code = run_action(options, timeouts); code != 0) return code;
  return 0;
}

// Whoever gives hipcache an option waits for the daemon itself, not a compile: on a busy machine it comes up late.
client::Timeouts for_options() {
  client::Timeouts timeouts;
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

}  // namespace hipcache::cli

int main(int argc, char** argv) {
  using hipcache::client::Timeouts;
  hipcache::cli::occupy_standard_streams();
  std::vector<std::string> words(argv, argv + argc);
  if (words.empty()) return hipcache::cli::run({}, hipcache::cli::for_options());
  if (auto begun = hipcache::client::take_launcher_handoff(words))
    return hipcache::client::launch(std::move(words), Timeouts(), std::move(*begun));
  if (!launch_is_our_name(argv[0])) return hipcache::client::launch(std::move(words), Timeouts());
  words.erase(words.begin());
  if (words.empty() || words.front().starts_with('-'))
    return hipcache::cli::run(words, hipcache::cli::for_options(), hipcache::cli::tool_named(argv[0]));
  return hipcache::client::launch(std::move(words), Timeouts());
}
