#include "remote/reapi/reapi_backend.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"
#include "remote/layout/values.h"
#include "remote/reapi/action_cache.h"
#include "remote/reapi/blob_stream.h"

namespace hipcache::remote {

namespace {

using Slots = std::array<List, kSlots>;

// A list, divided into slots.

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

// The slot's new value, or nothing if the present one has all of the sets. A damaged present value counts as none.
std::optional<std::string> merged_slot(const Digest& key, const std::optional<std::string>& present, const List& sets) {
  Result<List> known = present ? decode_list(key, *present) : Result<List>(List());
  List list = known ? std::move(*known) : List();
  if (known && std::all_of(sets.begin(), sets.end(), [&](const RemotePathSet& set) { return has(list, set); }))
    return std::nullopt;
  for (auto set = sets.rbegin(); set != sets.rend(); ++set) add_to(list, *set);
  bound(list);
  return encode_list(key, list);
}

// Until a change of a list stays. Each round is a chance that another machine's write came between.
constexpr int kRounds = 6;

// Between a write and reading it again: longer than a round trip within a site, and different each time, so that two
// writers do not meet again.
std::chrono::milliseconds pause() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::milliseconds(std::uniform_int_distribution<int>(20, 120)(random));
}

class ReapiBackend : public Backend {
 public:
  explicit ReapiBackend(const config::RemoteUrl& url)
      : prefix_(url.prefix),
        max_bytes_(url.max_bytes),
        connection_(url),
        server_(connection_),
        actions_(connection_, server_) {}

  Answer<List> list(const Digest& key, const Limits& limits) override;
  Answer<RemoteResult> result(const Digest& key, const Limits& limits) override;
  Answer<std::string> blob(const Digest& digest, std::uint64_t size, const Limits& limits) override;
  WriteAnswer put_blob(const Digest& digest, const std::string& bytes, const Limits& limits) override;
  WriteAnswer put_result(const Digest& key, const RemoteResult& result, std::span<const Digest> large,
                         const Limits& limits) override;
  WriteAnswer add_to_list(const Digest& key, const List& sets, const Limits& limits) override;

 private:
  // After each call of the server: what it can do is asked anew when it could not be reached.
  template <typename T>
  Answer<T> noted(Answer<T> answer) {
    if (answer.failure && answer.failure->trouble == Trouble::unreachable) server_.forget();
    return answer;
  }

  ActionKey key_of(ActionKind kind, const Digest& key, unsigned slot = 0) const {
    return make_action_key(prefix_, kind, key, slot);
  }

  Answer<List> find_list(const Digest& key, const Limits& limits);
  Answer<BlobName> find_name(const Digest& digest, const Limits& limits);
  Answer<std::string> find_blob(const Digest& digest, std::uint64_t size, const Limits& limits);
  Answer<RemoteResult> find_result(const Digest& key, const Limits& limits);
  WriteAnswer write_blob_and_name(const Digest& digest, const std::string& bytes, const Limits& limits);
  WriteAnswer change_slot(const Digest& key, unsigned slot, const List& sets, const Limits& limits);

  const std::string prefix_;
  const std::uint64_t max_bytes_;
  Connection connection_;
  ServerKnowledge server_;
  ActionCache actions_;
  KnownNames names_;
};

// What one slot holds helps even if another one cannot be read.
Answer<List> ReapiBackend::find_list(const Digest& key, const Limits& limits) {
  std::array<std::unique_ptr<GetActionCall>, kSlots> calls;
  CallGroup group(connection_, limits);
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    calls[slot] = actions_.question(key_of(ActionKind::list, key, slot));
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

Answer<List> ReapiBackend::list(const Digest& key, const Limits& limits) { return noted(find_list(key, limits)); }

Answer<RemoteResult> ReapiBackend::find_result(const Digest& key, const Limits& limits) {
  Answer<ActionValue> found = actions_.get(key_of(ActionKind::result, key), kResultLimit, limits);
  if (found.failure) return std::move(*found.failure);
  if (!found.value) return {};
  Result<RemoteResult> result = decode_result(key, found.value->value);
  if (!result) return Failure{Trouble::damaged, result.error().message, {}};
  for (const auto& [digest, name] : found.value->blobs) names_.add(digest, name);
  return {std::move(*result), found.bytes};
}

Answer<RemoteResult> ReapiBackend::result(const Digest& key, const Limits& limits) {
  return noted(find_result(key, limits));
}

// By the action of the blob, if no result has told its name.
Answer<BlobName> ReapiBackend::find_name(const Digest& digest, const Limits& limits) {
  if (std::optional<BlobName> known = names_.find(digest)) return {std::move(*known), 0};
  Answer<ActionValue> found = actions_.get(key_of(ActionKind::blob, digest), kResultLimit, limits);
  if (found.failure) return std::move(*found.failure);
  if (!found.value) return {};
  for (auto& [named, name] : found.value->blobs)
    if (named == digest) return {std::move(name), found.bytes};
  return Failure{Trouble::damaged, "a blob's action does not name it", {}};
}

Answer<std::string> ReapiBackend::find_blob(const Digest& digest, std::uint64_t size, const Limits& limits) {
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

Answer<std::string> ReapiBackend::blob(const Digest& digest, std::uint64_t size, const Limits& limits) {
  if (size > max_bytes_) return {};
  if (size == 0 && digest_of("") == digest) return {std::string(), 0};
  return noted(find_blob(digest, size, limits));
}

// The name is written even if the blob is there: somebody else may have put it.
WriteAnswer ReapiBackend::write_blob_and_name(const Digest& digest, const std::string& bytes, const Limits& limits) {
  const auto server = server_.get(limits);
  if (const auto* failure = std::get_if<Failure>(&server)) return *failure;
  const Upload upload{blob_name_of(bytes), &bytes};
  const ActionKey key = key_of(ActionKind::blob, digest);
  const auto missing = find_missing(connection_, {&upload, 1});
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

WriteAnswer ReapiBackend::put_blob(const Digest& digest, const std::string& bytes, const Limits& limits) {
  if (bytes.size() > max_bytes_) return Failure{Trouble::full, "the blob exceeds max_bytes", {}};
  if (bytes.empty()) return {};
  return noted(write_blob_and_name(digest, bytes, limits));
}

WriteAnswer ReapiBackend::put_result(const Digest& key, const RemoteResult& result, std::span<const Digest> large,
                                     const Limits& limits) {
  ActionValue value{.value = encode_result(key, result), .blobs = {}};
  if (value.value.size() > max_bytes_) return Failure{Trouble::full, "the value exceeds max_bytes", {}};
  for (const Digest& digest : large)
    if (std::optional<BlobName> name = names_.find(digest)) value.blobs.emplace_back(digest, std::move(*name));
  return noted(actions_.put(key_of(ActionKind::result, key), value, limits));
}

WriteAnswer ReapiBackend::change_slot(const Digest& key, unsigned slot, const List& sets, const Limits& limits) {
  const ActionKey action = key_of(ActionKind::list, key, slot);
  WriteAnswer written;
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) std::this_thread::sleep_for(pause());
    const Answer<ActionValue> present = actions_.get(action, kListLimit, limits);
    // A damaged list is begun anew.
    if (present.failure && present.failure->trouble != Trouble::damaged) return *present.failure;
    const auto value = present.value ? std::optional(present.value->value) : std::nullopt;
    std::optional<std::string> next = merged_slot(key, value, sets);
    if (!next) return written;
    if (next->size() > max_bytes_) return Failure{Trouble::full, "the list exceeds max_bytes", {}};
    WriteAnswer put = actions_.put(action, {.value = std::move(*next), .blobs = {}}, limits);
    if (!put.value) return put;
    written = WriteAnswer(Written{}, written.bytes + put.bytes);
  }
  return written;
}

WriteAnswer ReapiBackend::add_to_list(const Digest& key, const List& sets, const Limits& limits) {
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

}  // namespace

std::unique_ptr<Backend> make_reapi_backend(const config::RemoteUrl& url) {
  return std::make_unique<ReapiBackend>(url);
}

}  // namespace hipcache::remote
