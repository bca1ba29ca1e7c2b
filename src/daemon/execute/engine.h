// The engine of remote execution, for all requests: its actions in flight, and whether it is asked at all.
//
// The problem: an engine may be dead, slow, full, or have another image, and no build may wait for it longer than its
// limits. The choice: one object counts what comes of the actions of all requests. After kMostFailures in a row it is
// not asked for a pause, which doubles up to kLongestPause. Each action has an answer by the end of its own limits:
// hipcache-remote's, or "overdue" from here. Rejected: a judgement by each request, because a build is thousands of
// short requests.
//
// Which action is sent next, of all requests: an engine begins with what came first, and an action that waits there too
// long expires. So only few wait there: max(kMostQueued, a kQueuedPart of what executes). An action that expires while
// others of ours execute says that the engine is full, and closes the window to what executes now; each result of use
// opens it by one. If none executes, an expired action is a failure. Requests that find no room wait here, and the one
// with the longest step is the next (may_send).
//
// An engine need not say what waits; then all counts as executing, and an action's deadline begins in the queue. So the
// window begins narrow (kFirstWindow), and opens wide at the first action that is said to be queued. Else it goes by
// what its results cost, as TCP Vegas goes by round trips: the part of its time that a result waited is the part of the
// window that waits (docs/execution.md, "A full engine"). An overdue action halves it.
//
// Thread-safe. Owns nothing; `send` outlives it. Memory: kMostInFlight actions, kMostFiles digests, a number for each
// request that waits.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_ENGINE_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_ENGINE_H

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "daemon/execute/local_trace.h"
#include "daemon/execute/toolchain.h"
#include "daemon/remote/remote_process.h"
#include "hipcache/base/log.h"
#include "hipcache/config/execute_url.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::daemon {

class Engine {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMostInFlight = 256;
  static constexpr std::size_t kMostQueued = 4;
  static constexpr std::size_t kFirstWindow = 2;
  static constexpr std::size_t kQueuedPart = 4;  // one queued for so many that execute
  static constexpr std::size_t kMostFiles = 100'000;
  static constexpr int kMostFailures = 4;
  static constexpr std::chrono::milliseconds kFirstPause{1'000};
  static constexpr std::chrono::milliseconds kLongestPause{60'000};
  // A request that was told to send and did not is not waited for any longer.
  static constexpr std::chrono::milliseconds kTurn{100};
  // Beyond an action's own limits: for its way there and back.
  static constexpr std::chrono::milliseconds kGrace{10'000};
  // No waiting: what an action takes beside the worker's time.
  static constexpr std::chrono::microseconds kWayThere{100'000};

  // False if there is no hipcache-remote now.
  using Send = std::function<bool(const protocol::RemoteMessage&)>;

  Engine(config::ExecuteUrl url, Send send, Log& log) : url_(std::move(url)), send_(std::move(send)), log_(log) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const config::ExecuteUrl& url() const { return url_; }
  Toolchains& toolchains() { return toolchains_; }
  KnownContents& contents() { return contents_; }

  // Whether the engine is asked at all now.
  bool is_open();

  // Whether the request of `wake_fd` may send a step of that cost now. The place is then its own until start() or
  // withdraw(). If not, the request waits, and `wake_fd` is written to when it may be its turn. No turn is for ever:
  // waiters must ask again from time to time. REQUIRES: wake_fd stays open until withdraw().
  bool may_send(std::uint64_t cost_us, int wake_fd);
  // The request has nothing to send.
  void withdraw(int wake_fd);

  // The number of the action, or nothing if it is not sent. When its answer is there, `wake_fd` is written to.
  // REQUIRES: wake_fd stays open until the answer is taken, or forget().
  std::optional<std::uint64_t> start(protocol::RemoteExecute action, int wake_fd);

  // The answer, once, if it is there.
  std::optional<protocol::RemoteExecuted> take(std::uint64_t id);

  // Nobody waits for the answer any more. The engine is told so, unless the answer is there.
  void forget(std::uint64_t id);

  // No worker took the action in time. True if others of ours execute: then the engine is full, and has not failed.
  bool note_expired();
  // An action took longer than its limits. An engine that says nothing of its queue may be full.
  void note_overdue();
  // What came of an answer: the result was proved, or was of no use. `whole`: from the sending to the answer;
  // `at_worker`: of that, the staging and the execution, as the engine says; 0: it does not say.
  void note_success(std::chrono::microseconds whole, std::chrono::microseconds at_worker);
  void note_failure(const std::string& why);
  // An audit found a result wrong: the engine is not asked again as long as the daemon lives.
  void close(const std::string& why);

  // What device steps take of the processor here, on average; 0: not known.
  std::uint64_t typical_us();
  void note_cost(std::uint64_t processor_us);

  // The SHA-256 of the file in that state, in hexadecimal, or "". The bytes are hashed again when they are sent, so a
  // wrong one costs the action and never its result.
  std::string sha256(const struct stat& status);

  // From hipcache-remote.
  void receive(protocol::RemoteMessage message);
  void process_ended();

 private:
  using Stamp = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct Action {
    int wake_fd = -1;
    Clock::time_point until;
    bool executes = false;               // a worker has begun it
    std::map<std::string, Stamp> files;  // that are to be hashed, as they were when the action was made
    std::optional<protocol::RemoteExecuted> answer;
  };

  struct Request {
    std::uint64_t cost_us = 0;
    bool has_place = false;                 // may send, and has not yet
    std::optional<Clock::time_point> told;  // that it may be its turn
  };

  static Stamp stamp_of(const struct stat& status);
  static bool has_turn(const Request& request, Clock::time_point now);
  std::size_t executing() const;
  std::size_t room() const;
  void wake_longest();
  std::size_t window_after(std::chrono::microseconds whole, std::chrono::microseconds at_worker) const;
  void take_state(const protocol::RemoteExecuteEvent& event);
  void take_hashed(const Action& action, const std::vector<protocol::HashedInput>& hashed);
  void answer(Action& action, protocol::RemoteExecuted executed);

  const config::ExecuteUrl url_;
  const Send send_;
  Log& log_;
  Toolchains toolchains_{log_};
  KnownContents contents_;
  std::mutex mutex_;  // guards all below
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Action> actions_;
  std::map<int, Request> requests_;  // that wait to send, by wake_fd
  bool says_what_waits_ = false;
  std::size_t window_ = kFirstWindow;  // actions in flight
  std::map<Stamp, std::string> hashes_;
  int failures_ = 0;  // in a row
  Clock::duration next_pause_ = kFirstPause;
  Clock::time_point open_after_;
  bool is_closed_ = false;
  std::uint64_t typical_us_ = 0;
};

// The engine, and the hipcache-remote that talks to it. That process is another one than for shared caches, so neither
// waits for the other.
class EngineProcess {
 public:
  // `program`: the path of hipcache-remote. The log outlives this object.
  EngineProcess(std::string program, const config::ExecuteUrl& url, Log& log);
  ~EngineProcess() { process_.stop(); }

  Engine& engine() { return engine_; }

 private:
  RemoteProcess process_;
  Engine engine_;
};

// The name of the outcome for statistics: "no-worker-in-time".
const char* reason_of(protocol::ExecuteOutcome outcome);

}  // namespace hipcache::daemon

#endif
