// The store's own thread: it reads the uses where they are many, writes them behind and evicts when the limit is
// passed, so that no caller waits for any of it.
#ifndef HIPCACHE_STORE_MAINTENANCE_H
#define HIPCACHE_STORE_MAINTENANCE_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "store/contents.h"
#include "store/eviction.h"

namespace hipcache::store {

// Thread-safe. The destructor stops work that is under way, writes the uses behind and joins.
class Maintenance {
 public:
  Maintenance(Contents& contents, Eviction& eviction, std::uint64_t max_bytes);
  ~Maintenance();
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  // To be told after each write and each use.
  void wrote(std::uint64_t bytes);
  void used();

 private:
  void run();
  void load();
  void keep_limit();

  Contents& contents_;
  Eviction& eviction_;
  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> stopping_ = false;
  bool uses_due_ = false;
  // Before compression, so more than will be on disk: when it passes the allowance the disk is measured, and the
  // allowance set anew.
  std::uint64_t written_ = 0;
  std::uint64_t allowance_ = 0;
  std::thread thread_;  // last: it uses the others
};

}  // namespace hipcache::store

#endif
