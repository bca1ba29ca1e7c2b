#include "cache/stored_results.h"

#include <algorithm>
#include <utility>

#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::cache {

namespace {

// Version, duration, processor time, stdout, stderr, number of outputs, then for each: name, blob,
// size, flags, place; number of steps, then each step; what the run overlooked; number of wrapper
// headers, then each digest; what it is found by.
// The version says which parts there are. Version 1 had no flags and no places; version 2 had
// digests of 16 bytes. Results of earlier versions lack processor time, or what the run overlooked.
// One that was read keeps that form, so that its digest stays.
constexpr std::uint8_t kFirstVersion = 3;
constexpr std::uint8_t kHasFoundBy = 1;
constexpr std::uint8_t kHasProcessorTime = 2;
constexpr std::uint8_t kHasOverlooked = 4;
constexpr std::uint8_t kHasPreambles = 8;
constexpr std::uint8_t kParts = kHasFoundBy | kHasProcessorTime | kHasOverlooked | kHasPreambles;
constexpr std::uint8_t kExecutable = 1;
constexpr std::uint8_t kInPlace = 2;
constexpr std::uint8_t kInPlaceIfEmpty = 4;
constexpr std::uint64_t kMaxOutputs = 1000;  // a compile for all existing architectures writes far fewer
constexpr std::uint64_t kMaxSteps = 1000;

Error damaged(std::string_view what) { return Error{"action result: " + std::string(what) + "; the entry is dropped"}; }

Result<Output> next_output(inputs::FrameReader& in) {
  Output output;
  output.name = in.text();
  Result<Digest> blob = Digest::from_bytes(in.raw(Digest::kSize));
  output.size = in.number();
  const std::uint8_t flags = in.byte();
  output.executable = (flags & kExecutable) != 0;
  output.in_place = (flags & kInPlace) != 0;
  output.in_place_if_empty = (flags & kInPlaceIfEmpty) != 0;
  output.place = in.text();
  if (in.failed() || !blob) return damaged("it ends in the middle of an output");
  if ((flags & ~(kExecutable | kInPlace | kInPlaceIfEmpty)) != 0) return damaged("it has an output of an unknown kind");
  output.blob = *blob;
  return output;
}

// Some digest if the reader has failed.
Digest next_digest(inputs::FrameReader& in) {
  const Result<Digest> digest = Digest::from_bytes(in.raw(Digest::kSize));
  return digest ? *digest : Digest();
}

FoundBy next_found_by(inputs::FrameReader& in) {
  const Digest key = next_digest(in), path_set = next_digest(in);
  return {key, path_set, next_digest(in)};
}

std::uint8_t flags_of(const Output& output) {
  return static_cast<std::uint8_t>((output.executable ? kExecutable : 0) | (output.in_place ? kInPlace : 0) |
                                   (output.in_place_if_empty ? kInPlaceIfEmpty : 0));
}

}  // namespace

const Output* ActionResult::output(std::string_view name) const {
  auto at = std::find_if(outputs.begin(), outputs.end(), [&](const Output& one) { return one.name == name; });
  return at == outputs.end() ? nullptr : &*at;
}

std::string ActionResult::encode() const {
  inputs::FrameWriter out;
  const int parts = (found_by ? kHasFoundBy : 0) | (processor_us ? kHasProcessorTime : 0) |
                    (overlooked ? kHasOverlooked : 0) | (preambles.empty() ? 0 : kHasPreambles);
  out.byte(static_cast<std::uint8_t>(kFirstVersion + parts)).number(duration_us);
  if (processor_us) out.number(*processor_us);
  out.text(stdout_text).text(stderr_text).number(outputs.size());
  for (const Output& one : outputs)
    out.text(one.name).raw(one.blob.bytes()).number(one.size).byte(flags_of(one)).text(one.place);
  out.number(steps.size());
  for (const std::string& step : steps) out.text(step);
  if (overlooked) out.raw(overlooked->view());
  if (!preambles.empty()) out.number(preambles.size());
  for (const Digest& one : preambles) out.raw(one.view());
  if (found_by) out.raw(found_by->key.view()).raw(found_by->path_set.view()).raw(found_by->result_key.view());
  return std::move(out).bytes();
}

Result<ActionResult> ActionResult::decode(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  const int parts = in.byte() - kFirstVersion;
  if (parts < 0 || parts > kParts) return damaged("it is of another version");
  ActionResult result;
  result.duration_us = in.number();
  if ((parts & kHasProcessorTime) != 0) result.processor_us = in.number();
  result.stdout_text = in.text();
  result.stderr_text = in.text();
  const std::uint64_t count = in.number();
  if (in.failed()) return damaged("it ends in the middle");
  if (count > kMaxOutputs) return damaged("it claims more outputs than a step can have");
  for (std::uint64_t i = 0; i < count; ++i) {
    Result<Output> output = next_output(in);
    if (!output) return output.error();
    result.outputs.push_back(std::move(*output));
  }
  const std::uint64_t steps = in.number();
  if (steps > kMaxSteps) return damaged("it claims more steps than there are");
  for (std::uint64_t i = 0; i < steps; ++i) result.steps.emplace_back(in.text());
  if ((parts & kHasOverlooked) != 0) result.overlooked = next_digest(in);
  const std::uint64_t headers = (parts & kHasPreambles) != 0 ? in.number() : 0;
  if (headers > kMaxSteps) return damaged("it claims more wrapper headers than there are");
  for (std::uint64_t i = 0; i < headers; ++i) result.preambles.push_back(next_digest(in));
  if ((parts & kHasFoundBy) != 0) result.found_by = next_found_by(in);
  if (in.failed()) return damaged("it ends in the middle");
  if (!in.finished()) return damaged("there are bytes after its end");
  return result;
}

namespace {

constexpr std::string_view kDropped = "dropped";
constexpr std::uint8_t kOriginVersion = 1;

}  // namespace

// A result begins with its version, which is no letter.
std::string dropped_mark() { return std::string(kDropped); }

bool is_dropped_mark(std::string_view value) { return value == kDropped; }

Digest origin_key(const Digest& result_key) { return key_hasher("origin").field(result_key).finish(); }

std::string encode_origin(std::string_view result, std::string_view tier) {
  inputs::FrameWriter out;
  out.byte(kOriginVersion).raw(digest_of(result).bytes()).text(tier);
  return std::move(out).bytes();
}

std::string tier_of(std::string_view origin, std::string_view result) {
  inputs::FrameReader in(origin);
  if (in.byte() != kOriginVersion) return "";
  const Result<Digest> of = Digest::from_bytes(in.raw(Digest::kSize));
  std::string tier(in.text());
  if (in.failed() || !in.finished() || !of || *of != digest_of(result)) return "";
  return tier;
}

namespace {

Digest place(std::string_view domain, const Trust& trust, const Digest& result_key) {
  return key_hasher(domain).field(trust.keys).field(result_key).finish();
}

Digest trusted_place(const Trust& trust, const Digest& result_key) {
  return place("trusted result", trust, result_key);
}

Digest signable_place(const Trust& trust, const Digest& result_key) {
  return place("signable result", trust, result_key);
}

}  // namespace

Digest stored_under(const Trusted& trust, const Digest& result_key) {
  if (!trust) return result_key;
  return trust->signs ? signable_place(*trust, result_key) : trusted_place(*trust, result_key);
}

std::vector<Digest> found_under(const Trusted& trust, const Digest& result_key) {
  if (!trust || trust->signs) return {stored_under(trust, result_key)};
  return known_under(trust, result_key);
}

std::vector<Digest> known_under(const Trusted& trust, const Digest& result_key) {
  if (!trust) return {result_key};
  return {trusted_place(*trust, result_key), signable_place(*trust, result_key)};
}

bool reads_other_stores(const Trusted& trust) { return !trust || !trust->signs; }

bool may_be_found_by(const FoundBy& names, const ActionResult& result) {
  return !result.found_by || *result.found_by == names;
}

std::string encode_shared(ActionResult result) {
  result.found_by.reset();
  return result.encode();
}

std::vector<Digest> blobs_of(const ActionResult& result) {
  std::vector<Digest> blobs;
  for (const Output& output : result.outputs) blobs.push_back(output.blob);
  return blobs;
}

std::shared_ptr<const inputs::PathSet> decode_set(const Digest& id, std::string_view bytes) {
  Result<inputs::PathSet> set = inputs::PathSet::decode(bytes);
  if (!set || set->id() != id) return nullptr;
  return std::make_shared<const inputs::PathSet>(std::move(*set));
}

Status put_received_blob(const Digest& digest, std::string_view bytes, store::LocalStore& store) {
  const Result<Digest> stored = store.put_blob_like(bytes, {.parts = {}, .is_copy = true});
  if (!stored) return stored.error();
  if (*stored != digest) return Error{"a blob does not match its digest", ErrorCode::damaged};
  return done();
}

Status put_received(const Received& received, const Trusted& trust, const store::MayReplace& may,
                    store::LocalStore& store, store::Lease& lease) {
  const std::vector<Digest> named = blobs_of(received.result);
  const Result<bool> held = store.hold_blobs(named, lease);
  if (!held) return held.error();
  if (!*held) return Error{"it has lost a blob", ErrorCode::gone};
  const Result<Digest> set = store.put_blob_like(received.set->encode(), {.parts = {}, .family = "path-set"});
  if (!set) return set.error();
  ActionResult result = received.result;
  if (!received.tier.empty()) {
    const std::string origin = encode_origin(encode_shared(result), received.tier);
    if (Status put = store.put_action(origin_key(received.result_key), origin); !put) return put;
  }
  result.found_by = FoundBy{received.key.value, received.set->id(), received.result_key};
  const Result<bool> put = store.put_action_if(stored_under(trust, received.result_key), result.encode(), may);
  if (!put) return put.error();
  if (!*put) return Error{"another value stands in its place, such as the mark of an audit", ErrorCode::gone};
  return store.add_path_set(received.key.value, {received.set->id(), *set});
}

// Store trouble and damage are a miss.
std::optional<std::string> StoredResults::read(store::ReadableStore& store, const Digest& place) {
  Result<std::optional<std::string>> stored = store.action(place);
  if (stored) return std::move(*stored);
  log_.warning(stored.error().message);
  return std::nullopt;
}

std::optional<ActionResult> StoredResults::decode(const std::string& stored) {
  Result<ActionResult> result = ActionResult::decode(stored);
  if (result) return std::move(*result);
  log_.warning(result.error().message);
  return std::nullopt;
}

// A mark in our own store hides what all stores have.
std::optional<ActionResult> StoredResults::find(const Sought& sought) {
  const std::vector<Digest> places = found_under(trust_, sought.names.result_key);
  std::optional<std::string> first;  // where we write
  for (const Digest& place : places) {
    const std::optional<std::string> stored = read(store_, place);
    if (place == places.front()) first = stored;
    if (!stored) continue;
    if (is_dropped_mark(*stored)) return std::nullopt;
    std::optional<ActionResult> result = decode(*stored);
    if (!result || !is_of_use(*result, sought)) continue;
    if (place == places.front()) note_found_by(sought.names, *result, *stored);
    return result;
  }
  std::optional<ActionResult> result = find_below(places);
  if (!result || !is_of_use(*result, sought)) return std::nullopt;
  take_over(sought.names, *result, first);
  return result;
}

std::vector<std::shared_ptr<store::ReadableStore>> StoredResults::lower() {
  if (!reads_other_stores(trust_)) return {};
  return store_.lower();
}

// Skips what cannot be decoded: another version of hipcache wrote it for its own store.
std::optional<ActionResult> StoredResults::find_below(std::span<const Digest> places) {
  for (const auto& below : lower()) {
    for (const Digest& place : places) {
      const std::optional<std::string> stored = read(*below, place);
      if (!stored) continue;
      if (Result<ActionResult> result = ActionResult::decode(*stored)) return std::move(*result);
    }
  }
  return std::nullopt;
}

bool StoredResults::is_of_use(const ActionResult& result, const Sought& sought) {
  if (!may_be_found_by(sought.names, result)) return false;
  if (!sought.suffices(result)) {
    log_.warning("a stored result lacks an output that is asked for: a miss");
    return false;
  }
  const Result<bool> held = store_.hold_blobs(blobs_of(result), sought.lease);
  if (!held) log_.warning(held.error().message);
  return held && *held;
}

// An earlier version of hipcache stored results without it. Written once for each of them. `stored`: the result as it
// was read.
void StoredResults::note_found_by(const FoundBy& names, const ActionResult& result, const std::string& stored) {
  if (result.found_by) return;
  ActionResult named = result;
  named.found_by = names;
  const Result<bool> noted =
      store_.put_action_if(stored_under(trust_, names.result_key), named.encode(),
                           [&](const std::optional<std::string>& present) { return present == stored; });
  if (!noted) log_.warning(noted.error().message);
}

// `before`: what was in its place when the look-up began.
void StoredResults::take_over(const FoundBy& names, ActionResult& result, const std::optional<std::string>& before) {
  result.found_by = names;
  const Result<bool> taken =
      store_.take_over_action(stored_under(trust_, names.result_key), result.encode(),
                              [&](const std::optional<std::string>& present) { return present == before; });
  if (!taken) log_.warning(taken.error().message);
}

Status StoredResults::put(const FoundBy& names, ActionResult result) {
  result.found_by = names;
  return store_.put_action(stored_under(trust_, names.result_key), result.encode(), blobs_of(result));
}

Result<bool> StoredResults::replace(const FoundBy& names, const ActionResult& found, ActionResult result) {
  result.found_by = names;
  const std::string expected = encode_shared(found);
  return store_.put_action_if(stored_under(trust_, names.result_key), result.encode(),
                              [&](const std::optional<std::string>& present) {
                                if (!present) return true;
                                Result<ActionResult> now = ActionResult::decode(*present);
                                return now && encode_shared(std::move(*now)) == expected;
                              });
}

Status StoredResults::drop(const Digest& result_key) {
  for (const Digest& place : known_under(trust_, result_key))
    if (Status dropped = store_.put_action(place, dropped_mark()); !dropped) return dropped;
  return done();
}

}  // namespace hipcache::cache
