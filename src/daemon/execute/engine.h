// The engine of remote execution, for all requests: its actions in flight, and whether it is asked at all.
//
// The problem: an engine may be dead, slow, full, or have another image, and no build may wait for it longer than its
// limits. The choice: one object counts what comes of the actions of all requests. After kMostFailures in a row it is
// not asked for a pause, which doubles up to kLongestPause. Each action has an answer by the end of its own limits:
// hipcache-remote's, or "overdue" from here. Rejected: a judgement by each request, because a build is thousands of
// short requests.
//
// Thread-safe. Owns nothing; `send` outlives it. Memory: kMostInFlight actions, kMostFiles digests.
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

#include "daemon/remote/remote_process.h"
#include "hipcache/base/log.h"
#include "hipcache/config/execute_url.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::daemon {

class Engine {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMostInFlight = 256;
  static constexpr std::size_t kMostFiles = 100'000;
  static constexpr int kMostFailures = 4;
  static constexpr std::chrono::milliseconds kFirstPause{1'000};
  static constexpr std::chrono::milliseconds kLongestPause{60'000};
  // Beyond an action's own limits: for its way there and back.
  static constexpr std::chrono::milliseconds kGrace{10'000};

  // False if there is no hipcache-remote now.
  using Send = std::function<bool(const protocol::RemoteMessage&)>;

  Engine(config::ExecuteUrl url, Send send, Log& log) : url_(std::move(url)), send_(std::move(send)), log_(log) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const config::ExecuteUrl& url() const { return url_; }

  // Whether another action would be sent now.
  bool is_open();

  // The number of the action, or nothing if it is not sent. When its answer is there, `wake_fd` is written to.
  // REQUIRES: wake_fd stays open until the answer is taken, or forget().
  std::optional<std::uint64_t> start(protocol::RemoteExecute action, int wake_fd);

  // The answer, once, if it is there.
  std::optional<protocol::RemoteExecuted> take(std::uint64_t id);

  // Nobody waits for the answer any more. The engine is told so, unless the answer is there.
  void forget(std::uint64_t id);

  // What came of an answer: the result was proved, or was of no use.
  void note_success();
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
    std::map<std::string, Stamp> files;  // that are to be hashed, as they were when the action was made
    std::optional<protocol::RemoteExecuted> answer;
  };

  static Stamp stamp_of(const struct stat& status);
  void take_hashed(const Action& action, const std::vector<protocol::HashedInput>& hashed);
  void answer(Action& action, protocol::RemoteExecuted executed);

  const config::ExecuteUrl url_;
  const Send send_;
  Log& log_;
  std::mutex mutex_;  // guards all below
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Action> actions_;
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
