#include "remote/reapi/fake_server.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bytestream.grpc.pb.h"
#include "remote/reapi/blobs.h"
#include "remote_execution.grpc.pb.h"

namespace hipcache::remote {
namespace {

namespace stream = ::google::bytestream;

constexpr std::size_t kPiece = 64u << 10;

// Of ".../blobs/HASH/SIZE", "HASH".
std::string hash_in(const std::string& resource) {
  const auto end = resource.rfind('/');
  const auto begin = resource.rfind('/', end - 1) + 1;
  return resource.substr(begin, end - begin);
}

bool is_compressed(const std::string& resource) { return resource.find("compressed-blobs/zstd/") != std::string::npos; }

std::string compressed(const std::string& bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), 1));
  return frame;
}

std::string decompressed(const std::string& frame) {
  std::string bytes(ZSTD_getFrameContentSize(frame.data(), frame.size()), '\0');
  ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  return bytes;
}

}  // namespace

struct FakeServer::State final : wire::ActionCache::Service,
                                 wire::ContentAddressableStorage::Service,
                                 wire::Capabilities::Service,
                                 stream::ByteStream::Service {
  std::mutex mutex;  // guards all below
  Behaviour behaviour;
  std::map<std::string, wire::ActionResult> results;
  std::map<std::string, std::string> blobs;
  std::map<std::string, int> calls;
  std::set<std::string> peers;
  std::uint64_t largest = 0;
  int port = 0;
  std::unique_ptr<grpc::Server> server;

  // What each call begins with.
  grpc::Status enter(const char* method, grpc::ServerContext& context, std::uint64_t size) {
    std::unique_lock lock(mutex);
    ++calls[method];
    peers.insert(context.peer());
    largest = std::max(largest, size);
    const Behaviour now = behaviour;
    lock.unlock();
    while (now.stalls && !context.IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (now.refuses_with != 0) return {static_cast<grpc::StatusCode>(now.refuses_with), "secret"};
    if (now.wants_authorization.empty()) return grpc::Status::OK;
    const auto [begin, end] = context.client_metadata().equal_range("authorization");
    if (begin == end || std::string(begin->second.data(), begin->second.size()) != now.wants_authorization)
      return {grpc::StatusCode::UNAUTHENTICATED, "secret"};
    return grpc::Status::OK;
  }

  grpc::Status GetCapabilities(grpc::ServerContext* context, const wire::GetCapabilitiesRequest* request,
                               wire::ServerCapabilities* response) override {
    if (grpc::Status status = enter("GetCapabilities", *context, request->ByteSizeLong()); !status.ok()) return status;
    const std::lock_guard lock(mutex);
    if (!behaviour.has_capabilities) return {grpc::StatusCode::UNIMPLEMENTED, ""};
    wire::CacheCapabilities& said = *response->mutable_cache_capabilities();
    said.add_digest_functions(behaviour.has_sha256 ? wire::DigestFunction::SHA256 : wire::DigestFunction::UNKNOWN);
    said.mutable_action_cache_update_capabilities()->set_update_enabled(behaviour.takes_results);
    if (behaviour.executes) {
      response->mutable_execution_capabilities()->set_exec_enabled(true);
      response->mutable_execution_capabilities()->set_digest_function(wire::DigestFunction::SHA256);
      response->mutable_high_api_version()->set_major(2);
      response->mutable_high_api_version()->set_minor(3);
    }
    if (behaviour.has_zstd) said.add_supported_compressors(wire::Compressor::ZSTD);
    return grpc::Status::OK;  // "no limit" for batches, although gRPC takes no message above 4 MiB
  }

  grpc::Status GetActionResult(grpc::ServerContext* context, const wire::GetActionResultRequest* request,
                               wire::ActionResult* response) override {
    if (grpc::Status status = enter("GetActionResult", *context, request->ByteSizeLong()); !status.ok()) return status;
    const std::lock_guard lock(mutex);
    const auto found = results.find(request->action_digest().hash());
    if (found == results.end()) return {grpc::StatusCode::NOT_FOUND, ""};
    if (behaviour.checks_completeness)
      for (const wire::OutputFile& file : found->second.output_files())
        if (!blobs.contains(file.digest().hash())) return {grpc::StatusCode::NOT_FOUND, ""};
    *response = found->second;
    if (behaviour.truncates_values)
      for (auto& packed : *response->mutable_execution_metadata()->mutable_auxiliary_metadata())
        packed.mutable_value()->resize(packed.value().size() / 2);
    return grpc::Status::OK;
  }

  grpc::Status UpdateActionResult(grpc::ServerContext* context, const wire::UpdateActionResultRequest* request,
                                  wire::ActionResult* response) override {
    if (grpc::Status status = enter("UpdateActionResult", *context, request->ByteSizeLong()); !status.ok())
      return status;
    const std::lock_guard lock(mutex);
    if (behaviour.wants_actions) {
      const auto action = blobs.find(request->action_digest().hash());
      wire::Action parsed;
      if (action == blobs.end() || !parsed.ParseFromString(action->second) ||
          !blobs.contains(parsed.command_digest().hash()))
        return {grpc::StatusCode::FAILED_PRECONDITION, ""};
    }
    results[request->action_digest().hash()] = request->action_result();
    *response = request->action_result();
    return grpc::Status::OK;
  }

  grpc::Status FindMissingBlobs(grpc::ServerContext* context, const wire::FindMissingBlobsRequest* request,
                                wire::FindMissingBlobsResponse* response) override {
    if (grpc::Status status = enter("FindMissingBlobs", *context, request->ByteSizeLong()); !status.ok()) return status;
    const std::lock_guard lock(mutex);
    for (const wire::Digest& digest : request->blob_digests())
      if (!blobs.contains(digest.hash())) *response->add_missing_blob_digests() = digest;
    return grpc::Status::OK;
  }

  grpc::Status BatchUpdateBlobs(grpc::ServerContext* context, const wire::BatchUpdateBlobsRequest* request,
                                wire::BatchUpdateBlobsResponse* response) override {
    if (grpc::Status status = enter("BatchUpdateBlobs", *context, request->ByteSizeLong()); !status.ok()) return status;
    const std::lock_guard lock(mutex);
    for (const auto& one : request->requests()) {
      blobs[one.digest().hash()] = one.data();
      *response->add_responses()->mutable_digest() = one.digest();
    }
    return grpc::Status::OK;
  }

  grpc::Status BatchReadBlobs(grpc::ServerContext* context, const wire::BatchReadBlobsRequest* request,
                              wire::BatchReadBlobsResponse* response) override {
    if (grpc::Status status = enter("BatchReadBlobs", *context, request->ByteSizeLong()); !status.ok()) return status;
    const std::lock_guard lock(mutex);
    if (!behaviour.reads_batches) return {grpc::StatusCode::UNIMPLEMENTED, ""};
    for (const wire::Digest& digest : request->digests()) {
      auto& one = *response->add_responses();
      *one.mutable_digest() = digest;
      const auto found = blobs.find(digest.hash());
      one.mutable_status()->set_code(found == blobs.end() ? grpc::StatusCode::NOT_FOUND : grpc::StatusCode::OK);
      if (found == blobs.end()) continue;
      one.set_data(found->second);
      if (behaviour.flips_bits) one.mutable_data()->front() = static_cast<char>(one.data().front() ^ 1);
    }
    return grpc::Status::OK;
  }

  grpc::Status Read(grpc::ServerContext* context, const stream::ReadRequest* request,
                    grpc::ServerWriter<stream::ReadResponse>* writer) override {
    if (grpc::Status status = enter("Read", *context, request->ByteSizeLong()); !status.ok()) return status;
    std::unique_lock lock(mutex);
    const auto found = blobs.find(hash_in(request->resource_name()));
    if (found == blobs.end()) return {grpc::StatusCode::NOT_FOUND, ""};
    const Behaviour now = behaviour;
    std::string bytes = is_compressed(request->resource_name()) ? compressed(found->second) : found->second;
    lock.unlock();
    if (now.flips_bits) bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    if (now.cuts_blobs) bytes.resize(bytes.size() / 2);
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      stream::ReadResponse piece;
      piece.set_data(bytes.substr(at, kPiece));
      if (!writer->Write(piece)) break;
      while (now.stalls_within_blobs && !context->IsCancelled())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return grpc::Status::OK;
  }

  grpc::Status Write(grpc::ServerContext* context, grpc::ServerReader<stream::WriteRequest>* reader,
                     stream::WriteResponse* response) override {
    if (grpc::Status status = enter("Write", *context, 0); !status.ok()) return status;
    std::string resource;
    std::string bytes;
    for (stream::WriteRequest piece; reader->Read(&piece);) {
      if (!piece.resource_name().empty()) resource = piece.resource_name();
      bytes += piece.data();
    }
    if (is_compressed(resource)) bytes = decompressed(bytes);
    if (blob_name_of(bytes).hash != hash_in(resource)) return {grpc::StatusCode::INVALID_ARGUMENT, ""};
    response->set_committed_size(static_cast<std::int64_t>(bytes.size()));
    const std::lock_guard lock(mutex);
    blobs[hash_in(resource)] = std::move(bytes);
    return grpc::Status::OK;
  }
};

FakeServer::FakeServer(std::uint16_t port) : FakeServer({}, port) {}

FakeServer::FakeServer(const std::vector<grpc::Service*>& more, std::uint16_t port) : state_(new State) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:" + std::to_string(port), grpc::InsecureServerCredentials(), &state_->port);
  builder.RegisterService(static_cast<wire::ActionCache::Service*>(state_.get()));
  builder.RegisterService(static_cast<wire::ContentAddressableStorage::Service*>(state_.get()));
  builder.RegisterService(static_cast<wire::Capabilities::Service*>(state_.get()));
  builder.RegisterService(static_cast<stream::ByteStream::Service*>(state_.get()));
  for (grpc::Service* service : more) builder.RegisterService(service);
  state_->server = builder.BuildAndStart();
  if (!state_->server) throw std::runtime_error("cannot listen at port " + std::to_string(port));
}

FakeServer::~FakeServer() { state_->server->Shutdown(std::chrono::system_clock::now()); }

std::string FakeServer::url() const { return "grpc://127.0.0.1:" + std::to_string(state_->port); }

void FakeServer::set(const Behaviour& behaviour) {
  const std::lock_guard lock(state_->mutex);
  state_->behaviour = behaviour;
}

void FakeServer::forget_blobs() {
  const std::lock_guard lock(state_->mutex);
  state_->blobs.clear();
}

std::string FakeServer::blob(const std::string& hash) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->blobs.find(hash);
  return found == state_->blobs.end() ? "" : found->second;
}

wire::Digest FakeServer::add_blob(const std::string& bytes) {
  const BlobName name = blob_name_of(bytes);
  wire::Digest digest;
  digest.set_hash(name.hash);
  digest.set_size_bytes(static_cast<std::int64_t>(name.size));
  const std::lock_guard lock(state_->mutex);
  state_->blobs[name.hash] = bytes;
  return digest;
}

void FakeServer::forget_results() {
  const std::lock_guard lock(state_->mutex);
  state_->results.clear();
}

int FakeServer::calls(const std::string& method) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->calls.find(method);
  return found == state_->calls.end() ? 0 : found->second;
}

void FakeServer::count_anew() {
  const std::lock_guard lock(state_->mutex);
  state_->calls.clear();
}

int FakeServer::connections() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->peers.size());
}

std::uint64_t FakeServer::largest_message() const {
  const std::lock_guard lock(state_->mutex);
  return state_->largest;
}

}  // namespace hipcache::remote
