#include "hipcache/client/daemon_link.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "client/connection/daemon_start.h"
#include "client/connection/lone_namespace.h"
#include "client/connection/process_watch.h"
#include "hipcache/base/checksum.h"
#include "hipcache/base/files.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/config/cache_place.h"
#include "hipcache/config/settings.h"
#include "hipcache/launcher/compiler.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"

namespace hipcache::client {

namespace {

using Clock = std::chrono::steady_clock;
using protocol::Channel;

// Tells whether a daemon is alive by the lock that it holds. The socket cannot tell: no client can connect to a daemon
// that is starting, stopping or hanging, or whose socket was removed.

constexpr const char* kLock = "daemon.lock";

constexpr std::uint64_t kLongestNumber = 32;

// The process id alone may belong to another process by now.
bool has_open(pid_t pid, const UniqueFd& file) {
  struct stat wanted{};
  if (fstat(file.get(), &wanted) != 0) return false;
  const std::string descriptors = "/proc/" + std::to_string(pid) + "/fd";
  const auto names = list_directory(descriptors);
  if (!names) return false;
  for (const std::string& name : *names) {
    struct stat found{};
    if (stat(join_path(descriptors, name).c_str(), &found) == 0 && found.st_dev == wanted.st_dev &&
        found.st_ino == wanted.st_ino)
      return true;
  }
  return false;
}

// Takes a free lock for a moment. A daemon that starts at that moment retries.
bool is_daemon_lock_held(const OwnDirectory& directory) {
  const auto file = directory.open_file(kLock, O_RDONLY);
  return file && flock(file->get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// The process whose id the lock file holds, if that process has the file open. Nothing if the process is not visible,
// e.g. from another container.
std::optional<ProcessWatch> daemon_lock_holder(const OwnDirectory& directory) {
  const auto file = directory.open_file(kLock, O_RDONLY);
  if (!file) return std::nullopt;
  const auto text = read_fd(file->get(), kLongestNumber, kLock);
  pid_t pid = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), pid).ec != std::errc()) return std::nullopt;
  ProcessWatch process(pid);
  if (!process || !has_open(pid, *file)) return std::nullopt;
  return process;
}

// Chooses the daemon's directory when the cache directory is read-only for this user.
//
// Problem: a socket, locks, a log and temporary files have to be written somewhere. A cache directory on a read-only
// mount, or of another user, has no place for them.
// Choice: with HIPCACHE_READONLY the daemon gets a cache directory of its own,
//   $XDG_RUNTIME_DIR/hipcache-<hash of the cache directory>, else
//   /tmp/hipcache-<uid>-<hash of the cache directory>
// and reads the user's directory as a seed (HIPCACHE_SEED). Only the client knows this: the launcher finds no socket
// and runs the client, which costs some milliseconds per compile.
// Rejected: doing so without HIPCACHE_READONLY (the user would not learn that nothing is stored), and looking for this
// directory in the launcher (more system calls for every hit).

// True only for an existing directory. A missing one is handled elsewhere: it is made, or making it fails.
bool can_only_be_read(const std::string& directory) {
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return status.st_uid != geteuid() || access(directory.c_str(), W_OK) != 0;
}

// Returns `located` with the directory in which the daemon works, which this function makes. `seeds` are the seeds to
// pass to the daemon; empty if the daemon reads them from its own settings.
config::Settings working_place(config::Settings located) {
  located.seeds.clear();
  if (!can_only_be_read(located.directory)) return located;
  const config::Lookup variable = config::lookup_in_process();
  const Result<config::Settings> all = config::load(variable);
  if (!all || !all->readonly || located.directory.find(',') != std::string::npos) return located;
  if (config::lets_group_write(*all) && access(located.directory.c_str(), W_OK) == 0) return located;
  std::optional<std::string> place = private_place(variable, checksum_hex(checksum_of(located.directory)));
  if (!place) return located;
  located.seeds = all->seeds;
  located.seeds.insert(located.seeds.begin(), located.directory);
  located.directory = std::move(*place);
  located.user_home.clear();
  return located;
}

// A lock whose holder cannot be seen from here.
//
// The problem: with a home directory on NFS, the daemon of another machine may have the same directory: nodes of one
// image have the same view. No client here reaches its socket, and a daemon that is started waits for the lock in vain.
// The choice: no daemon is started while an unknown process holds the lock. The first client waits a moment, because a
// daemon that is just starting has not yet written its process id, and then leaves a mark beside the lock
// ("daemon.far"). While the mark is young, no client waits. The mark says nothing as soon as the lock is free or a
// daemon accepts.

constexpr const char* kFarMark = "daemon.far";
constexpr std::chrono::milliseconds kUntilFar{300};
constexpr std::time_t kFarFor = 60;  // seconds; another machine's clock may have written the time

bool is_held_from_afar(const OwnDirectory& directory) {
  return is_daemon_lock_held(directory) && !daemon_lock_holder(directory);
}

bool is_marked_as_far(const OwnDirectory& directory) {
  const auto mark = directory.open_file(kFarMark, O_RDONLY);
  struct stat status{};
  return mark && fstat(mark->get(), &status) == 0 && std::abs(std::time(nullptr) - status.st_mtime) < kFarFor;
}

void mark_as_far(const OwnDirectory& directory) {
  const auto mark = directory.open_file(kFarMark, O_WRONLY | O_CREAT);
  if (mark) futimens(mark->get(), nullptr);
}

constexpr const char* kStartLock = "start.lock";

constexpr std::chrono::milliseconds kAgain{5};  // poll interval; Timeouts bounds the whole wait

// flock has no timeout, so this polls.
Result<UniqueFd> lock_file(const OwnDirectory& directory, const std::string& name, std::chrono::milliseconds limit) {
  Result<UniqueFd> file = directory.open_file(name, O_RDWR | O_CREAT);
  if (!file) return file;
  const Clock::time_point until = Clock::now() + limit;
  while (flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return system_error("cannot lock", join_path(directory.path(), name));
    if (Clock::now() >= until) return Error{"another client has been starting the daemon for too long"};
    std::this_thread::sleep_for(kAgain);
  }
  return file;
}

// The error that the daemon printed before it ended.
Error why_it_ended(int said) {
  std::array<char, 1024> text{};
  const ssize_t size = read(said, text.data(), text.size());
  const std::string_view all(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::string_view line = all.substr(0, all.find('\n'));
  if (!line.starts_with(kErrorBefore)) return Error{"the daemon ended at once; hipcached run by hand says why"};
  const std::string_view why = line.substr(kErrorBefore.size());
  if (why == kTraced)
    return Error{"no daemon runs, and none is started here: " + std::string(kTraced) +
                     "; hipcache --start-server outside of the tracer starts one",
                 ErrorCode::unserved};
  return Error{std::string(why)};
}

bool sets(const std::string& entry, std::string_view name) {
  return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
}

// The client's environment, with absolute directories (the daemon runs in "/") and without libraries preloaded for
// compilers.
std::vector<std::string> daemon_environment(const std::string& directory, const std::string& file,
                                            const std::vector<std::string>& seeds) {
  static constexpr std::array<std::string_view, 4> kNotForIt{"HIPCACHE_DIR", "HIPCACHE_CONFIG", "LD_PRELOAD",
                                                             "HIPCACHE_TRACE"};
  std::vector<std::string> environment{"HIPCACHE_DIR=" + directory, "HIPCACHE_CONFIG=" + file};
  std::string list;
  for (const std::string& seed : seeds) list.append(list.empty() ? "" : ",").append(seed);
  if (!list.empty()) environment.push_back("HIPCACHE_SEED=" + list);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string variable(*entry);
    bool wanted = true;
    for (const std::string_view name : kNotForIt) wanted = wanted && !sets(variable, name);
    wanted = wanted && (list.empty() || !sets(variable, "HIPCACHE_SEED"));
    if (wanted) environment.push_back(variable);
  }
  return environment;
}

constexpr std::chrono::milliseconds kUntilEnded{1'000};

// The peer's process. Invalid if it is not visible, e.g. in another process id namespace.
ProcessWatch process_of_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return ProcessWatch();
  return ProcessWatch(peer.pid);
}

// ErrorCode::closed means that the daemon is already stopping.
Status ask_to_stop(Channel& channel, Timeouts timeouts) {
  const protocol::ControlRequest stop{protocol::build_id(), protocol::ControlKind::stop};
  if (Status sent = channel.send(stop, timeouts.send); !sent) return sent;
  if (Result<protocol::Received> reply = channel.receive(timeouts.first_reply); !reply) return reply.error();
  return done();
}

// "hipcached" beside this program, links resolved.
Result<std::string> daemon_beside_us() {
  char path[PATH_MAX];
  if (!launch_from_here("hipcached", path)) return system_error("cannot find", "this program");
  return std::string(path);
}

}  // namespace

DaemonLink::DaemonLink(const config::Settings& located, Timeouts timeouts)
    : DaemonLink(timeouts, working_place(located)) {}

DaemonLink::DaemonLink(Timeouts timeouts, const config::Settings& place)
    : directory_(place.directory),
      home_(protocol::daemon_directory(place.directory)),
      user_home_(place.user_home),
      file_(place.file),
      seeds_(place.seeds),
      timeouts_(timeouts) {}

// Reads the configuration file here, because a hit does not need it. Errors in the settings are reported by the daemon.
config::Settings DaemonLink::place() const {
  config::Settings place;
  if (const auto all = config::load(config::lookup_in_process()); all) place.umask = all->umask;
  place.directory = directory_;
  return place;
}

Result<Channel> DaemonLink::connect(std::chrono::milliseconds limit) const {
  const Result<std::string> path = socket_path();
  if (!path) return path.error();
  Result<UniqueFd> socket = protocol::connect_to(*path, limit);
  if (!socket) return socket.error();
  return Channel(std::move(*socket));
}

// Opens the daemon's directory; makes it, and the cache directory, if they are missing.
Result<OwnDirectory> DaemonLink::open_home() const {
  if (const Result<std::string> path = socket_path(); !path) return path.error();
  if (Status user = config::check_home(config::Settings{.user_home = user_home_}); !user) return user.error();
  const Result<OwnDirectory> cache = config::open_or_make_cache_directory(place());
  if (!cache) return cache.error();
  return OwnDirectory::open_or_make(home_);
}

Status DaemonLink::check_directory() const {
  const Result<OwnDirectory> home = open_home();
  if (!home) return home.error();
  const Result<UniqueFd> file = home->open_file(kStartLock, O_RDWR | O_CREAT);
  return file ? done() : Status(file.error());
}

void DaemonLink::await_end_after(const Channel& closed) {
  [[maybe_unused]] const bool ended = process_of_peer(closed.fd()).ended_within(kUntilEnded);
}

std::string DaemonLink::daemon_settings() const {
  const Result<OwnDirectory> home = OwnDirectory::open(home_);
  const Result<UniqueFd> file = home ? home->open_file(config::kDaemonSettingsFile, O_RDONLY) : home.error();
  const Result<std::string> text =
      file ? read_fd(file->get(), config::kDaemonSettingsLimit, config::kDaemonSettingsFile) : file.error();
  return text ? *text : "";
}

Result<Channel> DaemonLink::connect_or_start_for_compile() const {
  if (Result<Channel> channel = connect()) return channel;
  if (Status lasts = check_namespace(); !lasts) return lasts.error();
  return connect_or_start();
}

std::optional<DaemonLink> DaemonLink::outer() const {
  char target[PATH_MAX];
  const ssize_t length = readlink(join_path(directory_, protocol::outer_daemon_name()).c_str(), target, sizeof target);
  const std::string name(target, length > 0 ? static_cast<std::size_t>(length) : 0);
  DaemonLink outer(*this);
  outer.home_ = join_path(directory_, name);
  return protocol::is_daemon_name(name) && outer.home_ != home_ ? std::optional(std::move(outer)) : std::nullopt;
}

Status DaemonLink::check_lock(const OwnDirectory& home) const {
  const Clock::time_point until = Clock::now() + kUntilFar;
  while (is_held_from_afar(home)) {
    if (is_marked_as_far(home) || Clock::now() >= until) {
      mark_as_far(home);
      return Error{"a daemon that cannot be seen from here, as of another machine, holds " + home.path() +
                       "/daemon.lock; HIPCACHE_DIR can name a directory of this machine",
                   ErrorCode::unserved};
    }
    std::this_thread::sleep_for(kAgain);
    if (connect()) break;
  }
  return done();
}

Result<Channel> DaemonLink::connect_or_start() const {
  if (Result<Channel> channel = connect()) return channel;
  const Result<OwnDirectory> home = open_home();
  if (!home) return home.error();
  if (Status near = check_lock(*home); !near) return near.error();
  const Result<UniqueFd> turn = lock_file(*home, kStartLock, timeouts_.start);
  if (!turn) return turn.error();
  if (Result<Channel> channel = connect()) return channel;  // another client has started it meanwhile
  return start();
}

Result<Channel> DaemonLink::start() const {
  const Result<std::string> program = daemon_beside_us();
  if (!program) return program.error();
  if (access(program->c_str(), X_OK) != 0) return system_error("cannot start the daemon", *program);
  const Result<Detached> daemon = start_detached(*program, daemon_environment(directory_, file_, seeds_));
  if (!daemon) return daemon.error();
  return wait_for_socket(daemon->process, daemon->said.get());
}

Result<Channel> DaemonLink::wait_for_socket(const ProcessWatch& process, int said) const {
  const Clock::time_point until = Clock::now() + timeouts_.start;
  for (;;) {
    const bool ended = process.ended_within(kAgain);
    if (Result<Channel> channel = connect()) return channel;
    if (ended) return why_it_ended(said);
    if (Clock::now() >= until) return Error{"the daemon did not come up in time"};
  }
}

Result<bool> DaemonLink::ask_to_leave() const {
  Result<Channel> channel = connect();
  if (!channel) return false;
  if (Status asked = ask_to_stop(*channel, timeouts_); !asked && asked.error().code != ErrorCode::closed)
    return asked.error();
  const Clock::time_point until = Clock::now() + timeouts_.leave;
  while (connect()) {
    if (Clock::now() >= until) return Error{"the daemon does not leave although it was asked to stop"};
    std::this_thread::sleep_for(kAgain);
  }
  return true;
}

Result<bool> DaemonLink::stop(std::chrono::milliseconds limit) const {
  const Result<OwnDirectory> cache = config::open_cache_directory(place());
  const Result<OwnDirectory> ours = cache ? OwnDirectory::open(home_) : cache.error();
  if (!ours && ours.error().code == ErrorCode::gone) return false;
  if (!ours) return ours.error();
  const Clock::time_point until = Clock::now() + timeouts_.mute;
  bool lived = false;
  for (;;) {
    Result<bool> stopped = stop_by_request(limit);
    if (stopped && *stopped) return true;
    if (!stopped && stopped.error().code == ErrorCode::resources) return stopped;
    if (!is_daemon_lock_held(*ours)) return lived;
    lived = true;  // it is starting, stopping or not replying
    if (!stopped || Clock::now() >= until) return stop_by_signal(*ours, limit);
    std::this_thread::sleep_for(kAgain);
  }
}

// False if no daemon accepted a connection.
Result<bool> DaemonLink::stop_by_request(std::chrono::milliseconds limit) const {
  ProcessWatch process;
  if (Result<Channel> channel = connect()) process = process_of_peer(channel->fd());
  Result<bool> left = ask_to_leave();
  if (left && *left && !process.ended_within(limit))
    return Error{"the daemon was asked to stop and is still busy with running compiles", ErrorCode::resources};
  return left;
}

Result<bool> DaemonLink::stop_by_signal(const OwnDirectory& directory, std::chrono::milliseconds limit) const {
  const std::optional<ProcessWatch> daemon = daemon_lock_holder(directory);
  if (!daemon && !is_daemon_lock_held(directory)) return true;
  if (!daemon)
    return Error{"a daemon that does not reply holds " + directory.path() +
                 "/daemon.lock, and its process cannot be seen from here"};
  if (!daemon->send(SIGTERM) || daemon->ended_within(limit)) return true;
  return Error{"the daemon, process " + std::to_string(daemon->pid()) +
               ", was asked to stop and still runs; killing it does no harm to the cache"};
}

}  // namespace hipcache::client
