// What this daemon does not try again: proofs that failed, and the methods that rely on them (routes/proofs.h).
//
// A doubt lives as long as the daemon. A refutation is also stored, so it holds for all daemons.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_DOUBTS_H
#define HIPCACHE_SRC_DAEMON_STEPS_DOUBTS_H

#include <string>

#include "daemon/request/request_context.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

// Doubts are kept under the key of a proof, or of a step that relies on it.
bool is_doubted(const hip::Step& step, const RequestContext& context);
void doubt(const hip::Step& step, const std::string& why, const RequestContext& context);

// The proof was found false for a user's source. Doubts it, and replaces the stored proof by one that fails, for this
// compiler and all daemons.
void refute(const hip::Step& proof, const std::string& why, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
