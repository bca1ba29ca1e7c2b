// Address and credentials of objects, as requests need them.
//
// Problem: finding credentials reads files, which may be on a network, and asks servers, which may take seconds.
// Temporary credentials end in the middle of a build. A look-up has some 300 ms.
// Choice: a thread of its own finds them, from the tier's first moment on, and again some minutes before they end. A
// look-up takes what is there. It waits, within its limit, only as long as nothing was found yet.
// Rejected: finding them in the look-up that needs them, which would pay for all others.
//
// Thread-safe. What it hands out stays valid as long as somebody holds it. The destructor waits for a search that runs,
// which the service bounds.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_ACCESS_SOURCE_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_ACCESS_SOURCE_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "hipcache/base/result.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

class AccessSource {
 public:
  static constexpr std::chrono::minutes kRenewBefore{5};   // their end
  static constexpr std::chrono::seconds kSearchPause{10};  // at least, after a search that found nothing new

  // `service` outlives it.
  AccessSource(const ObjectService& service, std::function<SystemTime()> now);
  ~AccessSource();
  AccessSource(const AccessSource&) = delete;
  AccessSource& operator=(const AccessSource&) = delete;

  // The error is why the last search found nothing, or ErrorCode::timed_out.
  Result<AccessPtr> get(std::chrono::milliseconds patience);

  // The server says that the credentials of `used` have ended. Searches again; what was found if it differs, or null.
  AccessPtr renewed(const AccessPtr& used, std::chrono::milliseconds patience);

 private:
  void run();
  void want();
  bool is_valid(const AccessPtr& access) const;
  bool ends_soon(const AccessPtr& access) const;

  const ObjectService& service_;
  const std::function<SystemTime()> now_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  AccessPtr access_;
  std::optional<Error> problem_;  // of the last search, if it found nothing
  bool is_wanted_ = true;         // a search is to begin, or runs
  bool is_ending_ = false;
  std::chrono::steady_clock::time_point next_search_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace hipcache::remote

#endif
