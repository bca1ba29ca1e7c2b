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
#include <string_view>
#include <vector>

#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "daemon/shared/services.h"
#include "hipcache/base/result.h"
#include "hipcache/base/text.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

class Audit;
class StepClock;
struct RequestContext;
struct StepState;

// What the client was told.
struct Replied {
  stats::Outcome outcome = stats::Outcome::aborted;
  int exit_code = 0;
  const compiler::Uncacheable* why = nullptr;  // of a bypass, also if the client was gone before
};

// Is told what becomes of a request: which steps were found, which run and what the client was told. The log and the
// event log are written from this (daemon/tell).
//
// All calls come from the request's thread. They must not throw, and none may wait.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;

  // Whether step_runs() is of use. If not, callers do not make its arguments.
  virtual bool wants_reasons() const = 0;

  // The client is about to run a step because no stored result was valid. `makers`: the labels of the steps that made
  // the step's inputs. REQUIRES: the context's request outlives the answer.
  virtual void step_runs(const RequestContext& context, const cache::HistoryStep& step,
                         const std::vector<std::string>& makers) = 0;

  // The step was found or has run. `is_usable`: false if the daemon could make nothing of the run.
  virtual void step_ended(const StepState& step, const StepClock& clock, bool is_usable) = 0;

  // The result that the client gets: found as a whole, combined from steps, or made by an opaque run.
  virtual void has_result(const cache::ActionResult& result, bool is_found) = 0;

  // The request was none for a cache: nothing is to be told of it.
  virtual void left_alone() = 0;

  // The client has its answer, or was gone before. Nothing of the request is recorded in the miss history yet.
  virtual void replied(const Replied& reply) = 0;
};

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
std::string as_shown(std::string_view text, const Request& request);

// The context of steps that run in one directory: the request's, and that directory. A request has several: for its
// probes, its proofs and its steps.
struct StepContext : RequestContext {
  const RequestDirectory& directory;
};

}  // namespace hipcache::daemon

#endif
