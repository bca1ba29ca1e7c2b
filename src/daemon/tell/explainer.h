// Explains why the steps of a request would run: how the request differs from the stored compiles of its output.
//
// The constructor reads the miss history and asks the file system once, so that results recorded meanwhile do not hide
// why a step ran. A step is compared with the nearest compile that had a step of its name, preferably with the same
// key. If no compile of the output is stored here, the histories of shared caches count. If there is none either, a
// report compares with compiles of an equal source that made another one (explainer.h). Used by one thread.
#ifndef HIPCACHE_SRC_DAEMON_TELL_EXPLAINER_H
#define HIPCACHE_SRC_DAEMON_TELL_EXPLAINER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/tell/miss_difference.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::daemon {

// A request in the form of the miss history.

cache::HistoryRequest history_request(const Request& request);

// Keeps, for explaining a later miss, what was asked, these steps, and what all of them observed.
void record_history(const cache::Observed& observed, const std::vector<const StepState*>& steps,
                    const RequestContext& context);

// Which stored compiles a request is compared with. Each costs a query for every file that it read.
enum class Compared {
  all,     // for somebody who waits for the nearest
  newest,  // only the newest, if its command was the same: that is nearly always the nearest
};

class Explainer {
 public:
  // The request and the services of the context outlive this object; the context need not. If no compile of the same
  // output is stored, the request is compared with compiles of the same source.
  explicit Explainer(const RequestContext& context);
  // Compares with compiles of the same output alone. `history`: the key of the request's miss history.
  Explainer(const Request& request, const Digest& history, const Services& services, Compared compared = Compared::all);

  // How many stored compiles of its output the request is compared with.
  std::size_t compared() const { return is_of_other_output_ ? 0 : candidates_.size(); }
  // Whether there is nothing to compare with.
  bool knows_none() const { return candidates_.empty(); }

  // How the request and its observations differ from the nearest stored compile.
  Differences request_differences() const;
  Differences input_differences() const;

  // Why a step that was not found has to run. `makers`: the steps that make its inputs. A step whose inputs are not
  // made yet has no key. If it has no differences, it depends only on its inputs.
  Differences why(const cache::HistoryStep& step, const std::vector<std::string>& makers) const;

  // The questions of an earlier run of the step: of the nearest stored compile, if the step has the same key there.
  // Null if there is none, or if that run could not be stored.
  std::shared_ptr<const inputs::PathSet> earlier_set(const cache::HistoryStep& step) const;

  // The same for a step whose command is the request's own, with the request's differences if it is the command that
  // differs.
  Differences why_in_full(const cache::HistoryStep& step, const std::vector<std::string>& makers) const;

 private:
  struct Candidate {
    cache::HistoryEntry then;
    Differences asked;
    std::vector<ObservedDifference> observed;
    std::size_t distance() const { return asked.size() + observed.size(); }
    bool variable_differs() const;
  };

  void compare_with(std::vector<cache::HistoryEntry> entries, Compared compared);
  void keep_alike();
  Candidate candidate_of(cache::HistoryEntry then) const;
  Differences differences_of(const cache::HistoryStep& step, const std::vector<std::string>& makers) const;
  bool is_other_command(const cache::HistoryStep& step) const;
  void attribute_cuid(Differences& differences, const Candidate& candidate, bool has_key) const;
  Differences local(Differences differences) const;
  const Candidate* nearest_to(const cache::HistoryStep& step) const;
  std::shared_ptr<const inputs::PathSet> set_of(const cache::HistoryStep& then, const Candidate& candidate) const;
  Differences observed_by(const cache::HistoryStep& step, const Candidate& candidate) const;
  void add_own_name(const cache::HistoryStep& then, const Candidate& candidate, Differences& differences) const;

  const Request& request_;
  const Services& services_;
  const cache::HistoryRequest now_;
  std::vector<Candidate> candidates_;  // nearest first
  bool is_of_other_output_ = false;    // the candidates made another output than the request's
};

// Keeps the first differences and counts the rest.
protocol::ExplainedStep explained(std::string name, protocol::Verdict verdict, Differences differences);

}  // namespace hipcache::daemon

#endif
