// Pending writes: requests whose clients have their answer while the result is still being written to the store.
// Clients do not wait for the write, but a later lookup waits for the pending write.
//
// The daemon decides before the answer what may be recorded, because the user may change any file afterwards. Only
// encoding and writing remain. Rejected: a queue with its own thread, which needs a bound and has to be drained at the
// end. Here the session writes after its final message, and the server waits for sessions. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_PENDING_WRITES_H
#define HIPCACHE_SRC_DAEMON_SHARED_PENDING_WRITES_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

class PendingWrites {
 public:
  // A slow store must not hold up later requests: without the wait, a compile only runs twice.
  static constexpr std::chrono::seconds kLimit{2};

  // The keys are pending until this object is destroyed.
  class Mark {
   public:
    Mark(PendingWrites& table, std::uint64_t number) : table_(&table), number_(number) {}
    Mark(Mark&& other) noexcept : table_(std::exchange(other.table_, nullptr)), number_(other.number_) {}
    Mark& operator=(Mark&&) = delete;
    ~Mark() {
      if (table_ != nullptr) table_->end(number_);
    }

   private:
    PendingWrites* table_;
    std::uint64_t number_;
  };

  Mark mark(std::vector<Digest> keys);

  // Waits for the marks of now that have the key, or for all marks of now; not longer than the limit.
  void wait_for(const Digest& key, std::chrono::milliseconds limit = kLimit);
  void wait_for_all(std::chrono::milliseconds limit = kLimit);

 private:
  using Keys = std::vector<Digest>;

  void wait(const std::function<bool(const Keys&)>& matters, std::chrono::milliseconds limit);
  void end(std::uint64_t number);

  std::mutex mutex_;
  std::condition_variable ended_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Keys> marks_;
};

}  // namespace hipcache::daemon

#endif
