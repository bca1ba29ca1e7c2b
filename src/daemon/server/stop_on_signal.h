// SIGTERM, SIGINT and SIGHUP end the daemon like --stop-server: no more connections, and running sessions end first. A
// second signal ends the process at once, which is safe because the store tolerates a kill at any time.
//
// A separate thread takes the signals; all others block them.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_STOP_ON_SIGNAL_H
#define HIPCACHE_SRC_DAEMON_SERVER_STOP_ON_SIGNAL_H

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace hipcache::daemon {

class StopOnSignal {
 public:
  // Blocks the signals in this thread and in those that it starts. Call it before any other thread starts.
  static sigset_t block();

  StopOnSignal(sigset_t signals, std::function<void()> stop);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  void wait_for_signals(sigset_t signals);

  std::function<void()> stop_;
  std::atomic<bool> ending_{false};
  std::thread thread_;  // declared last, because it uses the others
};

}  // namespace hipcache::daemon

#endif
