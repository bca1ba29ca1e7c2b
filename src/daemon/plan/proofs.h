// Proofs about a compiler, made with a small source of hipcache's own. One shows that the compiler writes the same host
// object around any fatbin (plan.h, DeferredFatbin). The other shows that it makes the same code object in two
// processes as in one (SplitCodegen).
//
// A proof is a step like any other: looked up by what the compiler is, and run by the client if it is not stored. Equal
// proofs of several clients run once. This daemon does not retry a proof that failed or could not be stored.
#ifndef HIPCACHE_SRC_DAEMON_PLAN_PROOFS_H
#define HIPCACHE_SRC_DAEMON_PLAN_PROOFS_H

#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/run/step_graph.h"
#include "daemon/run/step_scheduler.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

// The deferred fatbin: the host compiles in parallel with the devices, and the fatbin is put into its object afterwards
// (plan.h, DeferredFatbin). Decides whether that is allowed, and does it.
//
// If a proof fails or cannot be stored, the host is compiled last, as in the driver's order.
//
// A proof compiles a small source. The object of another source may still reject a fatbin, for example because of
// inline assembly. The host of that unit is then compiled once more, after the devices and within the same request.
// From then on this daemon compiles that unit's host last. Other units are not affected: the doubt is about the unit
// and not about the proof.

// The steps to run: with a deferred fatbin if that is proved, else in the driver's order. The client runs the proof if
// necessary. The result is part of the plan.
std::vector<hip::Step>& choose_steps(hip::Plan& plan, const RequestContext& context);

// Sets the plan's steps by what is stored: for reports, which run nothing.
void put_deferred_fatbin_if_proved(hip::Plan& plan, const RequestContext& context);

// Puts the fatbin into the object with a placeholder, without storing the result yet. An object without kernels and
// device variables is complete as it is. If the fatbin cannot be put in, the host step of the driver's order is looked
// up or run. Does nothing if a step failed. An error means that the request cannot continue.
Status fill_placeholders(StepGraph& graph, StepScheduler& scheduler, const hip::Plan& plan, const StepContext& context);

// Decides which device steps of a request run with split code generation (split_codegen_run.h).

// Sets `runs_as_one` for steps whose split is not expected to pay (shared/split_codegen_worth.h); their time is still
// measured. Removes `split_codegen` from steps that may not be split: their compiler has no proof, they are stored, or
// the cache is read-only or renewed. If a step that is to be split lacks a proof, the client runs the proof.
void choose_codegen_splits(std::vector<hip::Step>& steps, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
