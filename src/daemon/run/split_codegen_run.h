// Runs a device step, in one process or with split code generation (plan.h, SplitCodegen). A split run is the front
// end, and then the back end unless its result is stored. Together they make the step's result.
//
//   first split ── both, by one start of the compiler ──┬── fails, prints, leaves no trace ── as one
//   later ones ─── front ── back, unless it is stored ──┤
//   not to pay ─── as one                               └── their code object, the front end's messages
//
// shared/split_codegen_worth.h keeps what a run cost, and decides which runs are split. A proof has shown that the
// compiler makes the same output both ways (plan/proofs.h). Of a random sample of the back end's runs (HIPCACHE_AUDIT,
// else kAuditedBackEnds) the step also runs as one, and that result counts; if the outputs differ, the proof is
// refuted. A back end's result is stored under a key with the digest of the bitcode, so all requests share it. The
// front end's is not: the step's own lookup covers its inputs, and the bitcode would double the store. A step whose
// stored result is audited (audit/audit.h) runs as one.
//
// Used by one thread.
#ifndef HIPCACHE_SRC_DAEMON_RUN_SPLIT_CODEGEN_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_SPLIT_CODEGEN_RUN_H

#include <optional>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/shared/split_codegen_worth.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

class SplitCodegenRun : public StepRun {
 public:
  // Both arguments outlive this object. REQUIRES: the specification has `split_codegen`.
  SplitCodegenRun(StepState& whole, const StepContext& context);

  Status prepare() override;
  const StepState* next() const override { return next_; }
  Status take_in(const protocol::StepDone& report) override;

 private:
  Status take_whole(const protocol::StepDone& report);
  Status take_both(const protocol::StepDone& report);
  Status take_front(const protocol::StepDone& report);
  Status take_back(const protocol::StepDone& report);
  Status take_bitcode(const protocol::StepDone& report, const char* trace_ending, bool is_shared);
  Status join_or_audit();
  Status join();
  void audit();
  void note_cost() const;

  StepState& whole_;
  const StepContext& context_;
  const Services& services_;
  const hip::SplitCodegen& parts_;

  SplitCodegenCost noted_, cost_;  // as stored, and as of now
  protocol::StepDone front_report_;
  Digest bitcode_;  // that the front end made, if it ran
  StepState both_, front_;
  std::optional<StepState> back_;  // made when the front end's bitcode is known, which is part of its key
  bool audits_ = false;            // the split run is done, and the step runs as one for comparison
  const StepState* next_;
};

}  // namespace hipcache::daemon

#endif
