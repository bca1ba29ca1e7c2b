// What one request carries through the daemon.
//
// The problem: nearly every function on a request's way needs the request, the services, the lease of its blobs or the
// connection, and several need its keys. The choice: one object, made once by the entry of the route, and once more if
// a split compile becomes an opaque one, which is another request. Rejected: globals for the services, because tests
// run several daemons' worth of them in one process.
//
// Owns only the keys; everything else outlives it. Used by its session's thread only.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_CONTEXT_H
#define HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_CONTEXT_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "daemon/request/request_observer.h"
#include "daemon/request/services.h"
#include "hipcache/base/result.h"
#include "hipcache/base/text.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

class Audit;

struct RequestContext {
  protocol::Channel& channel;
  const Request& request;
  const Services& services;
  store::Lease& lease;        // keeps the blobs of every result that is found for this request
  RequestObserver* observer;  // null: nobody asks what becomes of the request
  Audit* audit;               // null: what is stored is used without an audit
  cache::ActionKey key;       // of the request (keys.h: request_key)
  Digest history;             // the key of its miss history (keys.h: output_key)

  // The result that is valid for this request now, or nothing.
  std::optional<cache::Hit> look_up(const cache::ActionKey& action, const cache::Suffices& suffices) const;

  // Later requests for the same compile, and reports on it, wait for this mark.
  PendingWrites::Mark mark_pending() const;

  // "a.o: what", for logs and statistics. Names the source if the command names no object.
  std::string of_object(const std::string& what) const;
};

RequestContext context_of(protocol::Channel& channel, const Request& request, const Services& services,
                          store::Lease& lease, RequestObserver* observer, Audit* audit = nullptr);

// A new directory for steps of the request.
Result<RequestDirectory> make_directory(const RequestContext& context);

// Names of intermediate files in messages. Each request has a directory of its own. Stored text uses one fixed name for
// it, and shown text uses the driver's temporary directory.

// The name for the request's directory in stored text.
inline constexpr const char* kStoredDirectory = kStoredTemporaryDirectory.data();

std::string as_stored(std::string text, const RequestDirectory& directory);
std::string as_shown(std::string text, const Request& request);

// The context of steps that run in one directory: the request's, and that directory. A request has several: for its
// probes, its proofs and its steps.
struct StepContext : RequestContext {
  const RequestDirectory& directory;
};

}  // namespace hipcache::daemon

#endif
