// Address and credentials of a bucket, as requests need them.
//
// Problem: finding credentials reads files, which may be on a network, and asks servers, which may take seconds.
// Temporary credentials end in the middle of a build. A look-up has some 300 ms.
// Choice: a thread of its own finds them, from the tier's first moment on, and again some minutes before they end. A
// look-up takes what is there. It waits, within its limit, only as long as nothing was found yet.
// Rejected: finding them in the look-up that needs them, which would pay for all others.
//
// Thread-safe. What it hands out stays valid as long as somebody holds it. The destructor waits for a search that runs
// (credential_chain.h bounds it).
#ifndef HIPCACHE_SRC_REMOTE_S3_ACCESS_SOURCE_H
#define HIPCACHE_SRC_REMOTE_S3_ACCESS_SOURCE_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "hipcache/base/result.h"
#include "hipcache/config/remote_url.h"
#include "remote/s3/address.h"
#include "remote/s3/credentials.h"

namespace hipcache::remote {

struct S3Access {
  S3Address address;
  std::optional<AwsCredentials> credentials;  // none: requests are not signed
};
using S3AccessPtr = std::shared_ptr<const S3Access>;

class AccessSource {
 public:
  using WallClock = std::function<std::chrono::system_clock::time_point()>;

  static constexpr std::chrono::minutes kRenewBefore{5};   // their end
  static constexpr std::chrono::seconds kSearchPause{10};  // at least, after a search that found nothing new

  AccessSource(const config::RemoteUrl& url, Variables variables, WallClock now);
  ~AccessSource();
  AccessSource(const AccessSource&) = delete;
  AccessSource& operator=(const AccessSource&) = delete;

  // The error is why the last search found nothing, or ErrorCode::timed_out.
  Result<S3AccessPtr> get(std::chrono::milliseconds patience);

  // The server says that the credentials of `used` have ended. Searches again; what was found if it differs, or null.
  S3AccessPtr renewed(const S3AccessPtr& used, std::chrono::milliseconds patience);

 private:
  void run();
  Result<S3AccessPtr> search() const;
  void want();
  bool is_valid(const S3AccessPtr& access) const;
  bool ends_soon(const S3AccessPtr& access) const;

  const config::RemoteUrl url_;
  const Variables variables_;
  const WallClock now_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  S3AccessPtr access_;
  std::optional<Error> problem_;  // of the last search, if it found nothing
  bool is_wanted_ = true;         // a search is to begin, or runs
  bool is_ending_ = false;
  std::chrono::steady_clock::time_point next_search_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace hipcache::remote

#endif
