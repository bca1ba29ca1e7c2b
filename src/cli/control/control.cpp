#include "cli/control/control.h"

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

Result<protocol::Received> exchange(protocol::Channel& channel, protocol::ControlKind kind,
                                    std::chrono::milliseconds to_send, std::chrono::milliseconds to_reply) {
  if (Status sent = channel.send(protocol::ControlRequest{protocol::build_id(), kind}, to_send); !sent)
    return sent.error();
  Result<protocol::Received> reply = channel.receive(to_reply);
  if (reply || reply.error().code != ErrorCode::timed_out) return reply;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(to_reply).count();
  return Error{"the daemon did not reply within " + std::to_string(seconds) + " s; hipcache --stop-server ends it",
               ErrorCode::timed_out};
}

// The error that a user sees.
Error told(const Error& error) {
  if (error.code != ErrorCode::closed) return error;
  return Error{
      "the daemon ended before it replied; its log says why (HIPCACHE_LOG, else daemon.log below the cache directory)",
      ErrorCode::closed};
}

}  // namespace

Result<Control::Asked> Control::ask_this_daemon(protocol::ControlKind kind) const {
  Result<protocol::Channel> channel = link_.connect_or_start();
  if (!channel) return channel.error();
  const std::chrono::seconds limit = limit_of(kind);
  Result<protocol::Received> reply = exchange(*channel, kind, timeouts_.send, limit);
  if (reply) return Asked{std::move(*channel), std::move(reply->message)};
  if (reply.error().code == ErrorCode::closed) client::DaemonLink::await_end_after(*channel);
  return reply.error();
}

// If the connection was closed without a reply, the daemon was just ending; a second attempt
// starts or finds another. All control requests may be sent twice without harm.
Result<Control::Asked> Control::ask_once(protocol::ControlKind kind) const {
  Result<Asked> asked = ask_this_daemon(kind);
  if (asked || asked.error().code != ErrorCode::closed) return asked;
  return ask_this_daemon(kind);
}

Result<Control::Asked> Control::ask_our_version(protocol::ControlKind kind) const {
  Result<Asked> asked = ask_once(kind);
  if (asked && std::holds_alternative<protocol::VersionMismatch>(asked->reply)) {
    if (const Result<bool> left = link_.ask_to_leave(); !left) return left.error();
    asked = ask_once(kind);
  }
  if (!asked) return told(asked.error());
  if (const auto* busy = std::get_if<protocol::Busy>(&asked->reply))
    return Error{"the daemon is busy: " + busy->reason};
  const auto* reply = std::get_if<protocol::ControlReply>(&asked->reply);
  if (reply == nullptr) return Error{"the daemon sent something else than a reply; hipcache --stop-server ends it"};
  if (!reply->error.empty()) return Error{reply->error};
  return asked;
}

Result<std::string> Control::ask(protocol::ControlKind kind) const {
  Result<Asked> asked = ask_our_version(kind);
  if (!asked) return asked.error();
  return std::move(std::get<protocol::ControlReply>(asked->reply).text);
}

Result<std::string> Control::ask_running(protocol::ControlKind kind, std::chrono::milliseconds limit) const {
  Result<protocol::Channel> channel = link_.connect();
  if (!channel) return channel.error();
  Result<protocol::Received> received = exchange(*channel, kind, timeouts_.send, limit);
  if (!received) return received.error();
  if (auto* reply = std::get_if<protocol::ControlReply>(&received->message); reply != nullptr && reply->error.empty())
    return std::move(reply->text);
  if (const auto* busy = std::get_if<protocol::Busy>(&received->message))
    return Error{"the daemon is busy: " + busy->reason, ErrorCode::busy};
  return Error{"another version's daemon has taken over"};
}

Result<client::Reply> Control::converse(const protocol::CompileRequest& request) const {
  Result<client::Reply> reply = client::converse(link_, request, timeouts_);
  return reply ? std::move(reply) : told(reply.error());
}

Result<protocol::Channel> Control::begin(protocol::ControlKind kind) const {
  Result<Asked> asked = ask_our_version(kind);
  if (!asked) return asked.error();
  return std::move(asked->channel);
}

Result<std::string> Control::stop(std::chrono::milliseconds limit) const {
  const Result<bool> left = link_.stop(limit);
  if (!left) return left.error();
  return std::string(*left ? "hipcached stopped\n" : "No hipcached is running\n");
}

}  // namespace hipcache::cli
