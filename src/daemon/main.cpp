// hipcached: the wiring of the daemon, and nothing else.
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "daemon/cache_directory.h"
#include "daemon/control_service.h"
#include "daemon/persistent_counters.h"
#include "daemon/server.h"
#include "daemon/services.h"
#include "daemon/session.h"
#include "daemon/view.h"
#include "hipcache/base/files.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/store/store.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto kLockPatience = 2500ms;  // for a daemon on its way out; less than a client waits for us
constexpr int kArenas = 2;  // of malloc: one per thread would hold on to memory that bursts of sessions used

int fail(const std::string& message) {
  std::fprintf(stderr, "hipcached: error: %s\n", message.c_str());
  return 1;
}

// SIGTERM and SIGINT end the daemon as --stop-server does. The signals are taken by a thread of their own, blocked in
// all others.
class StopOnSignal {
 public:
  static sigset_t block() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return signals;
  }

  StopOnSignal(sigset_t signals, Server& server)
      : thread_([signals, &server] {
          int signal = 0;
          if (sigwait(&signals, &signal) == 0) server.stop();
        }) {}
  ~StopOnSignal() {
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  std::thread thread_;
};

int run() {
  const sigset_t signals = StopOnSignal::block();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of the write, as a full disk is
  mallopt(M_ARENA_MAX, kArenas);
  umask(077);

  const Result<config::Settings> settings = config::load(config::lookup_in_process());
  if (!settings) return fail(settings.error().message);
  Result<std::string> socket_path = protocol::socket_path(settings->directory);
  if (!socket_path) return fail(socket_path.error().message);
  const Result<CacheDirectory> directory = CacheDirectory::take(settings->directory, kLockPatience);
  if (!directory) return fail(directory.error().message);
  const Result<std::string> trace_library = find_trace_library();
  if (!trace_library) return fail(trace_library.error().message);

  Log log(settings->log.empty() ? directory->path() + "/daemon.log" : settings->log,
          settings->log.empty() ? Log::Level::warning : Log::Level::debug);
  // Before the store, which takes its time where it is large: who starts us waits for an answer, no longer for a
  // socket.
  std::function<void(UniqueFd)> serve;
  std::function<void()> save;
  Server server({.socket_path = *socket_path,
                 .idle_timeout = settings->idle_timeout,
                 .serve = [&serve](UniqueFd socket) { serve(std::move(socket)); },
                 .every_second = [&save] { save(); }},
                log);
  if (Status opened = server.open(); !opened) return fail(opened.error().message);

  const Result<std::unique_ptr<store::Store>> store =
      store::open_store({.directory = directory->store(), .max_bytes = settings->max_size}, log);
  if (!store) return fail(store.error().message);

  inputs::World world;
  action::ActionCache actions(**store, world, log);
  action::History history(**store, log);
  stats::Counters counters;
  PersistentCounters persistent(counters, **store, log);
  const command::Parser parser;
  InFlight in_flight;
  Pending pending;
  Tokens tokens(settings->jobs != 0 ? settings->jobs : usable_processors());
  Remembered doubts;
  Remembered proofs;
  const Services services{.store = **store,
                          .world = world,
                          .actions = actions,
                          .history = history,
                          .counters = counters,
                          .parser = parser,
                          .in_flight = in_flight,
                          .pending = pending,
                          .tokens = tokens,
                          .doubts = doubts,
                          .proofs = proofs,
                          .log = log,
                          .temporary_root = directory->temporary(),
                          .trace_library = *trace_library,
                          .name_space = own_view()};

  ControlService control(**store, pending, counters, persistent, settings->max_size, [&server] { server.stop(); });
  serve = [&](UniqueFd socket) { serve_connection(std::move(socket), services, control); };
  save = [&] { persistent.save_if_changed(); };
  const StopOnSignal on_signal(signals, server);
  log.info("serving " + settings->directory);
  if (Status ended = server.run(); !ended) return fail(ended.error().message);
  log.info("ended");
  return 0;
}

}  // namespace
}  // namespace hipcache::daemon

int main(int argc, char** argv) {
  if (argc > 1) {
    std::fprintf(stderr, "hipcached: error: takes no arguments, got %s; it is started by hipcache when it is needed\n",
                 argv[1]);
    return 2;
  }
  return hipcache::daemon::run();
}
