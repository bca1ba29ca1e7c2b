// Accepts connections and serves each in a thread, until it is told to stop or is idle for a while.
//
// Threads instead of an event loop: a session is a dialogue of seconds, written as one function. The threads accept
// connections themselves, and one always waits: starting a thread, or waking one from another, takes longer than a hit.
// The number of threads is bounded. A client beyond the bound, or without a descriptor left for it, is told that the
// daemon is busy. Stopping closes the socket at once and waits for the sessions, so no running request is lost.
//
// A server whose directory was replaced stops as well, and removes nothing, because another daemon's socket may be
// there now.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_SERVER_H
#define HIPCACHE_SRC_DAEMON_SERVER_SERVER_H

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "daemon/server/limits.h"
#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/result.h"

namespace hipcache::daemon {

class Server {
 public:
  struct Options {
    std::string socket_path;
    std::chrono::seconds idle_timeout;  // 0: never
    unsigned max_sessions = kMaxSessions;
    std::function<void(UniqueFd)> serve;  // called in the session's thread
    std::function<void()> every_second;   // called in run()'s thread while there is work
    std::function<bool()> is_busy = [] {
      return false;
    };  // whether there is work without a client; then it is not idle
    std::function<bool()> is_in_place;     // called every second: whether the directory is still the daemon's
    std::function<void()> leaves = [] {};  // called once, when no connection is accepted any more
  };

  Server(Options options, Log& log);

  // Binds the socket. REQUIRES: called once, before run().
  Status open();

  // Serves until stop() or idleness, and then until every session has ended.
  Status run();

  // Callable from any thread or signal handler.
  void stop();

 private:
  bool is_stopped_within_a_tick() const;
  bool is_idle_for_too_long();
  bool is_socket_ours() const;
  bool is_in_place() const;
  void close_socket();
  void wait_for_workers();

  Status start_worker();
  void work();
  bool begin_session();
  bool end_session();
  void refuse(UniqueFd connection, const std::string& reason);
  void relieve();

  Options options_;
  Log& log_;
  UniqueFd listener_;  // closed when no worker is left
  UniqueFd stop_;      // eventfd
  dev_t socket_device_ = 0;
  ino_t socket_inode_ = 0;
  std::mutex relieving_;
  UniqueFd spare_;  // guarded by relieving_; closed for a moment to refuse a client when no descriptor is left
  std::atomic<bool> closed_{false};
  std::mutex mutex_;  // guards all below
  std::condition_variable worker_ended_;
  unsigned workers_ = 0;  // threads
  unsigned waiting_ = 0;  // threads that serve nobody
  unsigned sessions_ = 0;
  std::chrono::steady_clock::time_point last_use_;
};

}  // namespace hipcache::daemon

#endif
