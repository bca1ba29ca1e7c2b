#include "daemon/server/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <system_error>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "daemon/remote/archive_sessions.h"
#include "daemon/routes/compile_service.h"
#include "daemon/shared/single_flight.h"
#include "hipcache/base/files.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"

namespace hipcache::daemon {

namespace {

using namespace std::chrono_literals;

constexpr auto kFirstMessage = 5s;
constexpr auto kReply = 10s;

void answer(protocol::Channel& channel, const protocol::Message& message, const Services& services) {
  if (Status sent = channel.send(message, kReply); !sent) services.log.info("reply not taken: " + sent.error().message);
}

bool is_of_our_build(const std::string& build, protocol::Channel& channel, const Services& services) {
  if (build == protocol::build_id()) return true;
  answer(channel, protocol::VersionMismatch{protocol::build_id()}, services);
  return false;
}

}  // namespace

void serve_connection(UniqueFd socket, const Services& services, ControlService& control) {
  protocol::Channel channel(std::move(socket));
  Result<protocol::Received> received = channel.receive(kFirstMessage);
  if (!received) {
    if (received.error().code == ErrorCode::closed) return;  // a client that only checked whether a daemon is there
    services.log.warning("bad request: " + received.error().message);
    services.counters.error();
    return;
  }
  if (const auto* compile = std::get_if<protocol::CompileRequest>(&received->message)) {
    if (is_of_our_build(compile->build, channel, services)) serve_compile(channel, *compile, services);
  } else if (const auto* command = std::get_if<protocol::ControlRequest>(&received->message)) {
    // Any version may ask for a stop: that is how a newer client replaces an older daemon.
    if (command->kind != protocol::ControlKind::stop && !is_of_our_build(command->build, channel, services)) return;
    answer(channel, control.serve(command->kind), services);
    const Exchange exchange{services.store, services.miss_history, services.own_settings, services.log};
    if (command->kind == protocol::ControlKind::export_results) serve_export(channel, exchange);
    if (command->kind == protocol::ControlKind::import_results) serve_import(channel, exchange);
  } else {
    services.log.warning("bad request: a message that begins no conversation");
    services.counters.error();
  }
}

namespace {

// RocksDB keeps 256 files open (rocks_options.cpp). The rest is for its logs and for the daemon itself.
constexpr rlim_t kOwn = 256 + 64;

// A connection, the files of running steps, and the larger outputs of one reply. A reply with very many outputs needs
// more for a moment; a session that gets no descriptor is passed through.
constexpr rlim_t kOfASession = 8;
constexpr rlim_t kFewestSessions = 8;

// RocksDB's write-ahead log and value files grow to 64 MiB (rocks_options.cpp), plus one value.
constexpr rlim_t kFileSize = 256 << 20;

}  // namespace

void raise_limits() {
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_NPROC}) {
    rlimit limits{};
    if (getrlimit(resource, &limits) != 0 || limits.rlim_cur == limits.rlim_max) continue;
    limits.rlim_cur = limits.rlim_max;
    setrlimit(resource, &limits);
  }
}

Result<unsigned> sessions_within(rlim_t descriptors) {
  constexpr rlim_t kFewest = kOwn + kFewestSessions * kOfASession;
  if (descriptors < kFewest)
    return Error{"this process may open " + std::to_string(descriptors) + " files and needs " +
                     std::to_string(kFewest) + ": raise the hard limit (ulimit -Hn)",
                 ErrorCode::resources};
  return static_cast<unsigned>(std::min<rlim_t>((descriptors - kOwn) / kOfASession, kMaxSessions));
}

Result<unsigned> allowed_sessions() {
  rlimit limits{};
  if (getrlimit(RLIMIT_NOFILE, &limits) != 0) return system_error("cannot ask for", "the limit of open files");
  return sessions_within(limits.rlim_cur);
}

Status check_file_size(rlim_t bytes) {
  if (bytes >= kFileSize) return Unit{};
  return Error{"this process may write files of " + std::to_string(bytes >> 10) + " KiB and needs " +
                   std::to_string(kFileSize >> 10) + " KiB: raise the hard limit (ulimit -Hf)",
               ErrorCode::resources};
}

Status check_allowed_file_size() {
  rlimit limits{};
  if (getrlimit(RLIMIT_FSIZE, &limits) != 0) return system_error("cannot ask for", "the limit of a file's size");
  return check_file_size(limits.rlim_cur);
}

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
