#include "hipcache/cache/miss_history.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "hipcache/inputs/frames.h"

namespace hipcache::cache {

namespace {

constexpr std::uint8_t kSharedVersion = 1;

// Compiles of one command displace each other, others do not.
Digest command_of(const HistoryRequest& request) {
  Hasher hasher = key_hasher("history-command");
  hasher.field(request.compiler);
  for (const auto* words : {&request.arguments, &request.archs}) {
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
  out.raw(inputs::kSharedHistory).byte(kSharedVersion);
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
  if (in.raw(inputs::kSharedHistory.size()) != inputs::kSharedHistory || in.byte() != kSharedVersion)
    return std::nullopt;
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
  const Digest command = command_of(entry.request);
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

namespace {

// Version, object, list of its source, compiler, arguments, architectures, both directories, CUID. Number of steps,
// then for each: label, key, programs, number of commands and each one's arguments, inputs, set,
// refusal, detail. Blob of the path set, answers. Version 4: the object. Version 5: no colour. Version 6: the list
// of its source.
constexpr std::uint8_t kVersion = 6;

Error damaged(std::string_view what) { return Error{"miss history: " + std::string(what) + "; the entry is dropped"}; }

void add(inputs::FrameWriter& out, const std::vector<std::string>& texts) {
  out.number(texts.size());
  for (const std::string& text : texts) out.text(text);
}

void add(inputs::FrameWriter& out, const HistoryRequest& request) {
  out.text(request.compiler);
  add(out, request.arguments);
  add(out, request.archs);
  out.text(request.working_directory).text(request.logical_directory).text(request.cuid);
}

void add(inputs::FrameWriter& out, const HistoryStep& step) {
  out.text(step.label).raw(step.key.value.bytes());
  add(out, step.programs);
  out.number(step.arguments.size());
  for (const std::vector<std::string>& arguments : step.arguments) add(out, arguments);
  out.number(step.inputs.size());
  for (const Digest& input : step.inputs) out.raw(input.bytes());
  out.raw(step.set.bytes()).text(step.refusal).text(step.detail);
}

// Reading stops at the first failure, so that a false count costs no more than the bytes that
// exist.
template <typename Item, typename Next>
std::vector<Item> next_list(inputs::FrameReader& in, Next next) {
  std::vector<Item> items;
  for (std::uint64_t left = in.number(); left > 0 && !in.failed(); --left) items.push_back(next(in));
  return items;
}

std::string next_text(inputs::FrameReader& in) { return std::string(in.text()); }

std::vector<std::string> next_texts(inputs::FrameReader& in) { return next_list<std::string>(in, next_text); }

Digest next_digest(inputs::FrameReader& in) {
  const Result<Digest> digest = Digest::from_bytes(in.raw(Digest::kSize));
  return digest ? *digest : Digest{};
}

HistoryRequest next_request(inputs::FrameReader& in) {
  HistoryRequest request;
  request.compiler = in.text();
  request.arguments = next_texts(in);
  request.archs = next_texts(in);
  request.working_directory = in.text();
  request.logical_directory = in.text();
  request.cuid = in.text();
  return request;
}

HistoryStep next_step(inputs::FrameReader& in) {
  HistoryStep step;
  step.label = in.text();
  step.key.value = next_digest(in);
  step.programs = next_texts(in);
  step.arguments = next_list<std::vector<std::string>>(in, next_texts);
  step.inputs = next_list<Digest>(in, next_digest);
  step.set = next_digest(in);
  step.refusal = in.text();
  step.detail = in.text();
  return step;
}

}  // namespace

const HistoryStep* HistoryEntry::step(std::string_view label) const {
  const auto at = std::find_if(steps.begin(), steps.end(), [&](const HistoryStep& one) { return one.label == label; });
  return at == steps.end() ? nullptr : &*at;
}

std::string HistoryEntry::encode() const {
  inputs::FrameWriter out;
  out.text(object).raw(of_source.bytes());
  add(out, request);
  out.number(steps.size());
  for (const HistoryStep& step : steps) add(out, step);
  out.raw(observed.blob.bytes());
  inputs::add_answered(out, observed.answered);
  return std::string(1, static_cast<char>(kVersion)) + std::move(out).bytes();
}

Result<HistoryEntry> HistoryEntry::decode(std::string_view bytes) {
  if (bytes.empty() || static_cast<std::uint8_t>(bytes.front()) != kVersion) return damaged("it is of another version");
  if (bytes.size() > kMaxHistoryBytes) return damaged("it is longer than an entry may be");
  inputs::FrameReader in(bytes.substr(1));
  HistoryEntry entry;
  entry.object = in.text();
  entry.of_source = next_digest(in);
  entry.request = next_request(in);
  entry.steps = next_list<HistoryStep>(in, next_step);
  entry.observed.blob = next_digest(in);
  Result<inputs::Answered> answered = inputs::next_answered(in);
  if (!answered) return damaged(answered.error().message);
  if (!in.finished()) return damaged("there are bytes after its end");
  entry.observed.answered = std::move(*answered);
  return entry;
}

namespace {

// Magic, version, number of entries, blob of each. Version 2: digests of 32 bytes. Version 3: the magic.
constexpr std::string_view kMagic = "HCML";
constexpr std::uint8_t kListVersion = 3;

std::string encode_list(const std::vector<Digest>& blobs) {
  inputs::FrameWriter out;
  out.raw(kMagic).byte(kListVersion).number(blobs.size());
  for (const Digest& blob : blobs) out.raw(blob.bytes());
  return std::move(out).bytes();
}

// The readable part of the list.
std::vector<Digest> decode_list(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  std::vector<Digest> blobs;
  if (in.raw(kMagic.size()) != kMagic || in.byte() != kListVersion) return blobs;
  for (std::uint64_t left = in.number(); left > 0 && blobs.size() < kMaxHistoryEntries; --left) {
    const Result<Digest> blob = Digest::from_bytes(in.raw(Digest::kSize));
    if (!blob) break;
    blobs.push_back(*blob);
  }
  return blobs;
}

void load_set(Observed& observed, store::ReadableStore& store) {
  const Result<std::optional<std::string>> bytes = store.blob(observed.blob);
  if (bytes && *bytes) take_set(observed, **bytes);
}

}  // namespace

void take_set(Observed& observed, std::string_view bytes) {
  Result<inputs::PathSet> set = inputs::PathSet::decode(bytes);
  if (!set || set->observations().size() + 1 != observed.answered.size()) return;
  observed.set = std::make_shared<const inputs::PathSet>(std::move(*set));
}

bool is_history_list(std::string_view action) { return action.starts_with(kMagic); }

// An entry that equals a stored one only moves to the front. An entry that is too large to read back
// is not stored, so that it displaces no readable one.
Status MissHistory::record(const Digest& name, const HistoryEntry& entry) {
  const std::string bytes = entry.encode();
  if (bytes.size() > kMaxHistoryBytes) {
    log_.info("the miss history lacks this request: its entry takes " + std::to_string(bytes.size()) + " bytes");
    return done();
  }
  const Result<Digest> blob = store_.put_blob_like(bytes, {.parts = {}, .family = "miss-history"});
  if (!blob) return blob.error();
  if (remote_ != nullptr)
    if (std::optional<Publication> shared = history_publication(name, entry, {*blob, bytes.size()}))
      remote_->publish(std::move(*shared));
  return add(name, entry, *blob);
}

Status MissHistory::add(const Digest& name, const HistoryEntry& entry, const Digest& blob) {
  const std::lock_guard lock(list_mutex_);
  if (Status added = add_to(name, blob); !added) return added;
  return entry.of_source == Digest{} ? done() : add_to(entry.of_source, blob);
}

Status MissHistory::add_to(const Digest& name, const Digest& blob) {
  Result<std::vector<Digest>> blobs = blobs_of(name);
  if (!blobs) return blobs.error();
  std::erase(*blobs, blob);
  blobs->insert(blobs->begin(), blob);
  if (blobs->size() > kMaxHistoryEntries) blobs->resize(kMaxHistoryEntries);
  return store_.put_action(name, encode_list(*blobs));
}

std::vector<HistoryEntry> MissHistory::entries(const Digest& name) {
  std::vector<HistoryEntry> entries;
  const Result<std::vector<Digest>> blobs = blobs_of(name);
  if (!blobs) {
    log_.warning(blobs.error().message);
    return entries;
  }
  for (const Digest& blob : *blobs) {
    const Result<std::optional<std::string>> bytes = store_.blob(blob);
    if (!bytes || !*bytes) continue;
    Result<HistoryEntry> entry = HistoryEntry::decode(**bytes);
    if (!entry) {
      log_.warning(entry.error().message);
      continue;
    }
    load_set(entry->observed, store_);
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::vector<HistoryEntry> MissHistory::shared_entries(const Digest& name) {
  return remote_ == nullptr ? std::vector<HistoryEntry>() : fetch_histories(name, *remote_);
}

// A list that stands for a source has the entries of the outputs' lists.
std::vector<StoredEntry> MissHistory::stored(const Digest& name) {
  store::ReadableStore& quiet = store_.quiet();
  std::vector<StoredEntry> all;
  const Result<std::optional<std::string>> list = quiet.action(name);
  if (!list || !*list) return all;
  for (const Digest& blob : decode_list(**list)) {
    const Result<std::optional<std::string>> bytes = quiet.blob(blob);
    if (!bytes || !*bytes) continue;
    Result<HistoryEntry> entry = HistoryEntry::decode(**bytes);
    if (!entry || entry->of_source == name) continue;
    load_set(entry->observed, quiet);
    all.push_back({{blob, (*bytes)->size()}, std::move(*entry)});
  }
  return all;
}

Result<bool> MissHistory::accept(const Digest& name, std::string_view shared) {
  const std::optional<SharedHistory> names = decode_shared_history(shared);
  if (!names) return false;
  const Result<std::optional<std::string>> bytes = store_.blob(names->entry.digest);
  if (!bytes) return bytes.error();
  if (!*bytes) return false;
  const Result<HistoryEntry> entry = HistoryEntry::decode(**bytes);
  if (!entry) return false;
  const Result<std::vector<Digest>> known = blobs_of(name);
  if (!known) return known.error();
  if (std::find(known->begin(), known->end(), names->entry.digest) != known->end()) return true;
  if (Status added = add(name, *entry, names->entry.digest); !added) return added.error();
  return true;
}

// An error is no empty list: record() would replace the list by one of a single entry.
Result<std::vector<Digest>> MissHistory::blobs_of(const Digest& name) {
  const Result<std::optional<std::string>> list = store_.action(name);
  if (!list) return list.error();
  return *list ? decode_list(**list) : std::vector<Digest>();
}

}  // namespace hipcache::cache
