// The kinds of steps: all that the daemon knows of a kind stands in one table. A new kind is one more line of it.
//
// Rejected: a switch at each place that needs something of a kind, because a new kind then needs changes in many files.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_STEP_KINDS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_STEP_KINDS_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

struct StepKindTraits {
  hip::StepKind kind;
  const char* domain;        // of the step's key (cache::key_hasher)
  const char* label;         // the label, or its beginning if `subject` follows
  const char* label_ending;  // after the subject
  const char* counted;       // the name in a request's result and in statistics; null: counted by architecture
  bool is_tentative;         // if it fails, it makes nothing, and the steps that need it run without it
  bool is_compiler;          // its exit code 1 means an error in the source
  const char* doubted;       // what is logged if the daemon stops splitting such steps; null: they are never split
};

const StepKindTraits& traits_of(hip::StepKind kind);

// Whether the step puts code objects into one file and compiles nothing. It takes less time than a round trip to a
// shared cache, and what it makes is as large as all its inputs, so shared caches do not have its result. With other
// programs behind it, a bundler may run back ends.
bool only_bundles(const hip::Step& step);

// "device gfx906", "device gfx906 back end", "bundle", "host", "unbundle lib.a", ...
std::string label_of(const hip::Step& step);

// The names under which the step counts in a request's result (cache::ActionResult::steps): its own, and those of the
// back ends that run inside of it.
std::vector<std::string> counted_names(const hip::Step& step);

// Counts a step by such a name.
void count_step(std::string_view name, bool hit, stats::Counters& counters);

// What an opaque compile makes: its step's label, and the counter.
const char* label_of(compiler::Making making);
void count_opaque(const compiler::Invocation& invocation, bool hit, stats::Counters& counters);

}  // namespace hipcache::daemon

#endif
