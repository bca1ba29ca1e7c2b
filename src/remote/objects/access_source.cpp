#include "remote/objects/access_source.h"

#include <utility>

namespace hipcache::remote {

using SteadyClock = std::chrono::steady_clock;

AccessSource::AccessSource(const ObjectService& service, std::function<SystemTime()> now)
    : service_(service), now_(std::move(now)), thread_([this] { run(); }) {}

AccessSource::~AccessSource() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<AccessPtr> AccessSource::get(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!is_valid(access_) || ends_soon(access_)) want();
  if (is_valid(access_)) return access_;
  if (!problem_) changed_.wait_for(lock, patience, [this] { return !is_wanted_ || is_ending_; });
  if (is_valid(access_)) return access_;
  if (problem_) return *problem_;
  return Error{"credentials are not found yet", ErrorCode::timed_out};
}

AccessPtr AccessSource::renewed(const AccessPtr& used, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (access_ == used) want();
  changed_.wait_for(lock, patience, [&] { return access_ != used || !is_wanted_ || is_ending_; });
  return access_ != used && is_valid(access_) ? access_ : nullptr;
}

// Not sooner than after a pause if the last search found nothing new: a server that refuses all credentials would have
// them searched for without end.
void AccessSource::want() {
  if (is_wanted_ || SteadyClock::now() < next_search_) return;
  is_wanted_ = true;
  changed_.notify_all();
}

void AccessSource::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_wanted_ || is_ending_; });
    if (is_ending_) return;
    lock.unlock();
    Result<AccessPtr> found = service_.find_access();
    lock.lock();
    // The same credentials stay the same object, so that renewed() tells whether they differ.
    const bool is_new = found && (!access_ || access_->identity() != (*found)->identity());
    problem_ = found ? std::nullopt : std::optional(found.error());
    if (is_new) access_ = std::move(*found);
    is_wanted_ = false;
    next_search_ = SteadyClock::now() + (is_new ? SteadyClock::duration(0) : kSearchPause);
    changed_.notify_all();
  }
}

bool AccessSource::is_valid(const AccessPtr& access) const {
  return access && (!access->expires() || now_() < *access->expires());
}

bool AccessSource::ends_soon(const AccessPtr& access) const {
  return access->expires() && now_() + kRenewBefore >= *access->expires();
}

}  // namespace hipcache::remote
