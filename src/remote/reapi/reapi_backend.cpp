#include "remote/reapi/reapi_backend.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/base/digest.h"
#include "remote/layout/key_value.h"
#include "remote/layout/values.h"
#include "remote/reapi/blobs.h"
#include "remote/reapi/capabilities.h"
#include "remote/reapi/rpc.h"

namespace hipcache::remote {

namespace {

// Keys of the action cache.
//
// Problem: a REAPI server keeps an ActionResult for the digest of an Action, and nothing else.
// Choice: each list, result and blob of hipcache has an Action that nobody runs: its command line says what it is
// (docs/internals/formats.md). Its digest is the key. Some servers want to see Action and Command before they take a
// result; so an ActionKey has their bytes. Rejected: our own digest as the Action's. Servers may verify it, and other
// clients' actions could be confused with ours.

constexpr const char* kVersion = "1";  // of the layout; the values have versions of their own
constexpr const char* kListKind = "list";
constexpr const char* kResultKind = "result";
constexpr const char* kBlobKind = "blob";

struct ActionKey {
  BlobName name;
  std::string action;   // encoded
  std::string command;  // encoded
};

// `prefix` may be empty; `slot` is 0 for all but lists. Without map fields, protobuf writes equal messages as equal
// bytes: fields in the order of their numbers.
ActionKey make_action_key(const std::string& prefix, const char* kind, const Digest& key, unsigned slot = 0) {
  wire::Command command;
  command.add_arguments("hipcache");
  command.add_arguments(kVersion);
  command.add_arguments(prefix);
  command.add_arguments(kind);
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

// Values under action keys: in an ActionResult's auxiliary metadata, or as a blob of its own if it is large. Output
// files name further blobs (docs/internals/formats.md).

constexpr const char* kGetActionResult = "/build.bazel.remote.execution.v2.ActionCache/GetActionResult";
constexpr const char* kUpdateActionResult = "/build.bazel.remote.execution.v2.ActionCache/UpdateActionResult";
constexpr const char* kType = "type.googleapis.com/hipcache.Value";
constexpr const char* kValueFile = "value";
constexpr std::string_view kBlobFile = "blob/";
constexpr int kMostFiles = 4'096;

using GetActionCall = UnaryCall<wire::GetActionResultRequest, wire::ActionResult>;
using UpdateActionCall = UnaryCall<wire::UpdateActionResultRequest, wire::ActionResult>;

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

struct ActionValue {
  std::string value;
  std::vector<std::pair<Digest, BlobName>> blobs;
};

class ActionCache {
 public:
  static constexpr std::size_t kMostInline = 1u << 20;

  ActionCache(Connection& connection, ServerKnowledge& server) : connection_(connection), server_(server) {}

  // The call that asks; the caller may send it with others.
  std::unique_ptr<GetActionCall> question(const ActionKey& key) const {
    auto call = std::make_unique<GetActionCall>(kGetActionResult);
    call->request.set_instance_name(connection_.instance());
    set(*call->request.mutable_action_digest(), key.name);
    call->request.add_inline_output_files(kValueFile);
    return call;
  }

  // What the call found. Asks for a large value's blob, of at most `most` bytes.
  Answer<ActionValue> take(const GetActionCall& answered, std::uint64_t most, const Limits& limits) {
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
      if (const auto name = name_in(file.digest()); name && digest) found.blobs.emplace_back(*digest, *name);
    }
    for (const wire::Packed& packed : result.execution_metadata().auxiliary_metadata())
      if (packed.type_url() == kType) found.value = packed.value();
    if (!found.value.empty() || value_file == nullptr) return {std::move(found), bytes};
    if (!value_file->contents().empty()) {
      found.value = value_file->contents();
      return {std::move(found), bytes};
    }
    const std::optional<BlobName> name = name_in(value_file->digest());
    if (!name || name->size > most) return damaged("a value exceeds its limit");
    const auto server = server_.get(limits);
    if (const auto* failure = std::get_if<Failure>(&server)) return *failure;
    Answer<std::string> read = read_blob(connection_, *name, std::get<Capabilities>(server).has_zstd, limits);
    if (read.failure) return *read.failure;
    if (!read.value) return {};
    found.value = std::move(*read.value);
    return {std::move(found), bytes + read.bytes};
  }

  Answer<ActionValue> get(const ActionKey& key, std::uint64_t most, const Limits& limits) {
    const auto call = question(key);
    run(*call, connection_, limits);
    return take(*call, most, limits);
  }

  WriteAnswer put(const ActionKey& key, const ActionValue& value, const Limits& limits) {
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

 private:
  WriteAnswer put_actions(const ActionKey& key, const Capabilities& server, const Limits& limits) {
    const std::string empty;
    const std::array<Upload, 3> uploads{
        {{key.name, &key.action}, {blob_name_of(key.command), &key.command}, {blob_name_of(empty), &empty}}};
    return put_blobs(connection_, server, uploads, limits);
  }

  Connection& connection_;
  ServerKnowledge& server_;
  std::atomic<bool> wants_actions_ = false;  // the server takes no result whose Action it has not got
  std::atomic<bool> refusal_is_known_ = false;
};

// The names of blobs that were put or found lately: a name that is not here costs a round trip more. Thread-safe.
class KnownNames {
 public:
  static constexpr std::size_t kMost = 16'384;  // about 3 MB

  void add(const Digest& digest, const BlobName& name) {
    const std::lock_guard lock(mutex_);
    if (!names_.insert_or_assign(digest, name).second) return;
    order_.push_back(digest);
    while (order_.size() > kMost) {
      names_.erase(order_.front());
      order_.pop_front();
    }
  }

  std::optional<BlobName> find(const Digest& digest) const {
    const std::lock_guard lock(mutex_);
    const auto known = names_.find(digest);
    return known == names_.end() ? std::nullopt : std::optional(known->second);
  }

  void forget(const Digest& digest) {
    const std::lock_guard lock(mutex_);
    if (names_.erase(digest) == 0) return;
    order_.erase(std::find(order_.begin(), order_.end(), digest));
  }

 private:
  mutable std::mutex mutex_;  // guards all below
  std::unordered_map<Digest, BlobName> names_;
  std::deque<Digest> order_;  // oldest first
};

using Slots = std::array<List, kSlots>;

constexpr std::size_t kSlotSets = kMaxSets / 2;  // twice as many as a plain list has, in four slots

constexpr std::uint64_t kSlotBytes = kListLimit / kSlots;

void bound(List& list) {
  if (list.size() > kSlotSets) list.resize(kSlotSets);
  std::uint64_t bytes = 0;
  for (const RemotePathSet& set : list) bytes += set.bytes.size();
  while (bytes > kSlotBytes && list.size() > 1) {
    bytes -= list.back().bytes.size();
    list.pop_back();
  }
}

Slots divide(const List& list) {
  Slots slots;
  for (const RemotePathSet& set : list) slots[slot_of(set.id)].push_back(set);
  return slots;
}

// The newest of each slot first, then the second of each: slots do not say which of theirs is newer. Bounded.
List join(const Slots& slots) {
  List list;
  std::uint64_t bytes = 0;
  for (std::size_t rank = 0; rank < kMaxSets; ++rank)
    for (const List& slot : slots) {
      if (rank >= slot.size() || bytes + slot[rank].bytes.size() > kListLimit) continue;
      bytes += slot[rank].bytes.size();
      list.push_back(slot[rank]);
    }
  return list;
}

// Until a change of a list stays. Each round is a chance that another machine's write came between.
constexpr int kRounds = 6;

class ReapiBackend : public Backend {
 public:
  explicit ReapiBackend(const config::RemoteUrl& url)
      : prefix_(url.prefix),
        max_bytes_(url.max_bytes),
        connection_(url),
        server_(connection_),
        actions_(connection_, server_) {}

  Answer<List> list(const Digest& key, const Limits& limits) override { return noted(find_list(key, limits)); }

  Answer<RemoteResult> result(const Digest& key, const Limits& limits) override {
    return noted(find_result(key, limits));
  }

  Answer<std::string> blob(const Digest& digest, std::uint64_t size, const Limits& limits) override {
    if (size > max_bytes_) return {};
    if (size == 0 && digest_of("") == digest) return {std::string(), 0};
    return noted(find_blob(digest, size, limits));
  }

  WriteAnswer put_blob(const Digest& digest, const std::string& bytes, const Limits& limits) override {
    if (bytes.size() > max_bytes_) return Failure{Trouble::full, "the blob exceeds max_bytes", {}};
    if (bytes.empty()) return {};
    return noted(write_blob_and_name(digest, bytes, limits));
  }

  WriteAnswer put_result(const Digest& key, const RemoteResult& result, std::span<const Digest> large,
                         const Limits& limits) override {
    ActionValue value{.value = encode_result(key, result), .blobs = {}};
    if (value.value.size() > max_bytes_) return Failure{Trouble::full, "the value exceeds max_bytes", {}};
    for (const Digest& digest : large)
      if (std::optional<BlobName> name = names_.find(digest)) value.blobs.emplace_back(digest, std::move(*name));
    return noted(actions_.put(key_of(kResultKind, key), value, limits));
  }

  WriteAnswer add_to_list(const Digest& key, const List& sets, const Limits& limits) override {
    const Slots slots = divide(sets);
    WriteAnswer all;
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if (slots[slot].empty()) continue;
      WriteAnswer changed = noted(change_slot(key, slot, slots[slot], limits));
      if (changed.failure) return changed;
      if (changed.value) all = WriteAnswer(Written{}, all.bytes + changed.bytes);
    }
    return all;
  }

 private:
  // After each call of the server: what it can do is asked anew when it could not be reached.
  template <typename T>
  Answer<T> noted(Answer<T> answer) {
    if (answer.failure && answer.failure->trouble == Trouble::unreachable) server_.forget();
    return answer;
  }

  ActionKey key_of(const char* kind, const Digest& key, unsigned slot = 0) const {
    return make_action_key(prefix_, kind, key, slot);
  }

  // What one slot holds helps even if another one cannot be read.
  Answer<List> find_list(const Digest& key, const Limits& limits) {
    std::array<std::unique_ptr<GetActionCall>, kSlots> calls;
    CallGroup group(connection_, limits);
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      calls[slot] = actions_.question(key_of(kListKind, key, slot));
      group.add(*calls[slot]);
    }
    const std::unique_ptr<CapabilitiesCall> capabilities = server_.question();
    if (capabilities) group.add(*capabilities);
    group.run();
    if (capabilities) server_.take(*capabilities);

    Slots slots;
    std::optional<Failure> failure;
    std::uint64_t bytes = 0;
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      Answer<ActionValue> found = actions_.take(*calls[slot], kListLimit, limits);
      bytes += found.bytes;
      if (found.failure) failure = std::move(found.failure);
      if (!found.value) continue;
      Result<List> decoded = decode_list(key, found.value->value);
      if (decoded)
        slots[slot] = std::move(*decoded);
      else
        failure = Failure{Trouble::damaged, decoded.error().message, {}};
    }
    List list = join(slots);
    if (!list.empty()) return {std::move(list), bytes};
    if (failure) return std::move(*failure);
    return {};
  }

  // By the action of the blob, if no result has told its name.
  Answer<BlobName> find_name(const Digest& digest, const Limits& limits) {
    if (std::optional<BlobName> known = names_.find(digest)) return {std::move(*known), 0};
    Answer<ActionValue> found = actions_.get(key_of(kBlobKind, digest), kResultLimit, limits);
    if (found.failure) return std::move(*found.failure);
    if (!found.value) return {};
    for (auto& [named, name] : found.value->blobs)
      if (named == digest) return {std::move(name), found.bytes};
    return Failure{Trouble::damaged, "a blob's action does not name it", {}};
  }

  Answer<std::string> find_blob(const Digest& digest, std::uint64_t size, const Limits& limits) {
    const Answer<BlobName> name = find_name(digest, limits);
    if (name.failure) return *name.failure;
    if (!name.value) return {};
    if (name.value->size != size) return Failure{Trouble::damaged, "a blob does not have its size", {}};
    const auto server = server_.get(limits);
    if (const auto* failure = std::get_if<Failure>(&server)) return *failure;
    Answer<std::string> read = read_blob(connection_, *name.value, std::get<Capabilities>(server).has_zstd, limits);
    if (read.value && digest_of(*read.value) != digest)
      read = Failure{Trouble::damaged, "a blob does not match its digest", {}};
    if (!read.value) names_.forget(digest);
    return read;
  }

  Answer<RemoteResult> find_result(const Digest& key, const Limits& limits) {
    Answer<ActionValue> found = actions_.get(key_of(kResultKind, key), kResultLimit, limits);
    if (found.failure) return std::move(*found.failure);
    if (!found.value) return {};
    Result<RemoteResult> result = decode_result(key, found.value->value);
    if (!result) return Failure{Trouble::damaged, result.error().message, {}};
    for (const auto& [digest, name] : found.value->blobs) names_.add(digest, name);
    return {std::move(*result), found.bytes};
  }

  // The name is written even if the blob is there: somebody else may have put it.
  WriteAnswer write_blob_and_name(const Digest& digest, const std::string& bytes, const Limits& limits) {
    const auto server = server_.get(limits);
    if (const auto* failure = std::get_if<Failure>(&server)) return *failure;
    const Upload upload{blob_name_of(bytes), &bytes};
    const ActionKey key = key_of(kBlobKind, digest);
    const auto missing = find_missing(connection_, {&upload.name, 1});
    const auto named = actions_.question(key);
    CallGroup group(connection_, limits);
    group.add(*missing);
    group.add(*named);
    group.run();
    if (!missing->ok()) return missing->failure(Direction::write);
    const bool has_blob = missing->response.missing_blob_digests().empty();
    if (has_blob && named->ok()) {
      names_.add(digest, upload.name);
      return {};
    }
    WriteAnswer sent;
    if (!has_blob) sent = send_blobs(connection_, std::get<Capabilities>(server), {&upload, 1}, limits);
    if (sent.failure) return sent;
    WriteAnswer put = actions_.put(key, {.value = {}, .blobs = {{digest, upload.name}}}, limits);
    if (put.failure) return put;
    names_.add(digest, upload.name);
    if (!sent.value && !put.value) return {};
    return {Written{}, sent.bytes + put.bytes};
  }

  WriteAnswer change_slot(const Digest& key, unsigned slot, const List& sets, const Limits& limits) {
    const ActionKey action = key_of(kListKind, key, slot);
    WriteAnswer written;
    for (int round = 0; round < kRounds; ++round) {
      if (round > 0) wait_a_moment();
      const Answer<ActionValue> present = actions_.get(action, kListLimit, limits);
      // A damaged list is begun anew.
      if (present.failure && present.failure->trouble != Trouble::damaged) return *present.failure;
      const auto value = present.value ? std::optional(present.value->value) : std::nullopt;
      std::optional<List> list = merged(key, value, sets);
      if (!list) return written;
      bound(*list);
      std::string next = encode_list(key, *list);
      if (next.size() > max_bytes_) return Failure{Trouble::full, "the list exceeds max_bytes", {}};
      WriteAnswer put = actions_.put(action, {.value = std::move(next), .blobs = {}}, limits);
      if (!put.value) return put;
      written = WriteAnswer(Written{}, written.bytes + put.bytes);
    }
    return written;
  }

  const std::string prefix_;
  const std::uint64_t max_bytes_;
  Connection connection_;
  ServerKnowledge server_;
  ActionCache actions_;
  KnownNames names_;
};

}  // namespace

std::unique_ptr<Backend> make_reapi_backend(const config::RemoteUrl& url) {
  return std::make_unique<ReapiBackend>(url);
}

}  // namespace hipcache::remote
