// Accepts connections and serves each in a thread, until it is told to stop or nobody has come for a while.
//
// Threads rather than an event loop: a session is a dialogue of seconds, told as one function. The threads accept for
// themselves, and there is always one that waits: a hit takes less time than starting a thread, or than waking one by
// another. Bounded by kMaxSessions; one more is told that the daemon is busy. Stopping closes the socket at once and
// waits for the sessions: nothing in flight is lost.
#ifndef HIPCACHE_DAEMON_SERVER_H
#define HIPCACHE_DAEMON_SERVER_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/result.h"

namespace hipcache::daemon {

inline constexpr unsigned kMaxSessions = 512;

class Server {
 public:
  struct Options {
    std::string socket_path;
    std::chrono::seconds idle_timeout;    // 0: never
    std::function<void(UniqueFd)> serve;  // called in a thread that does nothing else
    std::function<void()> every_second;   // called in run()'s thread while there is work
  };

  Server(Options options, Log& log);

  // Binds the socket. REQUIRES: called once, before run().
  Status open();

  // Until stop() or idleness; then until every session has ended.
  Status run();

  // From any thread, or a signal handler.
  void stop();

 private:
  bool is_stopped_within_a_tick() const;
  bool is_idle_for_too_long();
  void close_socket();
  void wait_for_workers();

  Status start_worker();
  void work();
  bool begin_session();
  bool end_session();
  void refuse(UniqueFd connection);

  Options options_;
  Log& log_;
  UniqueFd listener_;  // closed when no worker is left
  UniqueFd stop_;      // eventfd
  std::atomic<bool> closed_{false};
  std::mutex mutex_;  // guards all below
  std::condition_variable worker_ended_;
  unsigned workers_ = 0;  // threads
  unsigned waiting_ = 0;  // of them, those that serve nobody
  unsigned sessions_ = 0;
  std::chrono::steady_clock::time_point last_use_;
};

}  // namespace hipcache::daemon

#endif
