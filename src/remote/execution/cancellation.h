// Ends an execution from another thread: at once if it waits for an operation, else before its next call.
//
// Thread-safe; outlives the streams that it knows.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_CANCELLATION_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_CANCELLATION_H

#include <mutex>

#include "remote/reapi/rpc/calls.h"

namespace hipcache::remote {

class Cancellation {
 public:
  // While it lives, cancel() ends the stream's wait.
  class Guard {
   public:
    Guard(Cancellation& cancellation, Stream& stream) : cancellation_(cancellation) { cancellation_.watch(&stream); }
    ~Guard() { cancellation_.watch(nullptr); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Cancellation& cancellation_;
  };

  void cancel() {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    if (stream_ != nullptr) stream_->cancel();
  }

  bool is_cancelled() const {
    const std::lock_guard lock(mutex_);
    return is_cancelled_;
  }

 private:
  void watch(Stream* stream) {
    const std::lock_guard lock(mutex_);
    stream_ = stream;
    if (is_cancelled_ && stream_ != nullptr) stream_->cancel();
  }

  mutable std::mutex mutex_;  // guards all below
  bool is_cancelled_ = false;
  Stream* stream_ = nullptr;
};

}  // namespace hipcache::remote

#endif
