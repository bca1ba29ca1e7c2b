#include "remote/reapi/action_cache.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/reapi/blob_stream.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {

namespace {

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
  auto call = std::make_unique<CapabilitiesCall>(kGetCapabilities);
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

namespace {

constexpr std::uint64_t kStreamFrom = 64u << 10;  // compressed on the way, which pays
constexpr std::uint64_t kFraming = 256;           // of a batch's entry

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

namespace {

constexpr const char* kVersion = "1";  // of the layout; the values have versions of their own

const char* word_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::list:
      return "list";
    case ActionKind::result:
      return "result";
    case ActionKind::blob:
      return "blob";
  }
  return "";
}

}  // namespace

// Without map fields, protobuf writes equal messages as equal bytes: fields in the order of their numbers.
ActionKey make_action_key(const std::string& prefix, ActionKind kind, const Digest& key, unsigned slot) {
  wire::Command command;
  command.add_arguments("hipcache");
  command.add_arguments(kVersion);
  command.add_arguments(prefix);
  command.add_arguments(word_of(kind));
  command.add_arguments(key.hex());
  command.add_arguments(std::to_string(slot));
  ActionKey made;
  made.command = command.SerializeAsString();
  wire::Action action;
  set(*action.mutable_command_digest(), blob_name_of(made.command));
  set(*action.mutable_input_root_digest(), blob_name_of(""));  // an empty directory
  made.action = action.SerializeAsString();
  made.name = blob_name_of(made.action);
  return made;
}

unsigned slot_of(const Digest& path_set) { return static_cast<unsigned char>(path_set.bytes().back()) % kSlots; }

namespace {

constexpr const char* kType = "type.googleapis.com/hipcache.Value";
constexpr const char* kValueFile = "value";
constexpr std::string_view kBlobFile = "blob/";
constexpr int kMostFiles = 4'096;

std::optional<BlobName> name_in(const wire::OutputFile& file) {
  if (file.digest().size_bytes() < 0) return std::nullopt;
  BlobName name{.hash = file.digest().hash(), .size = static_cast<std::uint64_t>(file.digest().size_bytes())};
  return is_valid(name) ? std::optional(std::move(name)) : std::nullopt;
}

void add_file(wire::ActionResult& result, const std::string& path, const BlobName& name) {
  wire::OutputFile& file = *result.add_output_files();
  file.set_path(path);
  set(*file.mutable_digest(), name);
}

Failure damaged(const std::string& what) { return {Trouble::damaged, what, {}}; }

// Whether a server that refused a result may take it once it has the Action.
bool may_want_action(const Call& call) {
  return call.ended_with(RpcCode::failed_precondition) || call.ended_with(RpcCode::invalid_argument) ||
         call.ended_with(RpcCode::not_found);
}

}  // namespace

std::unique_ptr<GetActionCall> ActionCache::question(const ActionKey& key) const {
  auto call = std::make_unique<GetActionCall>(kGetActionResult);
  call->request.set_instance_name(connection_.instance());
  set(*call->request.mutable_action_digest(), key.name);
  call->request.add_inline_output_files(kValueFile);
  return call;
}

Answer<ActionValue> ActionCache::take(const GetActionCall& answered, std::uint64_t most, const Limits& limits) {
  if (answered.is_miss()) return {};
  if (!answered.ok()) return answered.failure(Direction::read);
  const wire::ActionResult& result = answered.response;
  const std::uint64_t bytes = result.ByteSizeLong();
  if (result.output_files_size() > kMostFiles) return damaged("a result claims more files than it may have");
  ActionValue found;
  const wire::OutputFile* value_file = nullptr;
  for (const wire::OutputFile& file : result.output_files()) {
    if (file.path() == kValueFile) value_file = &file;
    if (!file.path().starts_with(kBlobFile)) continue;
    const Result<Digest> digest = Digest::from_hex(std::string_view(file.path()).substr(kBlobFile.size()));
    if (const auto name = name_in(file); name && digest) found.blobs.emplace_back(*digest, *name);
  }
  for (const wire::Packed& packed : result.execution_metadata().auxiliary_metadata())
    if (packed.type_url() == kType) found.value = packed.value();
  if (!found.value.empty() || value_file == nullptr) return {std::move(found), bytes};
  if (!value_file->contents().empty()) {
    found.value = value_file->contents();
    return {std::move(found), bytes};
  }
  const std::optional<BlobName> name = name_in(*value_file);
  if (!name || name->size > most) return damaged("a value exceeds its limit");
  const auto server = server_.get(limits);
  if (const auto* failure = std::get_if<Failure>(&server)) return *failure;
  Answer<std::string> read = read_blob(connection_, *name, std::get<Capabilities>(server).has_zstd, limits);
  if (read.failure) return *read.failure;
  if (!read.value) return {};
  found.value = std::move(*read.value);
  return {std::move(found), bytes + read.bytes};
}

Answer<ActionValue> ActionCache::get(const ActionKey& key, std::uint64_t most, const Limits& limits) {
  const auto call = question(key);
  run(*call, connection_, limits);
  return take(*call, most, limits);
}

WriteAnswer ActionCache::put_actions(const ActionKey& key, const Capabilities& server, const Limits& limits) {
  const std::string empty;
  const std::array<Upload, 3> uploads{
      {{key.name, &key.action}, {blob_name_of(key.command), &key.command}, {blob_name_of(empty), &empty}}};
  return put_blobs(connection_, server, uploads, limits);
}

WriteAnswer ActionCache::put(const ActionKey& key, const ActionValue& value, const Limits& limits) {
  const auto known = server_.get(limits);
  if (const auto* failure = std::get_if<Failure>(&known)) return *failure;
  const auto& server = std::get<Capabilities>(known);
  if (!server.takes_results) {  // said once; it is no trouble
    if (refusal_is_known_.exchange(true)) return {};
    return Failure{Trouble::refused, "the server takes no results from us; mode=ro says so", {}};
  }

  UpdateActionCall call(kUpdateActionResult);
  call.request.set_instance_name(connection_.instance());
  set(*call.request.mutable_action_digest(), key.name);
  wire::ActionResult& result = *call.request.mutable_action_result();
  result.mutable_execution_metadata()->set_worker("hipcache");
  for (const auto& [digest, name] : value.blobs) add_file(result, std::string(kBlobFile) + digest.hex(), name);
  std::uint64_t bytes = 0;
  if (value.value.size() > kMostInline) {
    const Upload upload{blob_name_of(value.value), &value.value};
    WriteAnswer put = put_blobs(connection_, server, {&upload, 1}, limits);
    if (put.failure) return put;
    bytes += put.bytes;
    add_file(result, kValueFile, upload.name);
  } else if (!value.value.empty()) {
    wire::Packed& packed = *result.mutable_execution_metadata()->add_auxiliary_metadata();
    packed.set_type_url(kType);
    packed.set_value(value.value);
  }
  if (wants_actions_)
    if (WriteAnswer put = put_actions(key, server, limits); put.failure) return put;

  run(call, connection_, limits);
  if (call.ok()) return {Written{}, bytes + call.request.ByteSizeLong()};
  if (!may_want_action(call) || wants_actions_) return call.failure(Direction::write);
  if (WriteAnswer put = put_actions(key, server, limits); put.failure) return put;
  UpdateActionCall again(kUpdateActionResult);
  again.request = call.request;
  run(again, connection_, limits);
  if (!again.ok()) return again.failure(Direction::write);
  wants_actions_ = true;
  return {Written{}, bytes + again.request.ByteSizeLong()};
}

}  // namespace hipcache::remote
