// The questions of `hipcache --plan` and `hipcache --explain`: they compile nothing, and are not counted.
//
// --plan: the steps of a command, their keys, and which of them are stored. --explain: for each step, whether it is
// stored, how it differs from the nearest stored compile, and what keeps its result on this machine.
#ifndef HIPCACHE_SRC_DAEMON_SERVE_QUESTIONS_H
#define HIPCACHE_SRC_DAEMON_SERVE_QUESTIONS_H

#include "daemon/shared/services.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// Runs only the probe, and only if its result is not stored. The result is stored then. A bundle or host step whose
// inputs are not stored has no key yet.
void serve_question(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services);

// Replies to either question that the command passes through.
void report_not_cached(const compiler::Uncacheable& why, bool plan_only, protocol::Channel& channel,
                       const Services& services);

}  // namespace hipcache::daemon

#endif
