// One request, from CompileRequest to the daemon's last word: runs the steps that the daemon asks for in between.
//
// Ends with an answer, or with an error after which nothing is left running and nothing is left of the request's
// temporary directory: the caller is free to become the real compiler. A daemon of another version is replaced, one
// that left just now is started anew, each once.
#ifndef HIPCACHE_CLIENT_CONVERSATION_H
#define HIPCACHE_CLIENT_CONVERSATION_H

#include <optional>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/client/daemon_link.h"
#include "hipcache/client/patience.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::client {

class DaemonSilence;  // where clients note that a daemon does not answer (client/daemon_silence.h)

// Finish with its outputs' descriptors, PassThrough, PlanReport, Explanation or Busy.
using Answer = protocol::Received;

// `begun`: a connection on which the request was sent already, and nothing was heard yet.
Result<Answer> converse(const DaemonLink& link, const protocol::CompileRequest& request, Patience patience,
                        std::optional<protocol::Channel> begun = std::nullopt);

// The same over a connection that is there already; VersionMismatch is an answer too. Below `temporary_root` lie the
// directories that the daemon makes for requests; nothing else is ever removed.
Result<Answer> converse_over(protocol::Channel& channel, const protocol::CompileRequest& request,
                             const std::string& temporary_root, Patience patience, DaemonSilence* known = nullptr);

// The same where the request was sent already.
Result<Answer> follow_over(protocol::Channel& channel, const protocol::CompileRequest& request,
                           const std::string& temporary_root, Patience patience, DaemonSilence* known = nullptr);

}  // namespace hipcache::client

#endif
