// Runs a step whose front end may use a wrapper header that was made before (plan.h, Preamble). Stands in front of the
// step's own run, plain or split, which does not know of it: only the words that the client runs are others, and the
// depfile that the compiler wrote is made the plain one.
//
//   no header known ── the third job of its key ── make, proof, proof with it ── as below
//        └── plain
//   header stored ── with it ──┬── succeeds, prints nothing that may differ ── the step's result
//                              ├── drawn for an audit ── plain as well: that result counts, and must be equal
//                              └── else ── plain, and the unit is remembered if it printed
//
// Making is part of the third job's run, in its job slot, and all other jobs compile plainly meanwhile. The header is a
// result like any other: looked up by the options that bear on it, valid by what the compiler read, stored and shared.
// A small source is compiled plainly and with the header, without optimisation. The order of the header's declarations
// is the one with which both are equal (hipcache/compiler/ast_file.h). If none is, this daemon makes no header of that
// key.
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

#include "daemon/run/step_run.h"
#include "daemon/shared/preambles.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/compiler/ast_file.h"

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
  ~PreambleRun() override;

  Status prepare() override;
  const StepState* next() const override { return making_ ? &making_->part() : job_->next(); }
  void adapt(protocol::RunStep& message) override;
  Status take_in(const protocol::StepDone& report) override;

 private:
  // The header while it is made: the step that makes it, and its proof.
  class Making {
   public:
    Making(const hip::Preamble& preamble, const StepContext& context);

    enum class Then { next_part, made, in_vain };

    Status prepare();
    const StepState& part() const { return *part_; }
    // Takes in the run of part().
    Then take_in(const protocol::StepDone& report);
    const std::string& why_vain() const { return why_vain_; }
    StepState& step() { return step_; }
    const StepClock& clock() const { return clock_; }
    const std::vector<std::size_t>& order() const { return orders_[at_]; }

   private:
    Then take_header(const protocol::StepDone& report);
    Then take_plain(const protocol::StepDone& report);
    Then take_with(const protocol::StepDone& report);
    Then in_vain(std::string why);
    Then try_order();
    Then keep_header(std::uint64_t saves_us);

    const hip::Preamble& preamble_;
    const StepContext& context_;
    StepState step_, plain_, with_;
    const StepState* part_ = &step_;
    const StepClock clock_;
    protocol::StepDone report_;  // of step_
    std::string bytes_;          // of the header, as the compiler made it
    std::vector<compiler::BitRange> places_;
    std::vector<std::vector<std::size_t>> orders_;  // to be tried
    std::size_t at_ = 0;
    std::string plain_bytes_;
    std::uint64_t plain_us_ = 0;
    std::string why_vain_;
  };

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
  void settle();

  StepState& state_;
  const StepContext& context_;
  const Services& services_;
  const hip::Preamble& preamble_;
  const std::unique_ptr<StepRun> job_;
  const Preambles::Names names_;
  const cache::ActionKey key_;
  const Digest place_;  // of the header in shared/preambles.h
  std::optional<Making> making_;
  std::string of_header_;  // the header's depfile
  std::uint64_t saves_us_ = 0;
  bool reads_text_ = false;      // what the client runs is a front end
  bool is_with_header_ = false;  // and runs with the header
  bool has_odd_depfile_ = false;
  std::optional<Audited> audited_;
  std::string difference_;  // that an audit found; to be judged when the step has ended
  std::shared_ptr<const UsedPreamble> refutable_;
};

}  // namespace hipcache::daemon

#endif
