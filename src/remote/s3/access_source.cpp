#include "remote/s3/access_source.h"

#include <utility>

#include "remote/s3/credential_chain.h"

namespace hipcache::remote {

using SteadyClock = std::chrono::steady_clock;

AccessSource::AccessSource(const config::RemoteUrl& url, Variables variables, WallClock now)
    : url_(url), variables_(std::move(variables)), now_(std::move(now)), thread_([this] { run(); }) {}

AccessSource::~AccessSource() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<S3AccessPtr> AccessSource::get(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!is_valid(access_) || ends_soon(access_)) want();
  if (is_valid(access_)) return access_;
  if (!problem_) changed_.wait_for(lock, patience, [this] { return !is_wanted_ || is_ending_; });
  if (is_valid(access_)) return access_;
  if (problem_) return *problem_;
  return Error{"credentials are not found yet", ErrorCode::timed_out};
}

S3AccessPtr AccessSource::renewed(const S3AccessPtr& used, std::chrono::milliseconds patience) {
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
    Result<S3AccessPtr> found = search();
    lock.lock();
    // The same credentials stay the same object, so that renewed() tells whether they differ.
    const bool is_new = found && (!access_ || access_->credentials != (*found)->credentials);
    problem_ = found ? std::nullopt : std::optional(found.error());
    if (is_new) access_ = std::move(*found);
    is_wanted_ = false;
    next_search_ = SteadyClock::now() + (is_new ? SteadyClock::duration(0) : kSearchPause);
    changed_.notify_all();
  }
}

Result<S3AccessPtr> AccessSource::search() const {
  const Result<AwsSettings> settings = AwsSettings::read(variables_, url_.s3.profile);
  if (!settings) return settings.error();
  const Result<S3Address> address = address_of(url_, *settings);
  if (!address) return address.error();
  auto access = std::make_shared<S3Access>(S3Access{.address = *address, .credentials = {}});
  if (!url_.s3.is_signed) return S3AccessPtr(access);
  Result<AwsCredentials> credentials = find_credentials(*settings, address->region);
  if (!credentials) return credentials.error();
  access->credentials = std::move(*credentials);
  return S3AccessPtr(access);
}

bool AccessSource::is_valid(const S3AccessPtr& access) const {
  if (!access) return false;
  return !access->credentials || !access->credentials->expires || now_() < *access->credentials->expires;
}

bool AccessSource::ends_soon(const S3AccessPtr& access) const {
  return access->credentials && access->credentials->expires && now_() + kRenewBefore >= *access->credentials->expires;
}

}  // namespace hipcache::remote
