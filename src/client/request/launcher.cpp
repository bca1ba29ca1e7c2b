#include "hipcache/client/launcher.h"

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "client/notices/notices.h"
#include "client/request/headers.h"
#include "client/request/interposers.h"
#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/result.h"
#include "hipcache/client/conversation.h"
#include "hipcache/client/daemon_link.h"
#include "hipcache/client/own_request.h"
#include "hipcache/config/settings.h"
#include "hipcache/launcher/exec_compiler.h"
#include "hipcache/launcher/place.h"
#include "hipcache/launcher/recorder.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

namespace {

// Places the outputs of a finished request and prints its texts, by the code that the launcher uses:
// hipcache/launcher/place.h.

// On an error nothing is printed and some outputs may be in place: the compiler has to write them all. REQUIRES: as
// many descriptors as outputs without content.
Status deliver(const protocol::Finish& finish, const std::vector<UniqueFd>& descriptors) {
  std::vector<launch_output> outputs;
  std::size_t files = 0;
  for (const protocol::PlacedOutput& output : finish.outputs) {
    const bool carried = output.content.has_value();
    outputs.push_back({.path = output.path.c_str(),
                       .in_place = output.in_place,
                       .in_place_if_empty = output.in_place_if_empty,
                       .executable = output.executable,
                       .file = carried ? -1 : descriptors[files++].get(),
                       .bytes = carried ? output.content->data() : nullptr,
                       .size = carried ? output.content->size() : 0});
  }
  std::vector<const char*> removed;
  for (const std::string& path : finish.removed) removed.push_back(path.c_str());
  const launch_delivery delivery{.outputs = outputs.data(),
                                 .output_count = outputs.size(),
                                 .removed = removed.data(),
                                 .removed_count = removed.size(),
                                 .out = {finish.stdout_text.data(), finish.stdout_text.size()},
                                 .err = {finish.stderr_text.data(), finish.stderr_text.size()}};
  launch_failure failure{};
  if (launch_deliver(&delivery, &failure)) return done();
  errno = failure.error;
  return system_error(failure.what, failure.path);
}

constexpr int kNotFound = 127;

std::string log_path() {
  const char* path = std::getenv("HIPCACHE_LOG");
  return path != nullptr ? path : "";
}

int exec_compiler(std::vector<std::string>& argv) {
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  return launch_exec_compiler(words.data());
}

// Without a connection of the launcher's no daemon runs, and the next one starts with our settings.
void say_what_is_wrong(const DaemonLink& link, const protocol::CompileRequest& request, bool is_running) {
  const config::Lookup variable = config::lookup_in_process();
  say(notices_on_settings(variable, request.environment,
                          is_running ? std::optional(link.daemon_settings()) : std::nullopt),
      variable);
}

void say_whether_directory_is_usable(const DaemonLink& link) {
  if (const Status usable = link.check_directory(); !usable)
    say({notice_without_cache(usable.error())}, config::lookup_in_process());
}

// Returns the exit code, or why the compiler itself has to run. Sets the library that it runs with if it is a wrapper.
Result<int> serve_from_cache(const std::vector<std::string>& argv, Timeouts timeouts, LauncherHandoff begun,
                             std::string& wrapper_library) {
  if (begun.only_compiler) return Error{"what is cached could not be put in place"};
  const config::Lookup variable = config::lookup_in_process();
  if (config::is_disabled(variable)) return Error{"HIPCACHE_DISABLE is set"};
  if (launch_is_recorded()) {
    say({notice_without_cache(Error{"a recorder of compile commands (LD_PRELOAD) sees only compilers that run"})},
        variable);
    return Error{"a recorder is at work"};
  }
  const Result<config::Settings> located = config::locate(variable);
  if (!located) {
    say({notice_without_cache(located.error())}, variable);
    return located.error();
  }
  const Result<protocol::CompileRequest> request = own_request(argv);
  if (!request) return request.error();
  std::optional<protocol::Channel> channel;
  if (begun.connection) channel.emplace(std::move(begun.connection));
  const DaemonLink link(*located, timeouts);
  say_what_is_wrong(link, *request, channel.has_value());
  say(notices_on_interposers(variable), variable);
  const Result<Reply> reply = converse(link, *request, timeouts, std::move(channel));
  if (!reply) {
    if (reply.error().code == ErrorCode::unserved)
      say({notice_without_cache(reply.error())}, variable);
    else
      say_whether_directory_is_usable(link);
    return reply.error();
  }
  if (const auto* finish = std::get_if<protocol::Finish>(&reply->message)) {
    if (Status delivered = deliver(*finish, reply->descriptors); !delivered) return delivered.error();
    if (finish->wants_headers) start_making_headers(link, argv, timeouts);
    return finish->exit_code;
  }
  if (const auto* pass = std::get_if<protocol::PassThrough>(&reply->message)) {
    wrapper_library = pass->wrapper_library;
    return Error{pass->reason};
  }
  if (const auto* busy = std::get_if<protocol::Busy>(&reply->message)) return Error{busy->reason};
  return Error{"the daemon replied to a compile with something else"};
}

}  // namespace

int launch(std::vector<std::string> argv, Timeouts timeouts, LauncherHandoff begun) {
  Result<std::vector<std::string>> real = with_real_compiler(std::move(argv));
  if (!real) {
    launch_print_error(real.error().message.c_str(), "", "");
    return kNotFound;
  }
  std::string wrapper_library;
  const Result<int> exit_code = serve_from_cache(*real, timeouts, std::move(begun), wrapper_library);
  if (exit_code) return *exit_code;
  Log(log_path()).info("the compiler itself runs: " + exit_code.error().message);
  if (launch_is_recorded()) exec_where_recorders_see(*real);
  return wrapper_library.empty() ? exec_compiler(*real) : exec_wrapper(*real, wrapper_library);
}

}  // namespace hipcache::client
