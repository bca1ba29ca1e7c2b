#include "remote/archive/received_trust.h"

#include <chrono>
#include <variant>

#include "hipcache/protocol/remote_messages.h"

namespace hipcache::remote {
namespace {

constexpr std::chrono::minutes kDaemonLimit{1};

}  // namespace

Result<Trust> receive_trust(protocol::Channel& channel) {
  const Result<protocol::RemoteMessage> received = protocol::receive_remote(channel, kDaemonLimit);
  if (!received) return Error{"the daemon does not answer: " + received.error().message, received.error().code};
  const auto* settings = std::get_if<protocol::RemoteConfigure>(&*received);
  if (settings == nullptr)
    return Error{"the daemon sent something else than its settings; hipcache --stop-server ends it"};
  return Trust(settings->trusted_keys, settings->signing_key);
}

}  // namespace hipcache::remote
