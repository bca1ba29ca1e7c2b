#include "client/steps/fatal_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdlib>

namespace hipcache::client {
namespace {

// All signals whose default action ends a process, except faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL), which cannot be
// blocked.
constexpr int kFatal[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTRAP, SIGABRT,   SIGUSR1, SIGUSR2, SIGPIPE,  SIGALRM,
                          SIGTERM, SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM, SIGIO,   SIGPWR,  SIGSTKFLT};

bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t held() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kFatal)
    if (!is_ignored(signal)) sigaddset(&set, signal);
  return set;
}

}  // namespace

FatalSignals::FatalSignals() {
  const sigset_t set = held();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  fd_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

FatalSignals::~FatalSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool FatalSignals::take() {
  signalfd_siginfo info{};
  if (taken_ == 0 && fd_ && read(fd_.get(), &info, sizeof info) == sizeof info)
    taken_ = static_cast<int>(info.ssi_signo);
  return taken_ != 0;
}

void FatalSignals::die() const {
  struct sigaction by_default{};
  by_default.sa_handler = SIG_DFL;
  sigaction(taken_, &by_default, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, taken_);
  raise(taken_);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  _exit(128 + taken_);
}

}  // namespace hipcache::client
