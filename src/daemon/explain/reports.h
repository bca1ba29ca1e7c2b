// `hipcache --explain`: for each step, whether it is stored, how it differs from the nearest stored compile, and what
// keeps its result on this machine.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_REPORTS_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_REPORTS_H

#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/step/step.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

// `hipcache --plan`: the steps of a command, their keys, and which of them are stored.

// Runs only the probe, and only if its result is not stored. A bundle or host step whose inputs are not stored has no
// key yet.
void report_plan(const RequestContext& context);

// Looks up the steps of a plan without running any: for --plan and --explain.

struct StepPreview {
  StepState state;
  std::vector<std::string> makers;  // labels of the steps that make its inputs, in their order
  bool has_key = false;             // false if an input is not stored, because its digest is unknown
  bool stored = false;
};

// In the plan's order. REQUIRES: the plan outlives what is returned.
std::vector<StepPreview> preview_steps(const hip::Plan& plan, const RequestContext& context);

// Runs only the probe, and only if its result is not stored. The result is stored then.
void report_explanation(const RequestContext& context);

// Replies to either question that the command passes through.
void report_not_cached(const compiler::Uncacheable& why, bool plan_only, protocol::Channel& channel,
                       const Services& services);

}  // namespace hipcache::daemon

#endif
