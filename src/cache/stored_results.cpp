#include "cache/stored_results.h"

#include <utility>

#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::cache {

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
