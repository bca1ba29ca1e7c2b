// Signals that would end this process while it runs steps.
//
// The problem: a compiler that gets a signal removes its temporary files and ends by it. Ours are its children's, who
// were sent nothing. The choice: while steps run, such signals are held back and read as events. The client then passes
// the signal on, waits for the compilers, removes what is its own, and ends by the signal. Signals that were ignored
// stay so, as under nohup. REQUIRES: made and destroyed by the thread that makes the others.
#ifndef HIPCACHE_SRC_CLIENT_FATAL_SIGNALS_H
#define HIPCACHE_SRC_CLIENT_FATAL_SIGNALS_H

#include <csignal>

#include "hipcache/base/files.h"

namespace hipcache::client {

class FatalSignals {
 public:
  FatalSignals();
  ~FatalSignals();  // what is held back acts now
  FatalSignals(const FatalSignals&) = delete;
  FatalSignals& operator=(const FatalSignals&) = delete;

  int fd() const { return fd_.get(); }                // readable: there is one; -1 if signals are not held back
  const sigset_t& before() const { return before_; }  // what children are to hold back

  // Takes the signal, if there is one.
  bool take();
  int taken() const { return taken_; }  // 0: none

  // Ends this process as the signal that was taken would have.
  [[noreturn]] void die() const;

 private:
  sigset_t before_{};
  UniqueFd fd_;
  int taken_ = 0;
};

}  // namespace hipcache::client

#endif
