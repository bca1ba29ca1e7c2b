#include "hipcache/client/launcher.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>

#include "client/exec_compiler.h"
#include "client/steps/output_placer.h"
#include "hipcache/base/log.h"
#include "hipcache/client/conversation.h"
#include "hipcache/client/daemon_link.h"
#include "hipcache/client/invocation.h"
#include "hipcache/config/settings.h"

namespace hipcache::client {
namespace {

constexpr int kNotFound = 127;

std::string log_path() {
  const char* path = std::getenv("HIPCACHE_LOG");
  return path != nullptr ? path : "";
}

int complain(const Error& problem) {
  [[maybe_unused]] const Status told = write_all(STDERR_FILENO, "hipcache: error: " + problem.message + "\n", "stderr");
  return kNotFound;
}

// Places the outputs, then prints. A failure to print must not fail the compile once its outputs are in place.
Result<int> finish(const protocol::Finish& finished, const std::vector<UniqueFd>& descriptors) {
  if (Status placed = place_outputs(finished, descriptors); !placed) return placed.error();
  [[maybe_unused]] const Status out = write_all(STDOUT_FILENO, finished.stdout_text, "stdout");
  [[maybe_unused]] const Status err = write_all(STDERR_FILENO, finished.stderr_text, "stderr");
  return finished.exit_code;
}

// Returns the exit code, or why the compiler itself has to run.
Result<int> serve_from_cache(const std::vector<std::string>& argv, Timeouts timeouts, LauncherHandoff begun) {
  if (begun.only_compiler) return Error{"what is cached could not be put in place"};
  const config::Lookup variable = config::lookup_in_process();
  if (config::is_disabled(variable)) return Error{"HIPCACHE_DISABLE is set"};
  const Result<config::Settings> located = config::locate(variable);
  if (!located) return located.error();
  const Result<Invocation> command = own_invocation(argv);
  if (!command) return command.error();
  std::optional<protocol::Channel> channel;
  if (begun.connection) channel.emplace(std::move(begun.connection));
  const Result<Answer> answer =
      converse(DaemonLink(*located, timeouts), compile_request(*command), timeouts, std::move(channel));
  if (!answer) return answer.error();
  if (const auto* finished = std::get_if<protocol::Finish>(&answer->message))
    return finish(*finished, answer->descriptors);
  if (const auto* pass = std::get_if<protocol::PassThrough>(&answer->message)) return Error{pass->reason};
  if (const auto* busy = std::get_if<protocol::Busy>(&answer->message)) return Error{busy->reason};
  return Error{"the daemon answered a compile with something else"};
}

}  // namespace

int launch(std::vector<std::string> argv, Timeouts timeouts, LauncherHandoff begun) {
  Result<std::vector<std::string>> real = with_real_compiler(std::move(argv));
  if (!real) return complain(real.error());
  const Result<int> exit_code = serve_from_cache(*real, timeouts, std::move(begun));
  if (exit_code) return *exit_code;
  Log(log_path()).info("the compiler itself runs: " + exit_code.error().message);
  return run_real_compiler(*real);
}

}  // namespace hipcache::client
