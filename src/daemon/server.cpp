#include "daemon/server.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "daemon/in_flight.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 1s;
constexpr auto kBusyReply = 100ms;

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
  return done();
}

// A tick may write to the store: not at every connection.
void Server::tick_if_due() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_tick_ < kTick) return;
  last_tick_ = now;
  options_.every_second();
}

void Server::stop() { wake(stop_.get()); }

Status Server::run() {
  while (!stopping_) {
    if (wait_for_connection()) accept_one();
    tick_if_due();
    if (is_idle_for_too_long()) break;
  }
  close_socket();
  wait_for_sessions();
  options_.every_second();
  return done();
}

bool Server::wait_for_connection() {
  pollfd ready[] = {{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                    {.fd = stop_.get(), .events = POLLIN, .revents = 0}};
  if (poll(ready, 2, static_cast<int>(std::chrono::milliseconds(kTick).count())) <= 0) return false;
  stopping_ = ready[1].revents != 0;
  return !stopping_ && ready[0].revents != 0;
}

void Server::accept_one() {
  Result<UniqueFd> connection = protocol::accept_from(listener_.get());
  if (!connection) {
    log_.warning(connection.error().message);
    return;
  }
  start_session(std::move(*connection));
}

void Server::start_session(UniqueFd connection) {
  {
    const std::lock_guard lock(mutex_);
    if (sessions_ < kMaxSessions)
      ++sessions_;
    else {
      protocol::Channel channel(std::move(connection));
      [[maybe_unused]] const Status told = channel.send(protocol::Busy{"too many requests at once"}, kBusyReply);
      log_.warning("busy: " + std::to_string(kMaxSessions) + " requests at once");
      return;
    }
  }
  const auto session = [this](UniqueFd socket) {
    options_.serve(std::move(socket));
    const std::lock_guard lock(mutex_);
    --sessions_;
    last_use_ = std::chrono::steady_clock::now();
    session_ended_.notify_all();
  };
  try {
    std::thread(session, std::move(connection)).detach();  // counted, and waited for before run() returns
  } catch (const std::system_error& problem) {
    log_.error(std::string("cannot start a thread: ") + problem.what());
    const std::lock_guard lock(mutex_);
    --sessions_;
  }
}

bool Server::is_idle_for_too_long() {
  if (options_.idle_timeout == 0s) return false;
  const std::lock_guard lock(mutex_);
  return sessions_ == 0 && std::chrono::steady_clock::now() - last_use_ >= options_.idle_timeout;
}

// First the name, so that the next client starts a new daemon instead of queueing at this one; those who queue already
// find the connection closed and start over.
void Server::close_socket() {
  unlink(options_.socket_path.c_str());
  listener_.reset();
}

void Server::wait_for_sessions() {
  std::unique_lock lock(mutex_);
  while (sessions_ > 0) {
    session_ended_.wait_for(lock, kTick);
    lock.unlock();
    options_.every_second();
    lock.lock();
  }
}

}  // namespace hipcache::daemon
