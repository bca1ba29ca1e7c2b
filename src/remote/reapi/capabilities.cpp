#include "remote/reapi/capabilities.h"

#include <algorithm>

namespace hipcache::remote {

namespace {

constexpr const char* kMethod = "/build.bazel.remote.execution.v2.Capabilities/GetCapabilities";

// Servers of before version 2.0's end name none.
bool names_sha256(const auto& functions) {
  return functions.empty() ||
         std::find(functions.begin(), functions.end(), wire::DigestFunction::SHA256) != functions.end();
}

bool executes(const wire::ExecutionCapabilities& said) {
  const auto function = said.digest_function();
  return said.exec_enabled() && names_sha256(said.digest_functions()) &&
         (!said.digest_functions().empty() || function == wire::DigestFunction::SHA256 ||
          function == wire::DigestFunction::UNKNOWN);
}

Capabilities read(const wire::ServerCapabilities& all) {
  const wire::CacheCapabilities& said = all.cache_capabilities();
  Capabilities found;
  found.executes = executes(all.execution_capabilities());
  if (all.has_high_api_version())
    found.version =
        std::to_string(all.high_api_version().major()) + "." + std::to_string(all.high_api_version().minor());
  found.has_sha256 = names_sha256(said.digest_functions());
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
  auto call = std::make_unique<CapabilitiesCall>(kMethod);
  call->request.set_instance_name(connection_.instance());
  return call;
}

// A server without this service has the least that the API demands.
void ServerKnowledge::take(const CapabilitiesCall& answered) {
  const std::lock_guard lock(mutex_);
  if (answered.ok())
    known_ = read(answered.response);
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
  Capabilities found = known_.value_or(Capabilities());
  if (!found.has_sha256) return Failure{Trouble::refused, "the server does not know blobs by their SHA-256", {}};
  return found;
}

void ServerKnowledge::forget() {
  const std::lock_guard lock(mutex_);
  known_.reset();
}

}  // namespace hipcache::remote
