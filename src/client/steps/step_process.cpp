#include "client/steps/step_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <system_error>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

#include "client/steps/step_messages.h"
#include "client/steps/subreaper.h"
#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/base/stream_marks.h"
#include "hipcache/launcher/request.h"

namespace hipcache::client {

namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kTrace = "HIPCACHE_TRACE=";
constexpr std::string_view kTemporary = "TMPDIR=";
constexpr std::string_view kTunables = "GLIBC_TUNABLES=";

// "clang", "clang++", "clang-19", "/opt/rocm/llvm/bin/amdclang++"; not "clang-offload-bundler".
bool is_clang(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  const std::size_t at = program.find("clang");
  if (at == std::string_view::npos || (at != 0 && program.substr(0, at) != "amd")) return false;
  std::string_view rest = program.substr(at + std::string_view("clang").size());
  if (rest.starts_with("++")) rest.remove_prefix(2);
  if (rest.starts_with('-')) rest.remove_prefix(1);
  return std::all_of(rest.begin(), rest.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

// A library that is already preloaded (fakeroot's) stays, after the trace library.
std::vector<std::string> step_environment(const std::vector<std::string>& ours, const protocol::RunStep& step,
                                          const std::string& program) {
  std::string preload = std::string(kPreload) + step.trace_library;
  std::string trace = std::string(kTrace) + step.trace_path;
  std::string temporary = std::string(kTemporary) + step.directory;
  const bool traced = !step.trace_library.empty();
  bool has_tunables = false;

  std::vector<std::string> environment;
  environment.reserve(ours.size() + 4);
  for (const std::string& entry : ours) {
    if (entry.starts_with(kPreload) && traced) {
      if (entry.size() > kPreload.size()) preload += ":" + entry.substr(kPreload.size());
      continue;
    }
    if (entry.starts_with(kTrace) || entry.starts_with(kTemporary)) continue;
    has_tunables = has_tunables || entry.starts_with(kTunables);
    environment.push_back(entry);
  }
  environment.push_back(std::move(temporary));
  if (is_clang(program) && !has_tunables) environment.emplace_back(HIPCACHE_HUGE_PAGES);
  if (traced) {
    environment.push_back(std::move(preload));
    environment.push_back(std::move(trace));
  }
  return environment;
}

namespace {

using protocol::RunStep;
using protocol::StepDone;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kStepLimit = 256;  // concurrent steps of one request; a daemon that asks for more has a bug

// The clock of file system timestamps: a file modified after this moment has an equal or later time.
std::uint64_t file_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// A step gets none of the user's descriptors and no stdin. It could drain a pipe of the user's (exec 5< <(...), with
// #include "/dev/fd/5"). The pipe would then be empty when the compiler runs alone afterwards.
Result<pid_t> spawn_command(const RunStep& step, const protocol::Command& command, const StepTexts& texts,
                            const std::vector<std::string>& environment, const std::vector<int>& inherited,
                            const sigset_t& mask) {
  const UniqueFd in(open("/dev/null", O_RDONLY | O_CLOEXEC | HIPCACHE_MARK_INPUT));
  if (!in) return system_error("cannot open", "/dev/null");
  return spawn({.program = command.program,
                .argv = command.argv,
                .environment = step_environment(environment, step, command.program),
                .stdin_fd = in.get(),
                .stdout_fd = texts.out(),
                .stderr_fd = texts.err(),
                .other_fds = inherited,
                .signal_mask = mask});
}

}  // namespace

StepProcesses::StepProcesses(protocol::Channel& channel, const std::vector<std::string>& environment, Timeouts timeouts,
                             const sigset_t& mask)
    : channel_(channel), environment_(environment), timeouts_(timeouts), mask_(mask), jobserver_(environment) {
  char streams[LAUNCH_STREAMS_LIMIT];
  launch_describe_streams(streams);
  if (strpbrk(streams, "0123456789") != nullptr) terminals_ = streams;
  one_file_ = strchr(streams, '=') != nullptr;
}

StepProcesses::~StepProcesses() { stop(); }

Status StepProcesses::start(RunStep step) {
  join_gone();
  if (threads_.size() >= kStepLimit)
    return Error{"the daemon asks for more than " + std::to_string(kStepLimit) + " steps at once"};
  if (step.commands.empty()) return Error{"the daemon asks for a step without a command"};
  const std::uint32_t number = step.step;
  {
    const std::lock_guard lock(mutex_);
    ++running_;
    begun_.insert(number);
    known_.add_mark("TMPDIR=" + step.directory);
  }
  try {
    threads_.emplace_back([this, step = std::move(step)] { run(step); });
  } catch (const std::system_error& problem) {
    const std::lock_guard lock(mutex_);
    --running_;
    begun_.erase(number);
    return Error{std::string("cannot start a thread: ") + problem.what()};
  }
  return done();
}

void StepProcesses::stop(int signal, std::chrono::milliseconds leave) {
  std::optional<Subreaper> subreaper;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    if (running_ > 0) subreaper.emplace(known_);
    const auto end_within = [&](std::chrono::milliseconds limit) {
      return ended_.wait_for(lock, limit, [this] { return running_ == 0; });
    };
    if (!end_within(leave)) signal_all(signal);
    if (!end_within(timeouts_.terminate)) signal_all(SIGKILL);
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (subreaper) subreaper->end_all();
}

// SIGTERM, because compilers then remove their temporary files. A command that ignores it ends by itself, and its
// result counts.
void StepProcesses::stop_step(std::uint32_t step) {
  const std::lock_guard lock(mutex_);
  if (!begun_.contains(step)) return;
  unwanted_.insert(step);
  for (const auto& [child, its_step] : children_)
    if (its_step == step) kill(child, SIGTERM);
}

bool StepProcesses::is_running() const {
  const std::lock_guard lock(mutex_);
  return running_ > 0;
}

bool StepProcesses::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

std::uint64_t StepProcesses::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

// Keeps the number of threads low: a link of many objects has many steps.
void StepProcesses::join_gone() {
  std::vector<std::thread::id> gone;
  {
    const std::lock_guard lock(mutex_);
    gone.swap(gone_);
  }
  for (auto thread = threads_.begin(); thread != threads_.end();) {
    if (std::find(gone.begin(), gone.end(), thread->get_id()) == gone.end()) {
      ++thread;
      continue;
    }
    thread->join();
    thread = threads_.erase(thread);
  }
}

void StepProcesses::run(const RunStep& step) {
  const StepDone result = run_in_a_place(step);
  {
    // This precedes the report: the daemon may reply to the report with the end of the request, and no step may count
    // as running then.
    const std::lock_guard lock(mutex_);
    --running_;
    ++finished_;
    begun_.erase(step.step);
    unwanted_.erase(step.step);
    ended_.notify_all();
  }
  report(result);
  const std::lock_guard lock(mutex_);
  gone_.push_back(std::this_thread::get_id());
}

// Returns the place before the report, because the daemon may reply to the report with the end of the request.
StepDone StepProcesses::run_in_a_place(const RunStep& step) {
  const Jobserver::Place place = jobserver_.take([this] { return is_stopping(); });
  return run_commands(step);
}

StepDone StepProcesses::run_commands(const RunStep& step) {
  StepDone result;
  result.step = step.step;
  result.started_ns = file_clock_ns();
  const Clock::time_point started = Clock::now();
  Result<StepTexts> texts = StepTexts::make(one_file_);
  if (!texts) {
    result.spawn_error = texts.error().message;
    return result;
  }
  if (!terminals_.empty()) {
    // All steps of a directory write the same.
    Status written = replace_file(step.directory + "/" HIPCACHE_TERMINALS, terminals_);
    if (!written) {
      result.spawn_error = written.error().message;
      return result;
    }
  }
  for (std::uint32_t index = 0; index < step.commands.size() && result.exit_code == 0; ++index) {
    result.failed_command = index;
    const Result<ExitStatus> ended = run_command(step, step.commands[index], *texts);
    if (!ended) {
      result.spawn_error = ended.error().message;
      break;
    }
    result.exit_code = ended->exit_code;
    result.processor_us += ended->processor_us;
    result.peak_bytes = std::max(result.peak_bytes, ended->peak_bytes);
  }
  if (result.exit_code == 0 && result.spawn_error.empty()) result.failed_command = 0;
  std::move(*texts).give(result);
  remove_loader_errors(result.stderr_text, step.trace_library);
  result.duration_us =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started).count());
  return result;
}

Result<ExitStatus> StepProcesses::run_command(const RunStep& step, const protocol::Command& command, StepTexts& texts) {
  const Result<pid_t> pid = spawn_unless_stopping(step, command, texts);
  if (!pid) return pid.error();
  texts.follow(*pid);  // the child is not reaped yet, so its process id cannot be reused
  return finish(*pid);
}

// Holds the mutex, so that stop() sees every child that is started.
Result<pid_t> StepProcesses::spawn_unless_stopping(const RunStep& step, const protocol::Command& command,
                                                   const StepTexts& texts) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return Error{"the client is stopping"};
  if (unwanted_.contains(step.step)) return Error{"the step is not wanted any more"};
  Result<pid_t> pid = spawn_command(step, command, texts, environment_, jobserver_.inherited(), mask_);
  if (pid) children_.emplace(*pid, step.step);
  return pid;
}

Result<ExitStatus> StepProcesses::finish(pid_t pid) {
  const std::lock_guard lock(mutex_);
  children_.erase(pid);
  return wait_for(pid);
}

void StepProcesses::report(const StepDone& report) {
  if (is_stopping()) return;  // the daemon learns from the closed connection that the client stops
  const std::lock_guard lock(sending_);
  // If the daemon does not take the report, the receiving thread must notice at once.
  if (Status sent = channel_.send(report, timeouts_.send); !sent) shutdown(channel_.fd(), SHUT_RDWR);
}

// REQUIRES: mutex_ is held.
void StepProcesses::signal_all(int signal) {
  for (const auto& [child, step] : children_) kill(child, signal);
}

}  // namespace hipcache::client
