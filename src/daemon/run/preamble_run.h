// Runs a step whose front end may use a wrapper header that was made before (plan.h, Preamble). Stands in front of the
// step's own run, plain or split, which does not know of it: only the words that the client runs are others, and the
// depfile that the compiler wrote is made the plain one.
//
//   no header known ── its turn (shared/preambles.h) ──┬── at once: make it (preamble_making.h), then as below
//                                                      └── in idle time: plain, and the client makes it afterwards
//   header stored ── with it ──┬── succeeds, prints nothing that may differ ── the step's result
//                              ├── drawn for an audit ── plain as well: that result counts, and must be equal
//                              └── else ── plain, and the unit is remembered if it printed
//
// The result stands on what the header stands on: the path set has all questions about its files, as that of a plain
// compile, and the state is that of the header before and after the run. If an audit finds a difference, the header is
// refuted (shared/preambles.h).
//
// Used by one thread.
#ifndef HIPCACHE_SRC_DAEMON_RUN_PREAMBLE_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_PREAMBLE_RUN_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/request/step.h"
#include "daemon/run/preamble_making.h"
#include "daemon/shared/preambles.h"
#include "hipcache/cache/action_cache.h"

namespace hipcache::daemon {

// Why the step, if it ran now, would read the text itself; "" if it may use a header, or has no use for one. For
// explanations.
std::string why_no_preamble(const StepSpec& spec, const RequestContext& context);

// Whether the step may use a header, by its plan and by the request. If not, counts why.
bool may_use_preamble(const StepState& state, const StepContext& context);

class PreambleRun : public StepRun {
 public:
  // The first two arguments outlive this object. `job`: how the step runs by itself. REQUIRES: may_use_preamble().
  PreambleRun(StepState& state, const StepContext& context, std::unique_ptr<StepRun> job);

  Status prepare() override;
  const StepState* next() const override { return making_ ? &making_->part() : job_->next(); }
  void adapt(protocol::RunStep& message) override;
  Status take_in(const protocol::StepDone& report) override;

 private:
  // A part of the step that ran with the header and runs plainly again, for comparison.
  struct Audited {
    std::uint64_t started_ns = 0;
    std::string messages;
    std::vector<std::pair<std::string, Digest>> files = {};
    std::shared_ptr<const UsedPreamble> with = {};
  };

  void choose();
  bool find_stored();
  bool use(const cache::ActionResult& made, inputs::Witnessed witnessed, bool is_in_directory);
  void leave(const std::string& why);
  Status take_making(const protocol::StepDone& report);
  Status take_plain(protocol::StepDone report);
  Status take_with(const protocol::StepDone& report);
  std::string why_again(const protocol::StepDone& report) const;
  bool put_plain_depfile() const;
  std::optional<Audited> outputs_now(const protocol::StepDone& report) const;
  void compare(const protocol::StepDone& report);
  void compare_with_itself(const protocol::StepDone& report);
  void settle();

  StepState& state_;
  const StepContext& context_;
  const Services& services_;
  const hip::Preamble& preamble_;
  const std::unique_ptr<StepRun> job_;
  const cache::ActionKey key_;  // of the header
  const Digest place_;          // of the header in shared/preambles.h
  const Preambles::Names names_;
  std::optional<PreambleMaking> making_;
  std::string of_header_;  // the header's depfile
  std::uint64_t saves_us_ = 0;
  bool reads_text_ = false;      // what the client runs is a front end
  bool is_with_header_ = false;  // and runs with the header
  bool has_odd_depfile_ = false;
  bool has_failed_with_header_ = false;
  std::optional<Audited> audited_;
  std::optional<Audited> plainly_;  // what a plain run made that differs; the step runs plainly once more
  std::string difference_;          // that an audit found; to be judged when the step has ended
  std::shared_ptr<const UsedPreamble> refutable_;
};

}  // namespace hipcache::daemon

#endif
