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

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hipcache/config/remote_url.h"
#include "remote/layout/key_value.h"
#include "remote/transport/http_client.h"
#include "remote/transport/proxy.h"

namespace hipcache::remote {

// What finding credentials takes from the process; tests give their own.

using SystemTime = std::chrono::system_clock::time_point;

struct World {
  VariableOf variables = variables_of_process();
  std::function<SystemTime()> now = [] { return std::chrono::system_clock::now(); };
};

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

// Azure Blob Storage: GET, HEAD and PUT of a block blob. Conditions are If-Match with the entity tag that was read, and
// If-None-Match: * for a new blob.
//
// What an answer means its code says (the header x-ms-error-code, else the body), else its status. Codes: "Blob Storage
// error codes" and "Common REST API error codes". Only codes that are letters and digits get into a message.

std::unique_ptr<const ObjectService> make_azure_service(const config::RemoteUrl& url, World world);

// Google Cloud Storage, by its JSON interface: an object is one POST, and the generation of an object is its tag.
//
// Rejected: the XML interface, which has S3's form. fake-gcs-server, the reference for tests, does not take its writes.
// Who has HMAC keys can use it as s3://bucket?endpoint=https://storage.googleapis.com.
// Source: "Objects" of the Cloud Storage JSON API. Only reasons that are letters get into a message.

std::unique_ptr<const ObjectService> make_google_service(const config::RemoteUrl& url, World world);

// S3: GET, HEAD and PUT of an object, signed (s3_service.h). Conditions are If-Match with the entity tag that was read,
// and If-None-Match: * for a new object.
//
// What an answer means its code says (ErrorCode in the body), else its status. Codes: "Error responses" of the Amazon
// S3 API reference. Only codes that are letters and digits, and names of regions, get into a message.

std::unique_ptr<const ObjectService> make_s3_service(const config::RemoteUrl& url, VariableOf variables);

// The objects of a service as a plain store.
//
// Lists are changed with conditions: the tag that was read must still count, or there must be no list. A writer who
// comes second is told so, reads again and merges, so no path set is lost. Not every server that speaks a service's
// protocol knows conditions: one may refuse them, another ignore them. So the first list that is written is followed by
// a write of the same bytes which must fail. Where it does not, lists are changed as on a plain web server
// (layout/key_value.h). Rejected: an object for each path set, which needs a listing in each look-up.

std::unique_ptr<KeyValue> make_object_store(std::unique_ptr<const ObjectService> service,
                                            std::function<SystemTime()> now);

}  // namespace hipcache::remote

#endif
