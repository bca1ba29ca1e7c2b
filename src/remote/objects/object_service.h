// An object service: S3, Google Cloud Storage, Azure Blob.
//
// Problem: the services do the same things under other names: GET, HEAD and PUT of an object, a write on a condition,
// credentials that end, codes of errors. Choice: ObjectStore and ObjectClient do what is the same. A service says how a
// request looks and what an answer means, and finds credentials. Rejected: a store for each, which would be copies; the
// vendors' SDKs, which Debian 12 does not have.
//
// Thread-safe. Nothing here holds a secret in a message.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_OBJECT_SERVICE_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_OBJECT_SERVICE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "remote/http/http_client.h"
#include "remote/objects/world.h"

namespace hipcache::remote {

struct ObjectRequest {
  enum class Kind { get, has, put };

  Kind kind = Kind::get;
  std::string name;                   // below the URL's path
  const std::string* body = nullptr;  // of a put; outlives the request
  // Of a put: the tag that the object must still have. An empty tag: it must not exist.
  std::optional<std::string> only_if = {};
  std::uint64_t most = 0;  // bytes of an answer with status 200
  bool may_wait = false;   // for new credentials: in the background
};

// Where an object is, and credentials for it. Stays as it is.
class Access {
 public:
  explicit Access(std::optional<SystemTime> expires = std::nullopt) : expires_(expires) {}
  virtual ~Access() = default;
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

  // The end of the credentials, if their source says so.
  std::optional<SystemTime> expires() const { return expires_; }
  // The same text for the same credentials. Secret.
  virtual std::string identity() const = 0;
  // With method, URL and headers, signed.
  virtual HttpRequest signed_request(const ObjectRequest& request, SystemTime now) const = 0;

 private:
  const std::optional<SystemTime> expires_;
};
using AccessPtr = std::shared_ptr<const Access>;

// What an answer means that is no success.
enum class Meaning {
  absent,         // no such object
  came_second,    // a condition of a put does not hold, or another writer writes just now
  no_conditions,  // the server knows no conditions
  ended,          // the credentials have ended
  wrong_clock,    // our time is not the server's
  unproved,       // the signature is not taken: for one of the last two reasons, or the key is wrong
  failure,        // all else
};

class ObjectService {
 public:
  virtual ~ObjectService() = default;

  // Blocks for as long as servers take, at most a minute.
  virtual Result<AccessPtr> find_access() const = 0;
  // How the service's servers are spoken to.
  virtual HttpOptions http_options() const = 0;
  // Of an answer that is no success.
  virtual Meaning meaning_of(const ObjectRequest& request, const HttpResponse& response) const = 0;
  virtual Failure failure_of(const ObjectRequest& request, const HttpResponse& response) const = 0;
  // What only_if takes; empty if the server gave none.
  virtual std::string tag_of(const HttpResponse& response) const = 0;
};

}  // namespace hipcache::remote

#endif
