// Sends control requests to the daemon. Starts it if needed, and replaces one of another version.
#ifndef HIPCACHE_SRC_CLI_CONTROL_CONTROL_H
#define HIPCACHE_SRC_CLI_CONTROL_CONTROL_H

#include <chrono>
#include <string>

#include "hipcache/base/result.h"
#include "hipcache/client/conversation.h"
#include "hipcache/client/daemon_link.h"
#include "hipcache/client/timeouts.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::cli {

class Control {
 public:
  Control(const config::Settings& settings, client::Timeouts timeouts)
      : link_(settings, timeouts), timeouts_(timeouts) {}

  // The text of the daemon's reply.
  Result<std::string> ask(protocol::ControlKind kind) const;

  // The same of a daemon that runs, without starting one. ErrorCode::closed or gone: there is none, or it just ended.
  Result<std::string> ask_running(protocol::ControlKind kind, std::chrono::milliseconds limit) const;

  // Where the daemon keeps its log and its event log.
  const std::string& daemon_directory() const { return link_.daemon_directory(); }

  // The connection after the daemon's reply, on which it goes on.
  Result<protocol::Channel> begin(protocol::ControlKind kind) const;

  // Stops the daemon and says so. It is no error if there is none, but an error if it still runs
  // after `limit`.
  Result<std::string> stop(std::chrono::milliseconds limit) const;

  // The daemon's last message for a request that asks about a compile.
  Result<client::Reply> converse(const protocol::CompileRequest& request) const;

 private:
  struct Asked {
    protocol::Channel channel;
    protocol::Message reply;
  };

  Result<Asked> ask_once(protocol::ControlKind kind) const;
  Result<Asked> ask_this_daemon(protocol::ControlKind kind) const;
  // A ControlReply without an error.
  Result<Asked> ask_our_version(protocol::ControlKind kind) const;

  client::DaemonLink link_;
  client::Timeouts timeouts_;
};

}  // namespace hipcache::cli

#endif
