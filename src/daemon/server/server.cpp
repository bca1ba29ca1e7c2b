#include "daemon/server/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <system_error>

#include <cerrno>
#include <thread>

#include "daemon/shared/client_process.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"

namespace hipcache::daemon {

namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 1s;
constexpr auto kBusyReply = 100ms;
constexpr auto kAfterTrouble = 10ms;  // descriptors may be exhausted; running sessions will return theirs
constexpr unsigned kWaiting = 16;     // idle threads that are kept for the next clients

}  // namespace

Server::Server(Options options, Log& log)
    : options_(std::move(options)),
      log_(log),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      last_use_(std::chrono::steady_clock::now()) {}

Status Server::open() {
  if (!stop_) return system_error("cannot make", "an eventfd");
  Result<UniqueFd> listener = protocol::listen_at(options_.socket_path);
  if (!listener) return listener.error();
  listener_ = std::move(*listener);
  spare_ = UniqueFd(eventfd(0, EFD_CLOEXEC));
  struct stat status{};
  if (lstat(options_.socket_path.c_str(), &status) != 0) return system_error("cannot look at", options_.socket_path);
  socket_device_ = status.st_dev;
  socket_inode_ = status.st_ino;
  return done();
}

void Server::stop() { wake(stop_.get()); }

Status Server::run() {
  Status started = start_worker();
  while (started && !is_stopped_within_a_tick()) {
    options_.every_second();
    if (is_idle_for_too_long()) break;
    if (is_in_place()) continue;
    log_.warning("the cache directory was removed or replaced: this daemon leaves it to the next");
    break;
  }
  close_socket();
  wait_for_workers();
  options_.every_second();
  return started;
}

bool Server::is_stopped_within_a_tick() const {
  pollfd stopped{.fd = stop_.get(), .events = POLLIN, .revents = 0};
  return poll(&stopped, 1, static_cast<int>(std::chrono::milliseconds(kTick).count())) > 0;
}

Status Server::start_worker() {
  {
    const std::lock_guard lock(mutex_);
    ++workers_;
    ++waiting_;
  }
  try {
    std::thread([this] { work(); }).detach();  // counted; run() waits for it
    return done();
  } catch (const std::system_error& problem) {
    const std::lock_guard lock(mutex_);
    --workers_;
    --waiting_;
    return Error{std::string("cannot start a thread: ") + problem.what()};
  }
}

// Runs until the socket is closed, or enough other threads wait. It serves every connection that it has accepted, even
// during a stop.
void Server::work() {
  for (bool wanted = true; wanted;) {
    Result<UniqueFd> connection = protocol::accept_from(listener_.get());
    if (!connection) {
      if (closed_) break;
      log_.warning(connection.error().message);
      if (connection.error().code == ErrorCode::resources) {
        relieve();
      } else {
        std::this_thread::sleep_for(kAfterTrouble);
      }
    } else if (begin_session()) {
      options_.serve(std::move(*connection));
      wanted = end_session();
    } else {
      refuse(std::move(*connection), "too many requests at once");
    }
  }
  const std::lock_guard lock(mutex_);
  --waiting_;
  --workers_;
  worker_ended_.notify_all();
}

// Starts another thread if none would be left waiting. False if there are too many sessions.
bool Server::begin_session() {
  {
    const std::lock_guard lock(mutex_);
    if (sessions_ >= options_.max_sessions) return false;
    ++sessions_;
    --waiting_;
    if (waiting_ > 0) return true;
  }
  if (Status started = start_worker(); !started) log_.error(started.error().message);
  return true;
}

// Whether the thread should wait for another connection.
bool Server::end_session() {
  const std::lock_guard lock(mutex_);
  --sessions_;
  ++waiting_;
  last_use_ = std::chrono::steady_clock::now();
  return waiting_ <= kWaiting;
}

void Server::refuse(UniqueFd connection, const std::string& reason) {
  protocol::Channel channel(std::move(connection));
  [[maybe_unused]] const Status told = channel.send(protocol::Busy{reason}, kBusyReply);
  log_.warning("busy: " + reason);
}

// Refuses a client when no descriptor is left. accept fails then without waiting, so this waits for a connection, and
// then uses the spare descriptor for the refusal.
void Server::relieve() {
  pollfd waited{.fd = listener_.get(), .events = POLLIN, .revents = 0};
  if (poll(&waited, 1, static_cast<int>(std::chrono::milliseconds(kTick).count())) <= 0 || closed_) return;
  const std::lock_guard lock(relieving_);
  if (poll(&waited, 1, 0) <= 0 || closed_) return;  // another thread refused the client
  spare_.reset();
  Result<UniqueFd> connection = protocol::accept_from(listener_.get());
  if (connection) {
    refuse(std::move(*connection), "no descriptors are left");
  } else {
    std::this_thread::sleep_for(kAfterTrouble);
  }
  spare_ = UniqueFd(eventfd(0, EFD_CLOEXEC));
}

bool Server::is_idle_for_too_long() {
  if (options_.idle_timeout == 0s || options_.is_busy()) return false;
  const std::lock_guard lock(mutex_);
  return sessions_ == 0 && std::chrono::steady_clock::now() - last_use_ >= options_.idle_timeout;
}

bool Server::is_socket_ours() const {
  struct stat status{};
  return lstat(options_.socket_path.c_str(), &status) == 0 && status.st_dev == socket_device_ &&
         status.st_ino == socket_inode_;
}

bool Server::is_in_place() const { return options_.is_in_place() && is_socket_ours(); }

// Removes the name first, so that the next client starts a new daemon instead of queueing at this one. Clients in the
// queue are still served. Then accept fails, which ends the workers.
void Server::close_socket() {
  if (is_socket_ours()) unlink(options_.socket_path.c_str());
  closed_ = true;
  options_.leaves();
  shutdown(listener_.get(), SHUT_RDWR);
}

void Server::wait_for_workers() {
  std::unique_lock lock(mutex_);
  while (workers_ > 0) {
    worker_ended_.wait_for(lock, kTick);
    lock.unlock();
    options_.every_second();
    lock.lock();
  }
  listener_.reset();
}

}  // namespace hipcache::daemon
