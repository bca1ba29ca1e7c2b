// What is asked, as a digest: the keys of requests and steps. What is read is in no key; path sets stand for that.
#ifndef HIPCACHE_DAEMON_KEYS_H
#define HIPCACHE_DAEMON_KEYS_H

#include <string>
#include <vector>

#include "daemon/request.h"
#include "hipcache/action/action_cache.h"
#include "hipcache/base/digest.h"
#include "hipcache/plan/plan.h"

namespace hipcache::daemon {

// The whole compile. The arch list counts as a sorted set: the driver sorts it too. The directory counts: relative
// outputs, and what the driver makes of it, are in the plan.
action::ActionKey request_key(const Request& request);

// The driver's -### for it: the arguments as they are given, in their order.
action::ActionKey probe_key(const Request& request, const std::vector<std::string>& arguments);

// One step: its commands, the digests of the earlier steps' outputs that it is given, and what it makes. Two steps of
// one key have results that stand for each other.
action::ActionKey step_key(const Request& request, const plan::Step& step, const std::vector<Digest>& inputs);

// What the back end is to make of a bitcode (plan.h, Halves).
action::ActionKey back_key(const Request& request, const plan::Halves& halves, const Digest& bitcode);

// Where the cost of a step's halves is kept.
Digest cost_key(const action::ActionKey& step);

// The arguments as a step's key has them: good in every checkout, and for every id of hipcache's own making. What of
// both shows in the step's outputs is asked by its path set.
std::vector<std::string> portable(const std::vector<std::string>& argv, const inputs::Surroundings& from);

// The same of a step's command: without the date that the driver took from SOURCE_DATE_EPOCH, and without the colours
// that hipcache asked it for. The path set asks for each of them where the step used it.
std::vector<std::string> portable_step(const std::vector<std::string>& argv, const inputs::Surroundings& from);

// The arguments of an opaque command as its key has them, before they are made portable.
const std::vector<std::string>& undivided_arguments(const command::Invocation& invocation);

// The name of the request's history: its object, which checkouts of one base directory share.
Digest output_key(const Request& request);

}  // namespace hipcache::daemon

#endif
