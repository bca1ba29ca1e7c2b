// Makes a wrapper header (plan.h, Preamble) with its proof: three or more runs of the compiler, one after another.
//
//   header ── proof, plainly ── proof, with the header ──┬── equal: stored
//                                     └── another order ─┴── none is equal: in vain
//
// The header is a result like any other: looked up, valid by what the compiler read, stored and shared. Its proof is a
// small source that is compiled both ways. The order of the header's declarations is the one with which both are equal
// (docs/internals/plan.md, "The order of functions"). If none is, this daemon makes no header of that key.
//
// Who makes it says what a job of it may cost: a job in its own slot (preamble_run.h), or a client in idle time
// (serve/headers.cpp). What came of it is told to Preambles, the statistics and the request's observer.
//
// Used by one thread.
#ifndef HIPCACHE_SRC_DAEMON_RUN_PREAMBLE_MAKING_H
#define HIPCACHE_SRC_DAEMON_RUN_PREAMBLE_MAKING_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "hipcache/compiler/ast_file.h"

namespace hipcache::daemon {

// By what the daemon knows a header in this build (shared/preambles.h). A header may be valid in one checkout and not
// in the next.
Digest place_of(const cache::ActionKey& header, const RequestContext& context);

// Whether a header is stored. Nothing if not, or if it was refuted.
std::optional<cache::Hit> stored_preamble(const cache::ActionKey& header, const RequestContext& context);

bool has_succeeded(const protocol::StepDone& report);
bool is_silent(const protocol::StepDone& report);

class PreambleMaking {
 public:
  // Both outlive this object. REQUIRES: Preambles said that the caller makes it.
  PreambleMaking(const hip::Preamble& preamble, const StepContext& context);
  ~PreambleMaking();  // if it did not end, the client has left
  PreambleMaking(const PreambleMaking&) = delete;
  PreambleMaking& operator=(const PreambleMaking&) = delete;

  enum class Then { next_part, made, in_vain };

  Status prepare();
  // What the client is to run next.
  const StepState& part() const { return *part_; }
  // Takes in the run of part().
  Then take_in(const protocol::StepDone& report);
  const std::string& why_vain() const { return why_vain_; }
  // The step that makes it. After `made` it has its result.
  const StepState& step() const { return step_; }

 private:
  Then take_header(const protocol::StepDone& report);
  Then take_plain(const protocol::StepDone& report);
  Then take_with(const protocol::StepDone& report);
  Then in_vain(std::string why);
  Then try_order();
  Then keep_header(std::uint64_t saves_us);
  void conclude(Then then);

  const hip::Preamble& preamble_;
  const StepContext& context_;
  const Services& services_;
  StepState step_, plain_, with_;
  const StepState* part_ = &step_;
  const Digest place_;
  const StepClock clock_;
  protocol::StepDone report_;  // of step_
  std::string bytes_;          // of the header, as the compiler made it
  std::vector<compiler::BitRange> places_;
  std::vector<std::vector<std::size_t>> orders_;  // to be tried
  std::size_t at_ = 0;
  std::string plain_bytes_;
  std::uint64_t plain_us_ = 0;
  std::uint64_t cost_us_ = 0;  // of all runs so far
  std::string why_vain_;
  bool has_ended_ = false;
};

}  // namespace hipcache::daemon

#endif
