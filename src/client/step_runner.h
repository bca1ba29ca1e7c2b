// Runs the steps that the daemon asks for, each on a thread of its own, and reports each when it is done.
//
// The commands are children of this process: same group, terminal, limits and umask as the user's own compile would
// have. What they print goes to the step's files, what they read from stdin is nothing.
#ifndef HIPCACHE_SRC_CLIENT_STEP_RUNNER_H
#define HIPCACHE_SRC_CLIENT_STEP_RUNNER_H

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "client/jobserver.h"
#include "hipcache/base/process.h"
#include "hipcache/client/patience.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::client {

class StepRunner {
 public:
  // `channel` outlives the runner, which alone sends on it from now on.
  StepRunner(protocol::Channel& channel, const std::vector<std::string>& environment, Patience patience);
  ~StepRunner();
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  Status start(protocol::RunStep step);

  // Ends the running commands (SIGTERM, then SIGKILL) with all that they started, and waits for all threads; nothing is
  // started after. REQUIRES: this process has no other children.
  void stop();

  bool is_running() const;
  std::uint64_t finished() const;  // steps that ended so far

 private:
  void run(const protocol::RunStep& step);
  bool is_stopping() const;
  protocol::StepDone run_in_a_place(const protocol::RunStep& step);
  protocol::StepDone run_commands(const protocol::RunStep& step);
  Result<ExitStatus> run_command(const protocol::RunStep& step, const protocol::Command& command);
  Result<pid_t> spawn_unless_stopping(const protocol::RunStep& step, const protocol::Command& command);
  Result<ExitStatus> finish(pid_t pid);
  void join_gone();
  void report(const protocol::StepDone& report);
  void signal_all(int signal);

  protocol::Channel& channel_;
  const std::vector<std::string>& environment_;
  const Patience patience_;
  Jobserver jobserver_;
  mutable std::mutex mutex_;  // guards all below but threads_
  std::condition_variable ended_;
  std::set<pid_t> children_;  // not yet reaped: their numbers are theirs
  std::size_t running_ = 0;
  std::uint64_t finished_ = 0;
  bool stopping_ = false;
  std::mutex sending_;
  std::vector<std::thread::id> gone_;  // threads that have nothing more to do, under mutex_
  std::list<std::thread> threads_;     // of the thread that calls start and stop
};

}  // namespace hipcache::client

#endif
