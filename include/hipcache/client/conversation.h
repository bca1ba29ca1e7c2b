// Conducts one request, from CompileRequest to the daemon's last message, and runs the steps that
// the daemon asks for.
//
// Ends with a reply or an error. After an error no step runs and the request's temporary
// directory is gone, so the caller may become the real compiler. A daemon of another version is
// replaced, and a daemon that has just left is started again, each at most once.
#ifndef HIPCACHE_CLIENT_CONVERSATION_H
#define HIPCACHE_CLIENT_CONVERSATION_H

#include <optional>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/client/daemon_link.h"
#include "hipcache/client/timeouts.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::client {

// Where clients note that a daemon does not reply (client/connection/daemon_silence.h).
class DaemonSilence;

// Finish with the descriptors of its outputs, PassThrough, PlanReport, Explanation or Busy.
using Reply = protocol::Received;

// `begun`: a connection on which the request was sent already and nothing has been received.
Result<Reply> converse(const DaemonLink& link, const protocol::CompileRequest& request, Timeouts timeouts,
                       std::optional<protocol::Channel> begun = std::nullopt);

// The same over an existing connection; here VersionMismatch is a reply, too. The daemon makes
// the requests' directories below `temporary_root`; nothing else is ever removed.
Result<Reply> converse_over(protocol::Channel& channel, const protocol::CompileRequest& request,
                            const std::string& temporary_root, Timeouts timeouts, DaemonSilence* known = nullptr);

// The same for a request that was sent already.
Result<Reply> follow_over(protocol::Channel& channel, const protocol::CompileRequest& request,
                          const std::string& temporary_root, Timeouts timeouts, DaemonSilence* known = nullptr);

}  // namespace hipcache::client

#endif
