#include "hipcache/base/process.h"

// Header-only Boost.Process v1, which later releases have beside version 2. Version 2 of Boost 1.81 closes every
// descriptor of the child, including make's jobserver. It also runs the parent's exit handlers in a child whose exec
// failed.
#define BOOST_PROCESS_USE_STD_FS 1
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#if __has_include(<boost/process/v1/child.hpp>)  // from 1.86 on
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/error.hpp>
#include <boost/process/v1/extend.hpp>
namespace boost_process = boost::process::v1;
#else
#include <boost/process/child.hpp>
#include <boost/process/error.hpp>
#include <boost/process/extend.hpp>
namespace boost_process = boost::process;
#endif
#include <cerrno>
#include <csignal>
#include <exception>

#include "hipcache/base/files.h"

namespace hipcache {
namespace {

constexpr int kOneByOne = 4096;  // fallback for kernels before 5.11, whose close_range lacks this flag

struct Pipe {
  UniqueFd reader;
  UniqueFd writer;
};

// Close-on-exec from the start: a child that another thread starts at the same time must not hold
// the pipe open.
Result<Pipe> make_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot start", program);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// The descriptors that become 0, 1 and 2. Each is above 2, so that no dup2 overwrites one that is
// still needed.
using Streams = std::array<UniqueFd, 3>;

Result<Streams> streams_of(const SpawnRequest& request) {
  Streams streams;
  const std::array<int, 3> given{request.stdin_fd, request.stdout_fd, request.stderr_fd};
  for (std::size_t index = 0; index < given.size(); ++index) {
    if (given[index] < 0) continue;
    streams[index].reset(fcntl(given[index], F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!streams[index]) return system_error("cannot redirect a stream of", request.program);
  }
  return streams;
}

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Runs in the child. The pipe that reports a failure of exec stays open until exec.
void keep_only(const std::vector<int>& descriptors) {
  if (close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    for (int fd = STDERR_FILENO + 1; fd < kOneByOne; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (const int fd : descriptors) fcntl(fd, F_SETFD, 0);
}

// Hooks around fork and exec. After fork only async-signal-safe functions are called, because the
// parent may have threads.
struct Launch : boost_process::extend::handler {
  const SpawnRequest& request;
  const Streams& streams;
  const int failure;  // where the child writes errno if exec fails
  const pid_t parent = getpid();
  std::vector<char*> argv;
  std::vector<char*> environment;

  Launch(const SpawnRequest& wanted, const Streams& redirected, int failure_fd)
      : request(wanted),
        streams(redirected),
        failure(failure_fd),
        argv(pointers_to(wanted.argv)),
        environment(pointers_to(wanted.environment)) {}

  template <typename Executor>
  void on_setup(Executor& executor) {
    executor.exe = request.program.c_str();
    executor.cmd_line = argv.data();
    executor.env = environment.data();
  }

  template <typename Executor>
  void on_exec_setup(Executor&) {
    if (request.die_with_parent && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)) give_up(errno);
    if (request.other_fds) keep_only(*request.other_fds);
    if (request.signal_mask) sigprocmask(SIG_SETMASK, &*request.signal_mask, nullptr);
    for (int target = 0; target <= STDERR_FILENO; ++target) {
      const int source = streams[static_cast<std::size_t>(target)].get();
      if (source >= 0 && dup2(source, target) < 0) give_up(errno);
    }
  }

  template <typename Executor>
  void on_exec_error(Executor&, const std::error_code& reason) {
    give_up(reason.value());
  }

  [[noreturn]] void give_up(int reason) const {
    while (write(failure, &reason, sizeof reason) < 0 && errno == EINTR) {
    }
    _exit(EXIT_FAILURE);
  }
};

// 0 if exec succeeded (the pipe closed), else the child's errno.
int failure_of_exec(int reader) {
  int reason = 0;
  ssize_t got = 0;
  do {
    got = read(reader, &reason, sizeof reason);
  } while (got < 0 && errno == EINTR);
  return got == sizeof reason ? reason : 0;
}

Result<pid_t> launch(const SpawnRequest& request, const Streams& streams, Pipe pipe) {
  try {
    boost_process::child child(boost_process::ignore_error, Launch(request, streams, pipe.writer.get()));
    const pid_t pid = child.id();
    child.detach();  // wait_for waits for it by pid
    if (pid <= 0) return system_error("cannot start", request.program);
    pipe.writer.reset();
    const int reason = failure_of_exec(pipe.reader.get());
    if (reason == 0) return pid;
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    errno = reason;
    return system_error("cannot start", request.program);
  } catch (const std::exception& problem) {
    return Error{"cannot start " + request.program + ": " + problem.what()};
  }
}

bool is_program(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000u + static_cast<std::uint64_t>(time.tv_usec);
}

}  // namespace

Result<pid_t> spawn(const SpawnRequest& request) {
  Result<Pipe> pipe = make_pipe(request.program);
  if (!pipe) return pipe.error();
  Result<Streams> streams = streams_of(request);
  if (!streams) return streams.error();
  return launch(request, *streams, std::move(*pipe));
}

Result<ExitStatus> wait_for(pid_t pid) {
  int status = 0;
  rusage used{};
  while (wait4(pid, &status, 0, &used) < 0)
    if (errno != EINTR) return system_error("cannot wait for process", std::to_string(pid));
  constexpr std::uint64_t kKibi = 1024;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return ExitStatus{.exit_code = signal != 0 ? 128 + signal : WEXITSTATUS(status),
                    .signal = signal,
                    .processor_us = microseconds(used.ru_utime) + microseconds(used.ru_stime),
                    .peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * kKibi};
}

Result<std::string> find_program(const std::string& name, const std::string& path_variable,
                                 const std::string& directory) {
  if (name.find('/') != std::string::npos) {
    std::string path = join_path(directory, name);
    if (is_program(path)) return path;
    return Error{"could not find program \"" + name + "\""};
  }
  std::size_t start = 0;
  while (!name.empty() && start <= path_variable.size()) {
    const std::size_t end = std::min(path_variable.find(':', start), path_variable.size());
    const std::string entry = path_variable.substr(start, end - start);
    std::string path = join_path(entry.empty() ? directory : join_path(directory, entry), name);
    if (is_program(path)) return path;
    start = end + 1;
  }
  return Error{"could not find program \"" + name + "\" in PATH"};
}

}  // namespace hipcache
