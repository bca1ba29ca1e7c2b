#include "cli/control.h"

#include <utility>
#include <variant>

namespace hipcache::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kReply = 60s;  // to report or zero the counters
constexpr auto kWork = 5min;  // to clear or shrink a large store

std::chrono::seconds limit_of(protocol::ControlKind kind) {
  const bool is_work = kind == protocol::ControlKind::clear || kind == protocol::ControlKind::cleanup;
  return is_work ? kWork : kReply;
}

}  // namespace

Result<protocol::Message> Control::ask_this_daemon(protocol::ControlKind kind) const {
  Result<protocol::Channel> channel = link_.connect_or_start();
  if (!channel) return channel.error();
  if (Status sent = channel->send(protocol::ControlRequest{protocol::build_id(), kind}, timeouts_.send); !sent)
    return sent.error();
  const std::chrono::seconds limit = limit_of(kind);
  Result<protocol::Received> reply = channel->receive(limit);
  if (!reply && reply.error().code == ErrorCode::timed_out)
    return Error{
        "the daemon did not reply within " + std::to_string(limit.count()) + " s; hipcache --stop-server ends it",
        ErrorCode::timed_out};
  if (!reply) return reply.error();
  return std::move(reply->message);
}

// If the connection was closed without a reply, the daemon was just ending; a second attempt
// starts or finds another. All control requests may be sent twice without harm.
Result<protocol::Message> Control::ask_once(protocol::ControlKind kind) const {
  Result<protocol::Message> message = ask_this_daemon(kind);
  if (message || message.error().code != ErrorCode::closed) return message;
  return ask_this_daemon(kind);
}

Result<std::string> Control::ask(protocol::ControlKind kind) const {
  Result<protocol::Message> message = ask_once(kind);
  if (message && std::holds_alternative<protocol::VersionMismatch>(*message)) {
    if (const Result<bool> left = link_.ask_to_leave(); !left) return left.error();
    message = ask_once(kind);
  }
  if (!message && message.error().code == ErrorCode::closed)
    return Error{
        "the daemon ended before it replied; its log says why (HIPCACHE_LOG, else daemon.log below the cache "
        "directory)",
        ErrorCode::closed};
  if (!message) return message.error();
  if (const auto* busy = std::get_if<protocol::Busy>(&*message)) return Error{"the daemon is busy: " + busy->reason};
  auto* reply = std::get_if<protocol::ControlReply>(&*message);
  if (reply == nullptr) return Error{"the daemon sent something else than a reply; hipcache --stop-server ends it"};
  if (!reply->error.empty()) return Error{reply->error};
  return std::move(reply->text);
}

Result<std::string> Control::stop(std::chrono::milliseconds limit) const {
  const Result<bool> left = link_.stop(limit);
  if (!left) return left.error();
  return std::string(*left ? "hipcached stopped\n" : "No hipcached is running\n");
}

}  // namespace hipcache::cli
