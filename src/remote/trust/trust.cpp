#include "remote/trust/trust.h"

#include <chrono>
#include <utility>
#include <variant>

#include "hipcache/config/trusted_keys.h"
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

// A key that cannot be parsed is dropped: then too little is trusted, never too much.
Trust::Trust(const std::vector<std::string>& trusted_keys, const std::string& signing_key) {
  for (const std::string& text : trusted_keys)
    if (const Result<config::TrustedKey> parsed = config::parse_trusted_key(text)) trusted_.insert(parsed->key);
  const bool checks = !trusted_keys.empty() || !signing_key.empty();
  if (checks && trusted_.empty())
    why_not_read_ =
        "signing_key is set and trusted_keys is empty, so no result can be taken; list this machine's own "
        "key there, too: hipcache --public-key " +
        signing_key;
  if (checks && signing_key.empty())
    why_not_written_ = "trusted_keys is set and signing_key is not; results are not written without a signature";
  is_in_trouble_ = !why_not_read_.empty();
  if (signing_key.empty()) return;
  Result<SigningKey> key = SigningKey::read(signing_key);
  if (key) {
    signing_ = std::move(*key);
    return;
  }
  why_not_written_ = "signing_key: " + key.error().message;
  is_in_trouble_ = true;
}

Verdict Trust::judge(const Digest& key, const RemoteResult& result) const {
  if (trusted_.empty() && why_not_read_.empty()) return Verdict::trusted;
  if (!result.signature) return Verdict::not_signed;
  const bool is_known = trusted_.contains(result.signature->key);
  return is_known && has_valid_signature(key, result) ? Verdict::trusted : Verdict::untrusted;
}

Status Trust::sign(const Digest& key, RemoteResult& result) const {
  if (!signing_) return done();
  Result<Signature> signature = signing_->sign(key, result);
  if (!signature) return signature.error();
  result.signature = std::move(*signature);
  return done();
}

}  // namespace hipcache::remote
