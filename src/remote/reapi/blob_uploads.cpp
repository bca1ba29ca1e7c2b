#include "remote/reapi/blob_uploads.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "remote/reapi/blob_stream.h"

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

namespace {

constexpr std::uint64_t kStreamFrom = 64u << 10;  // compressed on the way, which pays
constexpr std::uint64_t kFraming = 256;           // of a batch's entry
constexpr std::size_t kMostNames = 4'000;         // in a message

WriteAnswer send_batch(Connection& connection, std::span<const Upload* const> uploads, const Limits& limits) {
  BatchUpdateCall call(kBatchUpdateBlobs);
  call.request.set_instance_name(connection.instance());
  std::uint64_t bytes = 0;
  for (const Upload* upload : uploads) {
    auto& request = *call.request.add_requests();
    set(*request.mutable_digest(), upload->name);
    request.set_data(*upload->bytes);
    bytes += upload->bytes->size();
  }
  run(call, connection, limits);
  if (!call.ok()) return call.failure(Direction::write);
  for (const auto& response : call.response.responses())
    if (response.status().code() != 0)
      return failure_of(static_cast<RpcCode>(response.status().code()), Direction::write);
  if (static_cast<std::size_t>(call.response.responses_size()) < uploads.size())
    return Failure{Trouble::unreachable, "the server did not answer for each blob of a batch", {}};
  return {Written{}, bytes};
}

}  // namespace

std::unique_ptr<FindMissingCall> find_missing(const Connection& connection, std::span<const Upload> uploads) {
  auto call = std::make_unique<FindMissingCall>(kFindMissingBlobs);
  call->request.set_instance_name(connection.instance());
  for (const Upload& upload : uploads) set(*call->request.add_blob_digests(), upload.name);
  return call;
}

WriteAnswer send_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                       const Limits& limits) {
  std::vector<const Upload*> batch;
  std::uint64_t batched = 0;
  WriteAnswer all;
  const auto add = [&all](const WriteAnswer& sent) {
    if (sent.value) all = WriteAnswer(Written{}, all.bytes + sent.bytes);
    return sent.failure;
  };
  for (const Upload& upload : uploads) {
    const std::uint64_t size = upload.bytes->size();
    if (!is_valid(upload.name)) return Failure{Trouble::full, "no memory", {}};
    if (size > server.largest_blob) return Failure{Trouble::full, "the blob exceeds the server's limit", {}};
    if (size >= kStreamFrom || size + kFraming > server.batch_bytes) {
      if (auto failure = add(write_blob(connection, upload.name, *upload.bytes, server.has_zstd, limits)))
        return *failure;
      continue;
    }
    if (batched + size + kFraming > server.batch_bytes || batch.size() == kMostNames) {
      if (auto failure = add(send_batch(connection, batch, limits))) return *failure;
      batch.clear();
      batched = 0;
    }
    batch.push_back(&upload);
    batched += size + kFraming;
  }
  if (batch.empty()) return all;
  if (auto failure = add(send_batch(connection, batch, limits))) return *failure;
  return all;
}

WriteAnswer put_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                      const Limits& limits) {
  const auto missing = find_missing(connection, uploads);
  run(*missing, connection, limits);
  if (!missing->ok()) return missing->failure(Direction::write);
  std::vector<Upload> wanted;
  for (const auto& digest : missing->response.missing_blob_digests()) {
    const auto named = [&](const Upload& upload) { return upload.name.hash == digest.hash(); };
    const auto upload = std::find_if(uploads.begin(), uploads.end(), named);
    if (upload != uploads.end()) wanted.push_back(*upload);
  }
  return send_blobs(connection, server, wanted, limits);
}

}  // namespace hipcache::remote
