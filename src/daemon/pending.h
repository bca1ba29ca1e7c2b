// Requests whose clients have their answer while the result is still on its way into the store: nobody waits for the
// writing, and yet whoever asks next finds what was written.
//
// What may be recorded is settled before the answer, as the user may change anything after it; what is left is encoding
// and writing. Rejected: a queue with a thread of its own, which needs a bound, and draining at the end; here the
// session writes itself, after its last message, and the server waits for sessions. Thread-safe.
#ifndef HIPCACHE_DAEMON_PENDING_H
#define HIPCACHE_DAEMON_PENDING_H

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

class Pending {
 public:
  // A store in trouble must not hold up those who would only be served sooner: a compile is run twice, and that is all.
  static constexpr std::chrono::seconds kLimit{2};

  // The keys are pending until it is destroyed.
  class Mark {
   public:
    Mark(Pending& table, std::uint64_t number) : table_(&table), number_(number) {}
    Mark(Mark&& other) noexcept : table_(std::exchange(other.table_, nullptr)), number_(other.number_) {}
    Mark& operator=(Mark&&) = delete;
    ~Mark() {
      if (table_ != nullptr) table_->end(number_);
    }

   private:
    Pending* table_;
    std::uint64_t number_;
  };

  Mark mark(std::vector<Digest> keys);

  // For those that are pending now and have the key; or for all of them. Not for longer than the limit.
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
