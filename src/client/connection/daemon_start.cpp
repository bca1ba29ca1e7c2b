#include "client/connection/daemon_start.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "hipcache/base/files.h"
#include "hipcache/launcher/tracer.h"
#include "hipcache/protocol/daemon_socket.h"

namespace hipcache::client {

namespace {

bool is_ours(const struct stat& status) { return S_ISDIR(status.st_mode) && status.st_uid == geteuid(); }

bool can_make(const std::string& directory) {
  struct stat status{};
  if (!protocol::socket_path(directory)) return false;
  if (mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) return false;
  return lstat(directory.c_str(), &status) == 0 && is_ours(status);
}

// Ignores a directory of another user, which sudo may have left in the variable.
std::string runtime_directory(const config::Lookup& variable) {
  const std::string directory = variable("XDG_RUNTIME_DIR").value_or("");
  struct stat status{};
  const bool will_do = directory.starts_with('/') && stat(directory.c_str(), &status) == 0 && is_ours(status);
  return will_do ? directory : "";
}

constexpr int kFirstOther = STDERR_FILENO + 1;
constexpr int kCloseOneByOne = 4096;  // for kernels without close_range

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void say(int fd, std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(fd, text.data(), text.size());
}

// Runs in the child after the last fork: only async-signal-safe calls are allowed.
[[noreturn]] void become(int said, char* const* argv, char* const* environment) {
  if (launch_tracer() != 0) {
    say(said, kErrorBefore);
    say(said, kTraced);
    _exit(EXIT_FAILURE);
  }
  if (chdir("/") != 0 || !leave_descriptors(said)) _exit(EXIT_FAILURE);
  execve(argv[0], argv, environment);
  _exit(EXIT_FAILURE);
}

// Runs in the intermediate child. It ends at once, so that init adopts the daemon.
[[noreturn]] void fork_again(int report, int said, char* const* argv, char* const* environment) {
  setsid();
  const pid_t daemon = fork();
  if (daemon == 0) become(said, argv, environment);
  const bool told = write(report, &daemon, sizeof daemon) == sizeof daemon;
  _exit(daemon > 0 && told ? EXIT_SUCCESS : EXIT_FAILURE);
}

void reap(pid_t pid) {
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::optional<std::string> private_place(const config::Lookup& variable, const std::string& name) {
  const std::string runtime = runtime_directory(variable);
  std::string place = join_path(runtime, "hipcache-" + name);
  if (!runtime.empty() && can_make(place)) return place;
  place = "/tmp/hipcache-" + std::to_string(geteuid()) + "-" + name;
  return can_make(place) ? std::optional(place) : std::nullopt;
}

bool leave_descriptors(int error) {
  const int null = open("/dev/null", O_RDWR);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) return false;
  if (dup2(error < 0 ? null : error, STDERR_FILENO) < 0) return false;
  if (close_range(kFirstOther, ~0U, 0) != 0)
    for (int fd = kFirstOther; fd < kCloseOneByOne; ++fd) close(fd);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  return true;
}

Result<Detached> start_detached(const std::string& program, const std::vector<std::string>& environment) {
  const std::vector<std::string> arguments{program};
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> variables = pointers_to(environment);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot start", program);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return system_error("cannot start", program);
  UniqueFd said(ends[0]);
  const UniqueFd saying(ends[1]);
  const pid_t between = fork();
  if (between < 0) return system_error("cannot start", program);
  if (between == 0) fork_again(writer.get(), saying.get(), argv.data(), variables.data());
  writer.reset();
  reap(between);
  pid_t daemon = -1;
  if (read(reader.get(), &daemon, sizeof daemon) != sizeof daemon || daemon <= 0)
    return Error{"cannot start " + program + ": no process for it"};
  return Detached{ProcessWatch(daemon), std::move(said)};
}

}  // namespace hipcache::client
