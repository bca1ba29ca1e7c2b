#include "remote/reapi/capabilities.h"

#include <algorithm>

namespace hipcache::remote {
namespace {

Capabilities read(const wire::CacheCapabilities& said) {
  Capabilities found;
  const auto& functions = said.digest_functions();
  found.has_sha256 = functions.empty() ||
                     std::find(functions.begin(), functions.end(), wire::DigestFunction::SHA256) != functions.end();
  if (said.has_action_cache_update_capabilities())
    found.takes_results = said.action_cache_update_capabilities().update_enabled();
  const auto& compressors = said.supported_compressors();
  found.has_zstd = std::find(compressors.begin(), compressors.end(), wire::Compressor::ZSTD) != compressors.end();
  if (said.max_batch_total_size_bytes() > 0)
    found.batch_bytes =
        std::min(Capabilities::kBatchBytes, static_cast<std::uint64_t>(said.max_batch_total_size_bytes()));
  if (said.max_cas_blob_size_bytes() > 0)
    found.largest_blob = static_cast<std::uint64_t>(said.max_cas_blob_size_bytes());
  return found;
}

}  // namespace

std::unique_ptr<CapabilitiesCall> ServerKnowledge::question() {
  const std::lock_guard lock(mutex_);
  if (known_) return nullptr;
  auto call = std::make_unique<CapabilitiesCall>(kGetCapabilities);
  call->request.set_instance_name(connection_.instance());
  return call;
}

// A server without this service has the least that the API demands.
void ServerKnowledge::take(const CapabilitiesCall& answered) {
  const std::lock_guard lock(mutex_);
  if (answered.ok())
    known_ = read(answered.response.cache_capabilities());
  else if (answered.ended_with(RpcCode::unimplemented))
    known_ = Capabilities();
}

std::variant<Capabilities, Failure> ServerKnowledge::get(const Limits& limits) {
  if (const std::unique_ptr<CapabilitiesCall> call = question()) {
    run(*call, connection_, limits);
    take(*call);
    if (!call->ok() && !call->ended_with(RpcCode::unimplemented)) return call->failure(Direction::read);
  }
  const std::lock_guard lock(mutex_);
  const Capabilities found = known_.value_or(Capabilities());
  if (!found.has_sha256) return Failure{Trouble::refused, "the server does not know blobs by their SHA-256", {}};
  return found;
}

void ServerKnowledge::forget() {
  const std::lock_guard lock(mutex_);
  known_.reset();
}

}  // namespace hipcache::remote
