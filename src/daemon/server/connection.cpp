#include "daemon/server/connection.h"

#include <chrono>
#include <string>

#include "daemon/remote/archive_sessions.h"
#include "daemon/serve/compile_service.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

namespace {

using namespace std::chrono_literals;

constexpr auto kFirstMessage = 5s;
constexpr auto kReply = 10s;

void answer(protocol::Channel& channel, const protocol::Message& message, const Services& services) {
  if (Status sent = channel.send(message, kReply); !sent) services.log.info("reply not taken: " + sent.error().message);
}

bool is_of_our_build(const std::string& build, protocol::Channel& channel, const Services& services) {
  if (build == protocol::build_id()) return true;
  answer(channel, protocol::VersionMismatch{protocol::build_id()}, services);
  return false;
}

}  // namespace

void serve_connection(UniqueFd socket, const Services& services, ControlService& control) {
  protocol::Channel channel(std::move(socket));
  Result<protocol::Received> received = channel.receive(kFirstMessage);
  if (!received) {
    if (received.error().code == ErrorCode::closed) return;  // a client that only checked whether a daemon is there
    services.log.warning("bad request: " + received.error().message);
    services.counters.error();
    return;
  }
  if (const auto* compile = std::get_if<protocol::CompileRequest>(&received->message)) {
    if (is_of_our_build(compile->build, channel, services)) serve_compile(channel, *compile, services);
  } else if (const auto* command = std::get_if<protocol::ControlRequest>(&received->message)) {
    // Any version may ask for a stop: that is how a newer client replaces an older daemon.
    if (command->kind != protocol::ControlKind::stop && !is_of_our_build(command->build, channel, services)) return;
    answer(channel, control.serve(command->kind), services);
    const Exchange exchange{services.store, services.miss_history, services.own_settings, services.log};
    if (command->kind == protocol::ControlKind::export_results) serve_export(channel, exchange);
    if (command->kind == protocol::ControlKind::import_results) serve_import(channel, exchange);
  } else {
    services.log.warning("bad request: a message that begins no conversation");
    services.counters.error();
  }
}

}  // namespace hipcache::daemon
