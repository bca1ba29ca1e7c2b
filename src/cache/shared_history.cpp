#include "hipcache/cache/shared_history.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "hipcache/inputs/frames.h"

namespace hipcache::cache {
namespace {

constexpr std::uint8_t kVersion = 1;

// Compiles of one command displace each other, others do not.
Digest command_of(const Asked& asked) {
  Hasher hasher = key_hasher("history-command");
  hasher.field(asked.compiler);
  for (const auto* words : {&asked.arguments, &asked.archs}) {
    hasher.field(words->size());
    for (const std::string& word : *words) hasher.field(word);
  }
  return hasher.finish();
}

Digest shared_key(const Digest& name, const Digest& command) {
  return key_hasher("shared-history").field(name).field(command).finish();
}

std::string encode(const SharedHistory& names) {
  inputs::FrameWriter out;
  out.raw(inputs::kSharedHistory).byte(kVersion);
  out.raw(names.entry.digest.bytes()).number(names.entry.size);
  out.raw(names.path_set.digest.bytes()).number(names.path_set.size);
  return std::move(out).bytes();
}

RemoteBlobName next_blob(inputs::FrameReader& in) {
  const Result<Digest> digest = Digest::from_bytes(in.raw(Digest::kSize));
  return {digest ? *digest : Digest{}, in.number()};
}

// From the value itself, or from a value of its own.
std::optional<std::string> bytes_of(const RemoteBlobName& blob, const RemoteResult& result, RemoteResults& remote) {
  const auto within =
      std::find_if(result.blobs.begin(), result.blobs.end(), [&](const auto& one) { return one.first == blob.digest; });
  std::optional<std::string> bytes =
      within == result.blobs.end() ? remote.blobs({&blob, 1}).front() : std::optional(within->second);
  return bytes && digest_of(*bytes) == blob.digest ? bytes : std::nullopt;
}

std::optional<HistoryEntry> read(const RemoteResult& result, RemoteResults& remote) {
  const std::optional<SharedHistory> names = decode_shared_history(result.action);
  if (!names) return std::nullopt;
  const std::optional<std::string> bytes = bytes_of(names->entry, result, remote);
  Result<HistoryEntry> entry = bytes ? HistoryEntry::decode(*bytes) : Error{"no entry"};
  if (!entry) return std::nullopt;
  if (names->path_set.size == 0) return std::move(*entry);
  if (const std::optional<std::string> questions = bytes_of(names->path_set, result, remote))
    take_set(entry->observed, *questions);
  return std::move(*entry);
}

}  // namespace

std::optional<SharedHistory> decode_shared_history(std::string_view action) {
  inputs::FrameReader in(action);
  if (in.raw(inputs::kSharedHistory.size()) != inputs::kSharedHistory || in.byte() != kVersion) return std::nullopt;
  SharedHistory names;
  names.entry = next_blob(in);
  names.path_set = next_blob(in);
  if (!in.finished() || names.entry.size > kMaxSharedHistoryBytes || names.path_set.size > kMaxSharedHistoryBytes)
    return std::nullopt;
  return names;
}

std::optional<Publication> history_publication(const Digest& name, const HistoryEntry& entry,
                                               const RemoteBlobName& blob) {
  SharedHistory names{.entry = blob, .path_set = {}};
  if (entry.observed.set != nullptr) names.path_set = {entry.observed.blob, entry.observed.set->encode().size()};
  if (names.entry.size + names.path_set.size > kMaxSharedHistoryBytes) return std::nullopt;
  const Digest command = command_of(entry.asked);
  Publication shared{.key = name,
                     .result_key = shared_key(name, command),
                     .set = command,
                     .path_set = nullptr,
                     .action = encode(names),
                     .blobs = {names.entry}};
  if (names.path_set.size > 0) shared.blobs.push_back(names.path_set);
  return shared;
}

std::vector<HistoryEntry> fetch_histories(const Digest& name, RemoteResults& remote) {
  const RemoteResults::ListName asked{name};
  const std::shared_ptr<const RemoteList> list = remote.lists({&asked, 1}).front();
  std::vector<Digest> keys;
  for (const RemotePathSet& set : list == nullptr ? std::vector<RemotePathSet>() : list->sets)
    if (keys.size() < kMaxHistoryEntries) keys.push_back(shared_key(name, set.id));
  std::vector<HistoryEntry> entries;
  for (const std::optional<RemoteResult>& result : remote.results(keys))
    if (std::optional<HistoryEntry> entry = result ? read(*result, remote) : std::nullopt)
      entries.push_back(std::move(*entry));
  return entries;
}

}  // namespace hipcache::cache
