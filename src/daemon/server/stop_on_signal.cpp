#include "daemon/server/stop_on_signal.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

namespace hipcache::daemon {
namespace {

constexpr int kEndedBySignal = 128;  // plus the signal's number, as in shells

}  // namespace

sigset_t StopOnSignal::block() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

StopOnSignal::StopOnSignal(sigset_t signals, std::function<void()> stop)
    : stop_(std::move(stop)), thread_([this, signals] { wait_for_signals(signals); }) {}

StopOnSignal::~StopOnSignal() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void StopOnSignal::wait_for_signals(sigset_t signals) {
  for (bool is_first = true;; is_first = false) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0 || ending_) return;
    if (!is_first) _exit(kEndedBySignal + signal);
    stop_();
  }
}

}  // namespace hipcache::daemon
