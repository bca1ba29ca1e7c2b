// SIGTERM, SIGINT and SIGHUP end the daemon as --stop-server does: no more connections, and what runs ends first. A
// second one ends the process at once: its store is written so that a process may be killed at any time.
//
// A thread of its own takes the signals; they are blocked in all others.
#ifndef HIPCACHE_DAEMON_STOP_ON_SIGNAL_H
#define HIPCACHE_DAEMON_STOP_ON_SIGNAL_H

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace hipcache::daemon {

class StopOnSignal {
 public:
  // Blocks the signals in this thread and in those that it starts. Before any other thread is started.
  static sigset_t block();

  StopOnSignal(sigset_t signals, std::function<void()> stop);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  void wait_for_signals(sigset_t signals);

  std::function<void()> stop_;
  std::atomic<bool> ending_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace hipcache::daemon

#endif
