// The store's own thread. It loads the uses if they are many, and writes new uses behind. It evicts when the limit is
// passed, and empties the write-ahead log after a quiet time. So no caller waits for any of this.
#ifndef HIPCACHE_SRC_STORE_LOCAL_SPACE_MAINTENANCE_H
#define HIPCACHE_SRC_STORE_LOCAL_SPACE_MAINTENANCE_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "store/local/space/eviction.h"
#include "store/local/space/store_state.h"

namespace hipcache::store {

// Thread-safe. The destructor stops running work, writes the uses behind, and joins the thread.
class Maintenance {
 public:
  Maintenance(StoreState& state, Eviction& eviction, std::uint64_t max_bytes);
  ~Maintenance();
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  // Must be called after each write and each use.
  void wrote(std::uint64_t bytes);
  void used();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void load();
  bool is_limit_due() const { return max_bytes_ != 0 && written_ > allowance_; }
  bool is_flush_due() const;
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  void keep_limit();
  void say_if_failed(const Status& status);

  StoreState& state_;
  Eviction& eviction_;
  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> stopping_ = false;
  bool uses_due_ = false;
  // Counted before compression, so an upper bound of what reaches the disk. When it passes the allowance, the disk is
  // measured and the allowance set anew.
  std::uint64_t written_ = 0;
  std::uint64_t allowance_ = 0;
  std::uint64_t logged_ = 0;  // bytes written since the last flush
  Clock::time_point last_write_;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace hipcache::store

#endif
