#include "hipcache/client/conversation.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "client/connection/daemon_silence.h"
#include "client/connection/lone_namespace.h"
#include "client/connection/traced_view.h"
#include "client/steps/step_process.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"

namespace hipcache::client {

namespace {

using namespace std::chrono_literals;
using protocol::Channel;
using protocol::CompileRequest;
using protocol::Received;

// Signals that would end this process while it runs steps.
//
// The problem: a compiler that gets a signal removes its temporary files and dies of the signal. The client's compilers
// are child processes, which may not have got the signal. The choice: while steps run, the client blocks such signals
// and reads them as events. It then passes the signal on, waits for the compilers, removes its own files, and dies of
// the signal. Ignored signals stay ignored, as under nohup. REQUIRES: constructed and destroyed by the thread that
// starts the others.

class FatalSignals {
 public:
  FatalSignals();
  ~FatalSignals();  // unblocks the signals, so pending ones act now
  FatalSignals(const FatalSignals&) = delete;
  FatalSignals& operator=(const FatalSignals&) = delete;

  int fd() const { return fd_.get(); }  // readable when a signal is pending; -1 if signals are not blocked
  const sigset_t& before() const { return before_; }  // the signal mask for children

  // Takes a pending signal; true if there is one now or was one before.
  bool take();
  int taken() const { return taken_; }  // 0: none

  // Ends this process by the signal that was taken.
  [[noreturn]] void die() const;

 private:
  sigset_t before_{};
  UniqueFd fd_;
  int taken_ = 0;
};

// All signals whose default action ends a process, except faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL), which cannot be
// blocked.
constexpr int kFatal[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTRAP, SIGABRT,   SIGUSR1, SIGUSR2, SIGPIPE,  SIGALRM,
                          SIGTERM, SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM, SIGIO,   SIGPWR,  SIGSTKFLT};

bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t held() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kFatal)
    if (!is_ignored(signal)) sigaddset(&set, signal);
  return set;
}

FatalSignals::FatalSignals() {
  const sigset_t set = held();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  fd_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

FatalSignals::~FatalSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool FatalSignals::take() {
  signalfd_siginfo info{};
  if (taken_ == 0 && fd_ && read(fd_.get(), &info, sizeof info) == sizeof info)
    taken_ = static_cast<int>(info.ssi_signo);
  return taken_ != 0;
}

void FatalSignals::die() const {
  struct sigaction by_default{};
  by_default.sa_handler = SIG_DFL;
  sigaction(taken_, &by_default, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, taken_);
  raise(taken_);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  _exit(128 + taken_);
}

constexpr auto kLookAbout = 250ms;

constexpr auto kFromElsewhere = 100ms;  // the steps may get the same signal from a terminal

Status check(const protocol::Finish& finish, std::size_t descriptors) {
  const auto without_content = std::count_if(finish.outputs.begin(), finish.outputs.end(),
                                             [](const protocol::PlacedOutput& output) { return !output.content; });
  if (static_cast<std::size_t>(without_content) == descriptors) return done();
  return Error{"the daemon sent " + std::to_string(descriptors) + " files for " + std::to_string(without_content) +
               " outputs"};
}

// Whether the directory has the name and mode of a request directory that the daemon made outside the cache directory.
bool is_made_by_daemon(const std::string& directory) {
  constexpr std::string_view kPrefix = "hipcache-";
  constexpr std::size_t kUnique = 6;
  const std::string_view name = base_name(directory);
  if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + kUnique) return false;
  struct stat status{};
  return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 07777) == S_IRWXU;
}

// The client may remove only what the daemon made for a request.
bool is_of_a_request(const std::string& directory, const std::string& temporary_root) {
  const std::string_view name = base_name(directory);
  if (name.empty() || name.starts_with('.')) return false;
  return directory_name(directory) == temporary_root || is_made_by_daemon(directory);
}

class Conversation {
 public:
  Conversation(Channel& channel, const CompileRequest& request, const std::string& temporary_root, Timeouts timeouts,
               DaemonSilence* known)
      : channel_(channel), request_(request), temporary_root_(temporary_root), timeouts_(timeouts), known_(known) {}

  Result<Reply> hold();    // sends the request, then follow()
  Result<Reply> follow();  // until the final message; on an error it stops the steps and removes their directories

 private:
  Result<Reply> hear();
  Result<Received> next();
  Status await_word(std::chrono::milliseconds limit);
  bool is_in_vain() const;
  Status run(protocol::RunStep step);
  void abandon();

  Channel& channel_;
  const CompileRequest& request_;
  const std::string& temporary_root_;
  const Timeouts timeouts_;
  DaemonSilence* const known_;           // null: silence is not recorded
  std::optional<FatalSignals> signals_;  // blocked from the first step on
  std::optional<StepProcesses> runner_;  // made for the first step: a hit needs no runner and no threads
  std::set<std::string> directories_;
  bool replied_ = false;
};

Result<Reply> Conversation::hold() {
  if (Status sent = channel_.send(request_, timeouts_.send); !sent) return sent.error();
  return follow();
}

Result<Reply> Conversation::follow() {
  Result<Reply> reply = hear();
  if (runner_ && reply && runner_->is_running()) reply = Error{"the daemon ended the request while a step was running"};
  if (!reply) abandon();
  return reply;
}

Result<Reply> Conversation::hear() {
  for (;;) {
    Result<Received> received = next();
    if (!received) return received.error();
    if (!std::exchange(replied_, true) && known_ != nullptr) known_->forget();
    protocol::Message& message = received->message;
    if (std::holds_alternative<protocol::KeepWaiting>(message)) continue;
    if (auto* step = std::get_if<protocol::RunStep>(&message)) {
      if (Status started = run(std::move(*step)); !started) return started.error();
      continue;
    }
    if (const auto* stopped = std::get_if<protocol::StopStep>(&message)) {
      if (runner_) runner_->stop_step(stopped->step);
      continue;
    }
    if (const auto* finish = std::get_if<protocol::Finish>(&message))
      if (Status whole = check(*finish, received->descriptors.size()); !whole) return whole.error();
    return received;
  }
}

// While a step runs, the daemon may be silent: the next message is the client's.
Result<Received> Conversation::next() {
  for (;;) {
    const std::uint64_t finished_before = runner_ ? runner_->finished() : 0;
    const Status word = await_word(replied_ ? timeouts_.silence : timeouts_.first_reply);
    if (word) return channel_.receive(timeouts_.send);
    if (word.error().code != ErrorCode::timed_out) return word.error();
    if (runner_ && (runner_->is_running() || runner_->finished() != finished_before)) continue;
    if (known_ != nullptr) known_->note();
    return Error{"the daemon says nothing", ErrorCode::timed_out};
  }
}

// True for a daemon that is stopped, or that another client recorded as silent a short while ago.
bool Conversation::is_in_vain() const {
  if (runner_ && runner_->is_running()) return false;
  return is_peer_stopped(channel_.fd()) || (!replied_ && known_ != nullptr && known_->is_known());
}

// Waits for a message or `limit` (ErrorCode::timed_out). Checks now and then whether the wait is in vain.
Status Conversation::await_word(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (std::chrono::milliseconds pause = timeouts_.moment;; pause = kLookAbout) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    std::array<pollfd, 2> waited{pollfd{signals_ ? signals_->fd() : -1, POLLIN, 0}, pollfd{channel_.fd(), POLLIN, 0}};
    const int ready = poll(waited.data(), waited.size(), static_cast<int>(std::clamp(left, 0ms, pause).count()));
    if (signals_ && signals_->take()) return Error{"a signal ends the client"};
    if (ready > 0) return done();
    if (ready < 0 && errno != EINTR) return system_error("cannot wait for", "the daemon");
    if (left <= 0ms || (ready == 0 && is_in_vain())) return Error{"the daemon says nothing", ErrorCode::timed_out};
  }
}

Status Conversation::run(protocol::RunStep step) {
  directories_.insert(step.directory);
  if (!runner_) {
    signals_.emplace();
    runner_.emplace(channel_, request_.environment, timeouts_, signals_->before());
  }
  return runner_->start(std::move(step));
}

// Compilers remove their temporary files on SIGINT, SIGHUP and SIGTERM. On other signals some leave files, and some
// signals look like a crash.
int for_compilers(int signal) { return signal == SIGINT || signal == SIGHUP ? signal : SIGTERM; }

// Stops all steps, and removes their directories in case the daemon is dead.
void Conversation::abandon() {
  const int signal = signals_ ? signals_->taken() : 0;
  if (runner_ && signal != 0) runner_->stop(for_compilers(signal), kFromElsewhere);
  if (runner_) runner_->stop();
  for (const std::string& directory : directories_) {
    if (!is_of_a_request(directory, temporary_root_)) continue;
    [[maybe_unused]] const Status removed = remove_tree(directory);  // the next daemon removes what remains
  }
  if (signal != 0) signals_->die();
}

// A full connection queue of the daemon counts as silence, too.
Result<Channel> connect(const DaemonLink& link, Timeouts timeouts, DaemonSilence& known) {
  Result<Channel> channel = link.connect(timeouts.moment);
  if (channel || channel.error().code != ErrorCode::timed_out)
    return channel ? std::move(channel) : link.connect_or_start_for_compile();
  if (known.is_known()) return channel;
  channel = link.connect(timeouts.connect);
  if (!channel && channel.error().code == ErrorCode::timed_out) known.note();
  return channel;
}

bool is_final(const protocol::Message& message) {
  return std::holds_alternative<protocol::Finish>(message) || std::holds_alternative<protocol::PassThrough>(message) ||
         std::holds_alternative<protocol::PlanReport>(message) ||
         std::holds_alternative<protocol::Explanation>(message) || std::holds_alternative<protocol::Busy>(message);
}

Result<Reply> only_final(Result<Reply> reply) {
  if (!reply || is_final(reply->message) || std::holds_alternative<protocol::VersionMismatch>(reply->message))
    return reply;
  return Error{"the daemon sent a message that is not its to send"};
}

// The daemon sees other files than this process, or speaks otherwise.
bool is_refused(const Result<Reply>& reply) {
  if (!reply) return false;
  const auto* pass = std::get_if<protocol::PassThrough>(&reply->message);
  return (pass != nullptr && pass->reason == text_of(Reason::other_file_system_view)) ||
         std::holds_alternative<protocol::VersionMismatch>(reply->message);
}

// What the daemon outside of this mount namespace replies. Nothing if there is none, if it does not serve this process,
// or if the namespace has a daemon or is to get one. Takes `begun`, which the launcher began with one of both.
std::optional<Result<Reply>> ask_outer(const DaemonLink& link, const CompileRequest& request, Timeouts timeouts,
                                       std::optional<Channel>& begun) {
  const Result<std::string> own = link.socket_path();
  if (own && access(own->c_str(), F_OK) == 0) return std::nullopt;
  const std::optional<DaemonLink> outer = link.outer();
  const Result<std::string> socket = outer ? outer->socket_path() : Error{"none"};
  if (!socket || (!begun && check_namespace())) return std::nullopt;
  const bool is_sent = begun.has_value();
  Result<Channel> channel = is_sent ? Result<Channel>(std::move(*begun)) : outer->connect(timeouts.moment);
  begun.reset();
  if (!channel) return std::nullopt;
  DaemonSilence known(*socket, timeouts.retry);
  const auto hold = is_sent ? follow_over : converse_over;
  Result<Reply> reply = hold(*channel, request, outer->temporary_root(), timeouts, &known);
  return is_refused(reply) ? std::nullopt : std::optional(std::move(reply));
}

}  // namespace

Result<Reply> converse_over(Channel& channel, const CompileRequest& request, const std::string& temporary_root,
                            Timeouts timeouts, DaemonSilence* known) {
  return only_final(Conversation(channel, request, temporary_root, timeouts, known).hold());
}

Result<Reply> follow_over(Channel& channel, const CompileRequest& request, const std::string& temporary_root,
                          Timeouts timeouts, DaemonSilence* known) {
  return only_final(Conversation(channel, request, temporary_root, timeouts, known).follow());
}

Result<Reply> converse(const DaemonLink& link, const CompileRequest& request, Timeouts timeouts,
                       std::optional<Channel> begun) {
  bool replaced = false;
  bool renewed = false;
  const Result<std::string> socket = link.socket_path();
  if (!socket) return socket.error();
  if (Status seen = begun ? done() : check_tracer(); !seen) return seen.error();
  if (std::optional<Result<Reply>> reply = ask_outer(link, request, timeouts, begun)) return *std::move(reply);
  DaemonSilence known(*socket, timeouts.retry);
  const auto ask = [&]() -> Result<Reply> {
    const auto hold = begun ? follow_over : converse_over;
    Result<Channel> channel = begun ? Result<Channel>(std::move(*begun)) : connect(link, timeouts, known);
    begun.reset();
    if (!channel) return channel.error();
    Result<Reply> reply = hold(*channel, request, link.temporary_root(), timeouts, &known);
    if (!reply && reply.error().code == ErrorCode::closed) DaemonLink::await_end_after(*channel);
    return reply;
  };
  for (;;) {
    Result<Reply> reply = ask();
    if (!reply && reply.error().code == ErrorCode::closed && !std::exchange(renewed, true)) continue;
    const auto* mismatch = reply ? std::get_if<protocol::VersionMismatch>(&reply->message) : nullptr;
    if (mismatch == nullptr) return reply;
    if (std::exchange(replaced, true)) return Error{"the daemon is of version " + mismatch->daemon_build};
    if (Result<bool> left = link.ask_to_leave(); !left) return left.error();
  }
}

}  // namespace hipcache::client
