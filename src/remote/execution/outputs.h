// Brings what a command made from the engine into the daemon's directory.
//
// Nothing is believed: each text and file has the SHA-256 and the size that the result says, is within its limit, and
// was asked for. Small outputs come in one call, others by ByteStream straight into their file.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_OUTPUTS_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_OUTPUTS_H

#include <cstdint>
#include <optional>

#include "hipcache/protocol/remote_messages.h"
#include "remote/execution/cancellation.h"
#include "remote/execution/outcome.h"
#include "remote/reapi/action_cache.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {

inline constexpr std::uint64_t kLargestOutput = 2ull << 30;  // all of an action together
inline constexpr std::uint64_t kLargestText = 2u << 20;      // standard output, standard error

// Fills texts, outputs and bytes_received of `into`. After a failure it has no outputs, and their files are gone.
std::optional<NotDone> fetch_outputs(Connection& connection, const Capabilities& engine,
                                     const protocol::RemoteExecute& asked, const wire::ActionResult& result,
                                     const Cancellation& cancellation, const Limits& limits,
                                     protocol::RemoteExecuted& into);

}  // namespace hipcache::remote

#endif
