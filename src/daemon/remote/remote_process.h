// hipcache-remote, the process that talks to shared caches, seen from the daemon.
//
// It is started when it is needed first, and again, after a pause, when it has ended. The pauses double, so that a
// program that always crashes costs next to nothing. The settings go through its socket, because others can read its
// arguments.
//
// Thread-safe. `receive` and `ended` are called in a thread of this object, without a lock.
#ifndef HIPCACHE_SRC_DAEMON_REMOTE_REMOTE_PROCESS_H
#define HIPCACHE_SRC_DAEMON_REMOTE_REMOTE_PROCESS_H

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::daemon {

class RemoteProcess {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds kFirstPause{500};
  static constexpr std::chrono::seconds kLongestPause{60};
  // After this time without any message, although one is due, the process counts as hung.
  static constexpr std::chrono::seconds kHung{10};

  struct Options {
    std::string program;
    protocol::RemoteConfigure settings;
    std::function<void(protocol::RemoteMessage)> receive;
    std::function<void()> ended;
    std::string without = "shared caches are not asked";  // what follows from its end, for the log
  };

  RemoteProcess(Options options, Log& log) : options_(std::move(options)), log_(log) {}
  ~RemoteProcess() { stop(); }
  RemoteProcess(const RemoteProcess&) = delete;
  RemoteProcess& operator=(const RemoteProcess&) = delete;

  // Ends the process for good, and waits for its end. No callback runs after that.
  void stop();

  // False if there is no process now.
  bool send(const protocol::RemoteMessage& message);

  // Called when an answer is overdue. Until the process sends something, is_silent() holds; if it sends nothing for
  // kHung, it is ended.
  void note_overdue();
  bool is_silent() const { return silent_; }

  bool is_running();

  // Why it does not start: what the loader or the program said, for people. Empty if it has answered, or was not
  // started yet.
  std::string trouble();

 private:
  struct Child {
    pid_t pid = 0;
    protocol::Channel channel;
    UniqueFd printed;  // what it prints, a file in memory
  };

  std::shared_ptr<Child> child_or_start();
  std::shared_ptr<Child> start();
  void listen(const std::shared_ptr<Child>& child);
  void wait_for_end(pid_t pid);
  void pause_after_end();
  void set_trouble(std::string trouble);

  const Options options_;
  Log& log_;
  std::atomic<bool> silent_ = false;
  std::atomic<Clock::rep> silent_since_ = 0;
  std::mutex sending_;  // a message is sent by one thread at a time
  std::mutex mutex_;    // guards all below
  std::shared_ptr<Child> child_;
  std::thread listener_;
  std::vector<pid_t> left_behind_;  // killed, and not yet ended
  bool ending_ = false;
  Clock::time_point start_after_;
  Clock::time_point started_;
  Clock::duration next_pause_ = kFirstPause;
  std::string trouble_;
};

}  // namespace hipcache::daemon

#endif
