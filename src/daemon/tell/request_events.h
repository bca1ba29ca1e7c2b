// Writes what became of one request into the event log (hipcache/events/event.h) and into the daemon's log.
//
// The problem: both logs say why steps ran, and explaining costs file system queries for each stored compile. The
// choice: without a log at level info, a miss is explained after the client has its answer, and before this compile
// becomes part of the miss history. The lines of a request are added together when this object is destroyed. A hit
// costs one line, written behind its answer. With a log, each step is explained before it runs, so that the log shows
// it while the step runs.
//
// One per request, used by its session's thread only. Destroy it before the Conclusion that it listens to, so that
// whoever asks after the client has ended finds the request in the log.
#ifndef HIPCACHE_SRC_DAEMON_TELL_REQUEST_EVENTS_H
#define HIPCACHE_SRC_DAEMON_TELL_REQUEST_EVENTS_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/request/step.h"
#include "daemon/shared/services.h"
#include "daemon/tell/explainer.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// The files that a command names, for commands that hipcache does not understand.

struct NamesTyped {
  std::string object;  // after -o
  std::string source;  // the first word that ends like a source; empty if there is none
};

// A guess for people: nothing is decided by it.
NamesTyped names_typed(const std::vector<std::string>& argv);

class RequestEvents : public RequestObserver {
 public:
  // The services outlive this object. The message names the request until it is understood.
  RequestEvents(const protocol::CompileRequest& message, const Services& services);
  ~RequestEvents() override;
  RequestEvents(const RequestEvents&) = delete;
  RequestEvents& operator=(const RequestEvents&) = delete;

  void understood(const Request& request);

  bool wants_reasons() const override { return is_logged_ || services_.event_log.is_on(); }
  void step_runs(const RequestContext& context, const cache::HistoryStep& step,
                 const std::vector<std::string>& makers) override;
  void step_ended(const StepState& step, const StepClock& clock, bool is_usable) override;
  void has_result(const cache::ActionResult& result, bool is_found) override;
  void left_alone() override { is_told_ = false; }
  void replied(const Replied& reply) override;

 private:
  // A step that ran, and what is needed to explain it.
  struct Ran {
    const Request* request;
    Digest history;
    cache::HistoryStep step;
    std::vector<std::string> makers;
    protocol::ExplainedStep told;
    bool is_explained = false;
  };

  // A step that was found or has run.
  struct Ended {
    cache::ActionKey key;  // as the miss history has it
    events::StepEvent event;
  };

  void explain(Ran& ran);
  const Explainer& explainer_of(const Ran& ran);
  void log_why(const Ran& ran) const;
  void log_reply(const Replied& reply) const;
  std::string name() const;
  std::string lines();

  const Services& services_;
  const bool is_logged_;  // in the daemon's log
  const StepClock clock_;
  events::RequestEvent event_;
  bool is_told_ = true;
  bool is_found_ = false;  // as a whole: what that saved is known
  std::vector<Ended> ended_;
  std::vector<Ran> ran_;
  std::vector<std::pair<const Request*, std::unique_ptr<const Explainer>>> explainers_;
};

}  // namespace hipcache::daemon

#endif
