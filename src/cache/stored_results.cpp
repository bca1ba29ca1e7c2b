#include "cache/stored_results.h"

#include <utility>

#include "cache/received.h"
#include "cache/result_marks.h"

namespace hipcache::cache {

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
