// Threads for calls that wait for servers. Started when they are needed, up to a limit; they end with the pool.
//
// Threads instead of an event loop: libcurl and hiredis have one each, and a third for REAPI would come; a blocking
// call with a limit is the one interface that all have. Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_TIERS_WORK_POOL_H
#define HIPCACHE_SRC_REMOTE_TIERS_WORK_POOL_H

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hipcache::remote {

class WorkPool {
 public:
  // At most `threads` run, and at most `queued` wait.
  WorkPool(std::size_t threads, std::size_t queued) : most_threads_(threads), most_queued_(queued) {}
  // Drops what waits, and ends when what runs has ended.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // False if too much waits already.
  bool add(std::function<void()> work);

 private:
  void run();

  const std::size_t most_threads_;
  const std::size_t most_queued_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hipcache::remote

#endif
