// Why the steps of a request would run: what differs from the compiles of its output that are stored.
//
// The trails are read and the world is asked once, when the explainer is made: what a step that ran meanwhile recorded
// does not hide why it ran. A step is held against the nearest compile that had a step of its name, one with its key
// first. Used by one thread.
#ifndef HIPCACHE_DAEMON_EXPLAINER_H
#define HIPCACHE_DAEMON_EXPLAINER_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/comparison.h"
#include "daemon/request.h"
#include "daemon/services.h"
#include "hipcache/action/history.h"

namespace hipcache::daemon {

class Explainer {
 public:
  // Both are kept by reference and outlive it.
  Explainer(const Request& request, const Services& services);

  // How many stored compiles the request is held against.
  std::size_t compared() const { return candidates_.size(); }

  // What is asked otherwise, and what is observed otherwise, than in the nearest one.
  Differences asked() const;
  Differences observed() const;

  // Why a step that was not found has to run. `makers`: the steps that make its inputs. A step without a key (its
  // inputs are not made yet) may differ in nothing: then it depends on them alone.
  Differences why(const action::TrailStep& step, const std::vector<std::string>& makers) const;

  void log_why(const action::TrailStep& step, const std::vector<std::string>& makers) const;

 private:
  struct Candidate {
    action::Trail then;
    Differences asked;
    std::vector<ObservedDifference> observed;
    std::size_t distance() const { return asked.size() + observed.size(); }
    bool variable_differs() const;
  };

  Candidate candidate_of(action::Trail then) const;
  Differences differences_of(const action::TrailStep& step, const std::vector<std::string>& makers) const;
  Differences why_in_full(const action::TrailStep& step, const std::vector<std::string>& makers) const;
  Differences local(Differences differences) const;
  const Candidate* nearest_to(const action::TrailStep& step) const;
  Differences observed_by(const action::TrailStep& step, const Candidate& candidate) const;
  void add_own_name(const action::TrailStep& then, Differences& differences) const;

  const Request& request_;
  const Services& services_;
  const action::Asked now_;
  std::vector<Candidate> candidates_;  // nearest first
};

// For the log, or nothing if the log does not take it: a request pays for it with a look at the world per trail.
std::optional<Explainer> explainer_for_log(const Request& request, const Services& services);

// With what is too much to be told left out.
protocol::ExplainedStep explained(std::string name, protocol::Verdict verdict, Differences differences);

}  // namespace hipcache::daemon

#endif
