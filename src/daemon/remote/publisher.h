// Results that wait for being written to shared caches.
//
// Problem: no compile may wait for a server, and a build makes results faster than a server takes them.
// Choice: a queue of references. The blobs lie in the store, pinned, and are read when their turn comes. Few
// publications are with hipcache-remote at a time; if it dies, they are sent again. So nothing large is in memory, and
// nothing is lost with a process.
// Rejected: a queue in hipcache-remote, which would hold the bytes, or lose them.
//
// Bounded: kMost publications wait, and each is tried kAttempts times. What is dropped is counted. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_REMOTE_PUBLISHER_H
#define HIPCACHE_SRC_DAEMON_REMOTE_PUBLISHER_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "daemon/remote/remote_process.h"
#include "hipcache/cache/remote_results.h"
#include "hipcache/protocol/remote_messages.h"
#include "hipcache/store/local_store.h"
#include "hipcache/store/store.h"

namespace hipcache::daemon {

// A publication as messages: its blobs, then the result. To hipcache-remote, which writes it to shared caches, and to
// the one that writes an archive.

enum class Sending {
  done,
  blob_gone,  // the result was not sent; blobs of its number may have been
  peer_gone,
};

// False if the peer is gone.
using SendMessage = std::function<bool(const protocol::RemoteMessage&)>;

Sending send_publication(std::uint64_t number, const cache::Publication& publication, store::ReadableStore& store,
                         const SendMessage& send);

class Publisher {
 public:
  static constexpr std::size_t kMost = 50'000;
  static constexpr std::size_t kAtOnce = 8;                    // with hipcache-remote
  static constexpr std::uint64_t kBytesAtOnce = 256ull << 20;  // of their blobs; one may exceed it
  static constexpr int kAttempts = 3;

  struct Progress {
    std::uint64_t waiting = 0;          // results and miss histories
    std::uint64_t waiting_results = 0;  // of these
    std::uint64_t written = 0;          // results
    std::uint64_t failed = 0;           // results
    std::string error;                  // of the last one that failed
  };

  // The arguments outlive this object.
  Publisher(RemoteProcess& process, store::LocalStore& store, Log& log) : process_(process), store_(store), log_(log) {}
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  void add(cache::Publication publication);

  // From hipcache-remote. The publication, if it was written.
  std::optional<cache::Publication> take_published(const protocol::RemotePublished& published);
  void process_ended();

  Progress progress();
  // Also starts counting failures anew.
  Progress take_progress();
  // Waits until nothing waits. False if it still does after the limit.
  bool drain(std::chrono::milliseconds limit);

 private:
  struct Waiting {
    cache::Publication publication;
    std::unique_ptr<store::Lease> lease;  // pins its blobs
    std::uint64_t bytes = 0;
    int attempts = 0;
  };

  void run();
  bool has_room() const;
  bool send(std::uint64_t number, const cache::Publication& publication);
  void fail(const cache::Publication& publication, const std::string& why);
  // Why the process does not start, if that is known.
  std::string trouble_or(const char* otherwise);
  Progress progress_now() const;

  RemoteProcess& process_;
  store::LocalStore& store_;
  Log& log_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<Waiting> queue_;
  std::map<std::uint64_t, Waiting> sent_;  // by number
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t next_ = 1;
  Progress done_;
  bool ending_ = false;
  std::thread thread_;  // runs from the first publication on
};

}  // namespace hipcache::daemon

#endif
