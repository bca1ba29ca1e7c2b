#include "hipcache/cache/exchange.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "cache/stored_results.h"
#include "hipcache/base/roots.h"
#include "hipcache/base/step_name.h"
#include "hipcache/cache/miss_history.h"

namespace hipcache::cache {

namespace {

bool has_parent_component(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return false;
}

}  // namespace

bool is_place_of_request(std::string_view place) {
  if (has_parent_component(place) || place.starts_with('/')) return false;
  return !Roots::mark_in_front(place).starts_with(kToolchainMark);
}

bool names_only_places_of_request(const ActionResult& result) {
  return std::all_of(result.outputs.begin(), result.outputs.end(),
                     [](const Output& output) { return is_place_of_request(output.place); });
}

namespace {

bool means(std::string_view wanted, std::string_view arch) {
  return arch == wanted || arch.substr(0, arch.find(':')) == wanted;
}

bool is_wanted(std::string_view arch, const std::vector<std::string>& wanted) {
  return wanted.empty() ||
         std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) { return means(one, arch); });
}

bool is_of(const ActionResult& result, const std::vector<std::string>& archs) {
  return std::all_of(result.steps.begin(), result.steps.end(),
                     [&](const std::string& step) { return !names_arch(step) || is_wanted(step, archs); });
}

// The result under the key; nothing if the value is another one, such as a list or a cost, or cannot be exported.
std::optional<StoredResult> result_in(std::string_view value, const store::StoredAction& stored,
                                      const Selection& selection) {
  const Result<ActionResult> result = ActionResult::decode(value);
  if (!result || !result->found_by || !is_of(*result, selection.archs) || !names_only_places_of_request(*result))
    return std::nullopt;
  if (stored_under(selection.trust, result->found_by->result_key) != stored.key) return std::nullopt;
  return StoredResult{stored.key, *result->found_by, stored.last_use};
}

bool is_nothing_or_result(const std::optional<std::string>& present) {
  return !present || ActionResult::decode(*present).ok();
}

bool used_later(const StoredResult& one, const StoredResult& other) {
  if (one.last_use != other.last_use) return one.last_use > other.last_use;
  return one.found_by.result_key < other.found_by.result_key;
}

}  // namespace

Publication publication_of(const Digest& key, const Digest& result_key, std::shared_ptr<const inputs::PathSet> set,
                           ActionResult result) {
  std::vector<RemoteBlobName> blobs;
  for (const Output& output : result.outputs) blobs.push_back({output.blob, output.size});
  return {.key = key,
          .result_key = result_key,
          .set = set->id(),
          .path_set = std::move(set),
          .action = encode_shared(std::move(result)),
          .blobs = std::move(blobs)};
}

Result<Selected> select_stored(store::LocalStore& store, const Selection& selection) {
  const Result<std::vector<store::StoredAction>> actions = store.stored_actions();
  if (!actions) return actions.error();
  std::map<Digest, std::vector<StoredResult>> by_key;
  std::vector<store::StoredAction> histories;
  for (const store::StoredAction& stored : *actions) {
    if (stored.last_use < selection.used_since) continue;
    const Result<std::optional<std::string>> value = store.quiet().action(stored.key);
    if (!value || !*value) continue;
    if (is_history_list(**value))
      histories.push_back(stored);
    else if (const std::optional<StoredResult> result = result_in(**value, stored, selection))
      by_key[result->found_by.key].push_back(*result);
  }
  std::vector<const std::vector<StoredResult>*> groups;
  for (auto& [key, results] : by_key) {
    std::sort(results.begin(), results.end(), used_later);
    if (results.size() > kMostOfOneKey) results.resize(kMostOfOneKey);
    groups.push_back(&results);
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto* one, const auto* other) { return used_later(one->front(), other->front()); });
  Selected selected;
  for (const auto* group : groups) selected.results.insert(selected.results.end(), group->begin(), group->end());
  std::sort(histories.begin(), histories.end(), [](const store::StoredAction& one, const store::StoredAction& other) {
    return one.last_use != other.last_use ? one.last_use > other.last_use : one.key < other.key;
  });
  for (const store::StoredAction& history : histories) selected.histories.push_back(history.key);
  return selected;
}

std::optional<Publication> read_publication(store::LocalStore& store, const StoredResult& stored) {
  store::ReadableStore& quiet = store.quiet();
  const Result<std::optional<std::string>> action = quiet.action(stored.store_key);
  if (!action || !*action) return std::nullopt;
  const Result<ActionResult> result = ActionResult::decode(**action);
  const Result<std::vector<store::PathSetReference>> sets = quiet.path_sets(stored.found_by.key);
  if (!result || !sets) return std::nullopt;
  const auto listed =
      std::find_if(sets->begin(), sets->end(), [&](const auto& set) { return set.id == stored.found_by.path_set; });
  if (listed == sets->end()) return std::nullopt;
  const Result<std::optional<std::string>> questions = quiet.blob(listed->blob);
  if (!questions || !*questions) return std::nullopt;
  std::shared_ptr<const inputs::PathSet> set = decode_set(listed->id, **questions);
  if (!set) return std::nullopt;
  return publication_of(stored.found_by.key, stored.found_by.result_key, std::move(set), *result);
}

std::vector<Publication> read_history(MissHistory& history, const Digest& name, const Selection& selection) {
  std::vector<Publication> all;
  for (const StoredEntry& stored : history.stored(name)) {
    const std::vector<std::string>& archs = stored.entry.request.archs;
    const auto is_one = [&](const std::string& arch) { return is_wanted(arch, selection.archs); };
    if (!archs.empty() && std::none_of(archs.begin(), archs.end(), is_one)) continue;
    std::optional<Publication> shared = history_publication(name, stored.entry, stored.blob);
    if (!shared) continue;
    const auto is_of_command = [&](const Publication& one) { return one.set == shared->set; };
    if (std::none_of(all.begin(), all.end(), is_of_command)) all.push_back(std::move(*shared));
  }
  return all;
}

// An archive names result keys, and we do not compute them. What has another form than a result is never replaced: the
// mark of a result that an audit found wrong, or a list. Not asked with store.quiet(), which may lack values of a store
// that was just opened.
Result<Accepted> accept(const Offered& offered, const std::optional<Trust>& trust, store::LocalStore& store,
                        store::Lease& lease) {
  const Result<ActionResult> result = ActionResult::decode(offered.action);
  if (!result || !names_only_places_of_request(*result)) return Accepted::refused;
  std::shared_ptr<const inputs::PathSet> set = decode_set(offered.path_set, offered.questions);
  if (!set) return Accepted::refused;
  for (const Digest& place : found_under(trust, offered.result_key)) {
    const Result<std::optional<std::string>> present = store.action(place);
    if (!present) return present.error();
    if (!*present) continue;
    const Result<ActionResult> own = ActionResult::decode(**present);
    if (!own) return Accepted::refused;
    const Result<std::vector<Digest>> missing = store.missing_blobs(blobs_of(*own));
    if (missing && missing->empty()) return Accepted::known;
  }
  const Status put = put_received(
      {.key = {offered.key}, .result_key = offered.result_key, .set = std::move(set), .result = *result, .tier = ""},
      trust, is_nothing_or_result, store, lease);
  if (put) return Accepted::stored;
  if (put.error().code == ErrorCode::gone) return Accepted::refused;
  return put.error();
}

Status accept_blob(const Digest& digest, std::string_view bytes, store::LocalStore& store, store::Lease& lease) {
  lease.add(digest);
  return put_received_blob(digest, bytes, store);
}

}  // namespace hipcache::cache
