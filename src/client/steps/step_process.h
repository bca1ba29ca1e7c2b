// Runs the steps that the daemon asks for, each on a thread of its own, and reports each when it is done.
//
// The commands are children of this process: same process group, terminal, limits and umask as the user's own compile.
// Their output is kept in memory and reported; their stdin is /dev/null. What they ask of a terminal has the answer of
// this process's own streams.
#ifndef HIPCACHE_SRC_CLIENT_STEPS_STEP_PROCESS_H
#define HIPCACHE_SRC_CLIENT_STEPS_STEP_PROCESS_H

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "client/steps/jobserver.h"
#include "client/steps/step_messages.h"
#include "client/steps/subreaper.h"
#include "hipcache/base/process.h"
#include "hipcache/client/timeouts.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// The environment of a step's commands: the client's, with the trace library preloaded and the temporary directory set.
//
// clang also gets its memory in huge pages. The problem: hipcache adds time to a compile and has to save it elsewhere.
// The choice: GLIBC_TUNABLES has glibc ask the kernel for huge pages. A half-second compile by clang takes 15,000 page
// faults, and huge pages save a tenth of its processor time. Addresses differ with every run of a program, so no
// compiler output depends on them. A variable of the user's own stays as it is; an empty one switches this off.
// Rejected: huge pages for gcc, which maps most of its memory itself (measured: no gain); for linkers and small tools,
// where clearing a huge page costs more than it saves; and a malloc of our own, which would have to be as good as
// libc's in every respect.

// `program`: of the command that is to be run.
std::vector<std::string> step_environment(const std::vector<std::string>& ours, const protocol::RunStep& step,
                                          const std::string& program);

class StepProcesses {
 public:
  // `channel` outlives the runner, and only the runner sends on it from now on. The commands block the signals of
  // `mask`.
  StepProcesses(protocol::Channel& channel, const std::vector<std::string>& environment, Timeouts timeouts,
                const sigset_t& mask);
  ~StepProcesses();
  StepProcesses(const StepProcesses&) = delete;
  StepProcesses& operator=(const StepProcesses&) = delete;

  Status start(protocol::RunStep step);

  // Ends the running commands (by the signal, then SIGKILL) with all that they started, and waits for all threads. No
  // command starts afterwards. `leave`: how long the commands may take to end by themselves. A terminal or build tool
  // sends signals to all processes, and a compiler that gets a signal twice leaves files behind.
  void stop(int signal = SIGTERM, std::chrono::milliseconds leave = {});

  // Ends that step's commands, and starts no further one of it. It is reported like any other. Nothing happens if it
  // is not running.
  void stop_step(std::uint32_t step);

  bool is_running() const;
  std::uint64_t finished() const;  // steps that ended so far

 private:
  void run(const protocol::RunStep& step);
  bool is_stopping() const;
  protocol::StepDone run_in_a_place(const protocol::RunStep& step);
  protocol::StepDone run_commands(const protocol::RunStep& step);
  Result<ExitStatus> run_command(const protocol::RunStep& step, const protocol::Command& command, StepTexts& texts);
  Result<pid_t> spawn_unless_stopping(const protocol::RunStep& step, const protocol::Command& command,
                                      const StepTexts& texts);
  Result<ExitStatus> finish(pid_t pid);
  void join_gone();
  void report(const protocol::StepDone& report);
  void signal_all(int signal);

  protocol::Channel& channel_;
  const std::vector<std::string>& environment_;
  const Timeouts timeouts_;
  const sigset_t mask_;
  Jobserver jobserver_;
  std::string terminals_;     // behind this process's standard streams; "" if there is none
  bool one_file_ = false;     // standard output and standard error
  mutable std::mutex mutex_;  // guards all below but threads_
  std::condition_variable ended_;
  Children known_;
  std::map<pid_t, std::uint32_t> children_;  // and their steps; not yet reaped, so the process ids are still theirs
  std::set<std::uint32_t> begun_;            // steps that have not ended
  std::set<std::uint32_t> unwanted_;         // of these: no further command of theirs starts
  std::size_t running_ = 0;
  std::uint64_t finished_ = 0;
  bool stopping_ = false;
  std::mutex sending_;
  std::vector<std::thread::id> gone_;  // threads that are about to end; guarded by mutex_
  std::list<std::thread> threads_;     // used only by the thread that calls start and stop
};

}  // namespace hipcache::client

#endif
