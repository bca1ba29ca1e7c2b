#include "remote/tiers/work_pool.h"

#include <system_error>

#include <utility>

namespace hipcache::remote {

WorkPool::~WorkPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkPool::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (queue_.size() >= most_queued_) return false;
  queue_.push_back(std::move(work));
  if (queue_.size() > idle_ && threads_.size() < most_threads_) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      if (!threads_.empty()) return true;
      queue_.pop_back();
      return false;
    }
  }
  changed_.notify_one();
  return true;
}

void WorkPool::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    --idle_;
    if (ending_) return;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace hipcache::remote
