// Accepts connections and gives each a thread, until it is told to stop or nobody has come for a while.
//
// Threads rather than an event loop: a session is a dialogue of seconds, told as one function. Bounded by kMaxSessions;
// one more is told that the daemon is busy. Stopping closes the socket at once and waits for the sessions: nothing in
// flight is lost.
#ifndef HIPCACHE_DAEMON_SERVER_H
#define HIPCACHE_DAEMON_SERVER_H

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
    std::function<void(UniqueFd)> serve;  // called in a thread of its own
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
  bool wait_for_connection();
  void accept_one();
  void start_session(UniqueFd connection);
  void tick_if_due();
  bool is_idle_for_too_long();
  void close_socket();
  void wait_for_sessions();

  Options options_;
  Log& log_;
  UniqueFd listener_;
  UniqueFd stop_;  // eventfd
  bool stopping_ = false;
  std::mutex mutex_;
  std::condition_variable session_ended_;
  unsigned sessions_ = 0;
  std::chrono::steady_clock::time_point last_use_;
  std::chrono::steady_clock::time_point last_tick_;
};

}  // namespace hipcache::daemon

#endif
