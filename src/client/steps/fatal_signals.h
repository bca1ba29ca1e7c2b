// Signals that would end this process while it runs steps.
//
// The problem: a compiler that gets a signal removes its temporary files and dies of the signal. The client's compilers
// are child processes, which may not have got the signal. The choice: while steps run, the client blocks such signals
// and reads them as events. It then passes the signal on, waits for the compilers, removes its own files, and dies of
// the signal. Ignored signals stay ignored, as under nohup. REQUIRES: constructed and destroyed by the thread that
// starts the others.
#ifndef HIPCACHE_SRC_CLIENT_STEPS_FATAL_SIGNALS_H
#define HIPCACHE_SRC_CLIENT_STEPS_FATAL_SIGNALS_H

#include <csignal>

#include "hipcache/base/files.h"

namespace hipcache::client {

class FatalSignals {
 public:
  FatalSignals();
  ~FatalSignals();  // unblocks the signals, so pending ones act now
  FatalSignals(const FatalSignals&) = delete;
  FatalSignals& operator=(const FatalSignals&) = delete;

  int fd() const { return fd_.get(); }  // readable when a signal is pending; -1 if signals are not blocked
  const sigset_t& before() const { return before_; }  // the signal mask for children

  // Takes a pending signal; true if there is one now or was one before.
  bool take();
  int taken() const { return taken_; }  // 0: none

  // Ends this process by the signal that was taken.
  [[noreturn]] void die() const;

 private:
  sigset_t before_{};
  UniqueFd fd_;
  int taken_ = 0;
};

}  // namespace hipcache::client

#endif
