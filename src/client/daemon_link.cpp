#include "hipcache/client/daemon_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <ctime>

#include "client/daemon_start.h"
#include "hipcache/base/files.h"

namespace hipcache::client {
namespace {

using protocol::Channel;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAgain{5};  // between two looks at a lock or a socket, bounded by Patience
constexpr mode_t kDirectoryMode = 0700;

// Whether the process behind the descriptor ended within `limit`; -1 never does.
bool ended_within(int process, std::chrono::milliseconds limit) {
  pollfd watched{process, POLLIN, 0};
  return poll(&watched, 1, static_cast<int>(limit.count())) > 0;
}

// flock has no time limit of its own.
Result<UniqueFd> lock(const std::string& path, std::chrono::milliseconds limit) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return system_error("cannot open", path);
  const Clock::time_point until = Clock::now() + limit;
  while (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return system_error("cannot lock", path);
    if (Clock::now() >= until) return Error{"another client has been starting the daemon for too long"};
    ended_within(-1, kAgain);
  }
  return fd;
}

bool sets(const std::string& entry, std::string_view name) {
  return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
}

// Ours, with absolute places (the daemon lives in "/") and without libraries preloaded for compilers.
std::vector<std::string> daemon_environment(const std::string& directory, const std::string& file) {
  static constexpr std::array<std::string_view, 4> kNotForIt{"HIPCACHE_DIR", "HIPCACHE_CONFIG", "LD_PRELOAD",
                                                             "HIPCACHE_TRACE"};
  std::vector<std::string> environment{"HIPCACHE_DIR=" + directory, "HIPCACHE_CONFIG=" + file};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string variable(*entry);
    bool wanted = true;
    for (const std::string_view name : kNotForIt) wanted = wanted && !sets(variable, name);
    if (wanted) environment.push_back(variable);
  }
  return environment;
}

// The process at the other end. Invalid where it cannot be told, e.g. in another process id namespace.
UniqueFd process_of_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return UniqueFd();
  return watch_process(peer.pid);
}

// kClosed is the error of a daemon that is leaving already.
Status ask_to_stop(Channel& channel, Patience patience) {
  const protocol::ControlRequest stop{protocol::build_id(), protocol::ControlKind::stop};
  if (Status sent = channel.send(stop, patience.send); !sent) return sent;
  if (Result<protocol::Received> reply = channel.receive(patience.first_answer); !reply) return reply.error();
  return done();
}

}  // namespace

Result<std::string> daemon_beside_us() {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0 || length == sizeof self) return system_error("cannot find", "this program");
  const std::string_view path(self, static_cast<std::size_t>(length));
  return join_path(directory_name(path), "hipcached");
}

DaemonLink::DaemonLink(const config::Settings& located, Patience patience)
    : directory_(located.directory), file_(located.file), patience_(patience) {}

Result<Channel> DaemonLink::connect() const {
  const Result<std::string> path = protocol::socket_path(directory_);
  if (!path) return path.error();
  Result<UniqueFd> socket = protocol::connect_to(*path, patience_.connect);
  if (!socket) return socket.error();
  return Channel(std::move(*socket));
}

Result<Channel> DaemonLink::connect_or_start() const {
  if (Result<Channel> channel = connect()) return channel;
  if (const Result<std::string> path = protocol::socket_path(directory_); !path) return path.error();
  if (Status made = make_directories(directory_, kDirectoryMode); !made) return made.error();
  const Result<UniqueFd> turn = lock(directory_ + "/start.lock", patience_.start);
  if (!turn) return turn.error();
  if (Result<Channel> channel = connect()) return channel;  // another client's, by now
  return start();
}

Result<Channel> DaemonLink::start() const {
  const Result<std::string> program = daemon_beside_us();
  if (!program) return program.error();
  if (access(program->c_str(), X_OK) != 0) return system_error("cannot start the daemon", *program);
  const Result<UniqueFd> process = start_detached(*program, daemon_environment(directory_, file_));
  if (!process) return process.error();
  return wait_for_socket(process->get());
}

Result<Channel> DaemonLink::wait_for_socket(int process) const {
  const Clock::time_point until = Clock::now() + patience_.start;
  for (;;) {
    const bool ended = ended_within(process, kAgain);
    if (Result<Channel> channel = connect()) return channel;
    if (ended) return Error{"the daemon ended at once; hipcached run by hand says why"};
    if (Clock::now() >= until) return Error{"the daemon did not come up in time"};
  }
}

Result<bool> DaemonLink::ask_to_leave() const {
  Result<Channel> channel = connect();
  if (!channel) return false;
  if (Status asked = ask_to_stop(*channel, patience_); !asked && asked.error().message != protocol::kClosed)
    return asked.error();
  const Clock::time_point until = Clock::now() + patience_.leave;
  while (connect()) {
    if (Clock::now() >= until) return Error{"the daemon does not leave although it was asked to stop"};
    ended_within(-1, kAgain);
  }
  return true;
}

Result<bool> DaemonLink::stop(std::chrono::milliseconds limit) const {
  UniqueFd process;
  if (Result<Channel> channel = connect()) process = process_of_peer(channel->fd());
  Result<bool> left = ask_to_leave();
  if (left && *left && process && !ended_within(process.get(), limit))
    return Error{"the daemon was asked to stop and is still busy with running compiles"};
  return left;
}

}  // namespace hipcache::client
