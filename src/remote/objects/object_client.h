// Sends signed requests to an object service. Thread-safe.
//
// A clock that is wrong is refused by services that sign the time: then the server's clock counts, and the request is
// sent once more. If the server says that credentials have ended, they are searched for again; a write waits for that
// and is sent once more, a look-up is a miss.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_OBJECT_CLIENT_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_OBJECT_CLIENT_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <variant>

#include "remote/objects/access_source.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

class ObjectClient {
 public:
  ObjectClient(std::unique_ptr<const ObjectService> service, std::function<SystemTime()> now);

  const ObjectService& service() const { return *service_; }

  // Any status. A failure has no secret, and nothing that the server wrote.
  std::variant<HttpResponse, Failure> send(const ObjectRequest& request, const Limits& limits);

 private:
  std::variant<HttpResponse, Failure> send_once(const ObjectRequest& request, const Access& access,
                                                const Limits& limits);
  SystemTime server_time() const { return now_() + std::chrono::seconds(clock_offset_); }
  // Further than services allow.
  bool is_far(SystemTime time) const { return std::chrono::abs(time - server_time()) > std::chrono::minutes(10); }

  const std::unique_ptr<const ObjectService> service_;
  const std::function<SystemTime()> now_;
  HttpClient client_;
  AccessSource source_;
  std::atomic<std::int64_t> clock_offset_ = 0;  // seconds that the server's clock is ahead of ours
};

}  // namespace hipcache::remote

#endif
