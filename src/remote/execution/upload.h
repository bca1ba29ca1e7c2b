// Sends what an engine lacks of an action: files, directories, Command and Action.
//
// The engine is asked for all names in one round trip. What it lacks is read and sent in groups, so that memory holds
// kGroupBytes, or one file that is larger; only one execution of the process reads such a file at a time.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_UPLOAD_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_UPLOAD_H

#include <cstdint>
#include <optional>

#include "hipcache/protocol/remote_messages.h"
#include "remote/execution/action.h"
#include "remote/execution/cancellation.h"
#include "remote/execution/outcome.h"
#include "remote/reapi/action_cache.h"

namespace hipcache::remote {

inline constexpr std::uint64_t kGroupBytes = 8u << 20;

// Adds what went over the wire to `bytes_sent`. Nothing if the engine has all afterwards.
std::optional<NotDone> upload(Connection& connection, const Capabilities& engine, const protocol::RemoteExecute& asked,
                              const PreparedAction& action, const Cancellation& cancellation, const Limits& limits,
                              std::uint64_t& bytes_sent);

}  // namespace hipcache::remote

#endif
