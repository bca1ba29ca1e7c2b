#include "hipcache/cache/action_cache.h"

#include <algorithm>

#include "cache/remote_look_up.h"
#include "cache/stored_results.h"
#include "hipcache/cache/exchange.h"

namespace hipcache::cache {
namespace {

using store::PathSetReference;
using PathSets = std::vector<PathSetReference>;

std::shared_ptr<const inputs::PathSet> union_of(const std::vector<inputs::Witnessed>& parts, Whole whole) {
  std::vector<std::shared_ptr<const inputs::PathSet>> sets;
  for (const inputs::Witnessed& part : parts) sets.push_back(part.set);
  return std::make_shared<const inputs::PathSet>(whole == Whole::request ? inputs::PathSet::of_request(sets)
                                                                         : inputs::PathSet::merge(sets));
}

FoundBy names_of(const ActionKey& key, const inputs::Witnessed& witnessed) {
  const Digest id = witnessed.set->id();
  return {key.value, id, result_key(key, id, witnessed.state)};
}

}  // namespace

Hasher key_hasher(std::string_view domain) {
  Hasher hasher(domain);
  hasher.field("hipcache-action").field(std::uint64_t{kSchema});
  return hasher;
}

struct ActionCache::Memory {
  store::LocalStore& store;
  inputs::FileSystemState& file_system;
  Log& log;
  RemoteResults* remote;
  StoredResults results;
  DecodedSets decoded{kDecodedBytes};

  PathSets sets_under(const ActionKey& key);
  void prefer(const ActionKey& key, const PathSetReference& set);
  std::shared_ptr<const inputs::PathSet> path_set(const PathSetReference& reference);
  Result<Digest> put_set(const inputs::PathSet& set);
  Status put_result(const ActionKey& key, const inputs::Witnessed& witnessed, const Digest& set_blob,
                    ActionResult result);
  Status make_found(const ActionKey& key, const inputs::Witnessed& witnessed, const Digest& set_blob,
                    const ActionResult& result);
  PathSets lower_sets_under(const ActionKey& key, const PathSets& tried);
  std::optional<Hit> look_up_here(const ActionKey& key, const Suffices& suffices, const inputs::RunContext& from,
                                  store::Lease& lease, inputs::Effort* effort);
  std::vector<RemoteLookUp::Fetched> fetch_results(std::span<const ActionKey> keys, const inputs::RunContext& from,
                                                   store::Lease& lease, inputs::Effort* effort);
  std::optional<Hit> try_set(const ActionKey& key, const PathSetReference& reference, const Suffices& suffices,
                             const inputs::RunContext& from, store::Lease& lease, inputs::Effort* effort);

  // The value, or nothing and a line in the log: store trouble is a miss.
  template <typename T>
  std::optional<T> or_miss(Result<std::optional<T>> found) {
    if (found) return std::move(*found);
    log.warning(found.error().message);
    return std::nullopt;
  }
  template <typename T>
  std::optional<T> or_miss(Result<T> decoded_value) {
    if (decoded_value) return std::move(*decoded_value);
    log.warning(decoded_value.error().message);
    return std::nullopt;
  }
};

PathSets ActionCache::Memory::sets_under(const ActionKey& key) {
  return or_miss(store.path_sets(key.value)).value_or(PathSets());
}

// Puts the set first for the next look-up. A failure only costs time: the set is found again, later
// in the list.
void ActionCache::Memory::prefer(const ActionKey& key, const PathSetReference& set) {
  if (Status moved = store.add_path_set(key.value, set); !moved) log.warning(moved.error().message);
}

std::shared_ptr<const inputs::PathSet> ActionCache::Memory::path_set(const PathSetReference& reference) {
  if (auto known = decoded.find(reference.id)) return known;
  const std::optional<std::string> bytes = or_miss(store.blob(reference.blob));
  if (!bytes) return nullptr;
  std::optional<inputs::PathSet> set = or_miss(inputs::PathSet::decode(*bytes));
  if (!set) return nullptr;
  if (set->id() != reference.id) {
    log.warning("path set " + reference.id.hex() + ": its blob holds another one; the entry is dropped");
    return nullptr;
  }
  auto shared = std::make_shared<const inputs::PathSet>(std::move(*set));
  decoded.insert(shared);
  return shared;
}

Result<Digest> ActionCache::Memory::put_set(const inputs::PathSet& set) {
  if (!set.within_limits()) return Error{"path set " + set.id().hex() + " is too large to be stored"};
  return store.put_blob_like(set.encode(), {.parts = {}, .family = "path-set"});
}

// Stores the result first: a list must not name a set whose result is not stored yet.
Status ActionCache::Memory::put_result(const ActionKey& key, const inputs::Witnessed& witnessed, const Digest& set_blob,
                                       ActionResult result) {
  result.overlooked = witnessed.overlooked;
  const Status put = results.put(names_of(key, witnessed), result);
  return put ? make_found(key, witnessed, set_blob, result) : put;
}

// Lets look-ups on this machine and on others find the result. REQUIRES: it is stored.
Status ActionCache::Memory::make_found(const ActionKey& key, const inputs::Witnessed& witnessed, const Digest& set_blob,
                                       const ActionResult& result) {
  const FoundBy names = names_of(key, witnessed);
  decoded.insert(witnessed.set);
  if (remote != nullptr && key.is_shared)
    remote->publish(publication_of(names.key, names.result_key, witnessed.set, result));
  return store.add_path_set(names.key, {names.path_set, set_blob});
}

std::vector<RemoteLookUp::Fetched> ActionCache::Memory::fetch_results(std::span<const ActionKey> keys,
                                                                      const inputs::RunContext& from,
                                                                      store::Lease& lease, inputs::Effort* effort) {
  const RemoteLookUp::Tools tools{.remote = *remote,
                                  .store = store,
                                  .file_system = file_system,
                                  .decoded = decoded,
                                  .log = log,
                                  .trust = results.trust()};
  return RemoteLookUp(tools, from, lease, effort).fetch_results(keys);
}

// The sets that other stores list and ours does not. Our list must not hide theirs, because each
// store has the sets that its owner's compiles met. Sets in our list were already tried with the
// results of all stores.
PathSets ActionCache::Memory::lower_sets_under(const ActionKey& key, const PathSets& tried) {
  PathSets sets;
  const auto has = [](const PathSets& some, const Digest& id) {
    return std::any_of(some.begin(), some.end(), [&](const PathSetReference& one) { return one.id == id; });
  };
  for (const auto& lower : results.lower()) {
    const Result<PathSets> theirs = lower->path_sets(key.value);
    if (!theirs) continue;
    for (const PathSetReference& set : *theirs)
      if (!has(tried, set.id) && !has(sets, set.id)) sets.push_back(set);
  }
  return sets;
}

std::optional<Hit> ActionCache::Memory::try_set(const ActionKey& key, const PathSetReference& reference,
                                                const Suffices& suffices, const inputs::RunContext& from,
                                                store::Lease& lease, inputs::Effort* effort) {
  std::shared_ptr<const inputs::PathSet> set = path_set(reference);
  if (!set) return std::nullopt;
  // hold_blob also marks the blob as recently used. Otherwise a set that is served from memory
  // could be evicted, and the next daemon would miss it.
  if (const Result<bool> used = store.hold_blob(reference.blob, lease); !used) log.warning(used.error().message);
  const inputs::State state = file_system.full_state(*set, from, effort);
  std::optional<ActionResult> result = results.find({names_of(key, {set, state.digest}), suffices, lease});
  if (!result) return std::nullopt;
  return Hit{std::move(*result), std::move(set), state.digest, state.overlooked};
}

ActionCache::ActionCache(store::LocalStore& store, inputs::FileSystemState& file_system, Log& log,
                         RemoteResults* remote, const std::optional<Trust>& trust)
    : memory_(new Memory{store, file_system, log, remote, {store, log, trust}}) {}
ActionCache::~ActionCache() = default;

// In the stores of this machine.
std::optional<Hit> ActionCache::Memory::look_up_here(const ActionKey& key, const Suffices& suffices,
                                                     const inputs::RunContext& from, store::Lease& lease,
                                                     inputs::Effort* effort) {
  const PathSets list = sets_under(key);
  for (const PathSetReference& reference : list) {
    std::optional<Hit> hit = try_set(key, reference, suffices, from, lease, effort);
    if (!hit) continue;
    if (reference != list.front()) prefer(key, reference);
    return hit;
  }
  for (const PathSetReference& reference : lower_sets_under(key, list)) {
    std::optional<Hit> hit = try_set(key, reference, suffices, from, lease, effort);
    if (!hit) continue;
    prefer(key, reference);
    return hit;
  }
  return std::nullopt;
}

std::optional<Hit> ActionCache::look_up(const ActionKey& key, const Suffices& suffices, const inputs::RunContext& from,
                                        store::Lease& lease, inputs::Effort* effort) {
  std::optional<Hit> hit = memory_->look_up_here(key, suffices, from, lease, effort);
  if (hit || memory_->remote == nullptr || !key.is_shared) return hit;
  for (const RemoteLookUp::Fetched& fetched : memory_->fetch_results({&key, 1}, from, lease, effort)) {
    const inputs::Witnessed& witnessed = fetched.witnessed;
    if (auto result = memory_->results.find({names_of(key, witnessed), suffices, lease}))
      return Hit{std::move(*result), witnessed.set, witnessed.state, witnessed.overlooked};
  }
  return std::nullopt;
}

void ActionCache::prefetch(const std::vector<ActionKey>& keys, const inputs::RunContext& from, store::Lease& lease) {
  if (memory_->remote == nullptr) return;
  std::vector<ActionKey> absent;
  for (const ActionKey& key : keys)
    if (key.is_shared && !memory_->look_up_here(key, any_result, from, lease, nullptr)) absent.push_back(key);
  if (!absent.empty()) memory_->fetch_results(absent, from, lease, nullptr);
}

Status ActionCache::record(const ActionKey& key, const inputs::Witnessed& witnessed, const ActionResult& result) {
  const Result<Digest> blob = memory_->put_set(*witnessed.set);
  if (!blob) return blob.error();
  return memory_->put_result(key, witnessed, *blob, result);
}

Status ActionCache::replace(const ActionKey& key, const Hit& hit, const ActionResult& result) {
  const inputs::Witnessed witnessed = hit.witnessed();
  const Result<Digest> blob = memory_->put_set(*witnessed.set);
  if (!blob) return blob.error();
  const Result<bool> replaced = memory_->results.replace(names_of(key, witnessed), hit.result, result);
  if (!replaced) return replaced.error();
  return *replaced ? memory_->make_found(key, witnessed, *blob, result) : done();
}

// FileSystemState::states looks at each path once, for the union and all parts. So if each part still has its
// witnessed state, the union's state describes the inputs that the parts read.
namespace {

// The first name whose answer has changed since the part was witnessed.
std::string changed_since(const inputs::Witnessed& part, const inputs::Answered& now) {
  const std::vector<inputs::Observation>& asked = part.set->observations();
  for (std::size_t at = 0; at < asked.size() && at < part.answered.size() && at < now.size(); ++at)
    if (part.answered[at] != now[at]) return asked[at].name;
  return "an input";
}

}  // namespace

Examined ActionCache::examine(const std::vector<inputs::Witnessed>& parts, Whole whole,
                              const inputs::RunContext& from) {
  Examined examined{.all = {union_of(parts, whole), {}}, .answered = {}};
  std::vector<const inputs::PathSet*> sets = {examined.all.set.get()};
  for (const inputs::Witnessed& part : parts) sets.push_back(part.set.get());
  const std::vector<inputs::State> states = memory_->file_system.states(sets, from, &examined.answered);
  const auto all_of_parts = [&](const auto& is_so) {
    return std::equal(parts.begin(), parts.end(), states.begin() + 1, states.end(), is_so);
  };
  examined.all.state = states.front().digest;
  examined.agrees =
      all_of_parts([](const inputs::Witnessed& part, const inputs::State& now) { return part.state == now.digest; });
  if (all_of_parts(
          [](const inputs::Witnessed& part, const inputs::State& now) { return part.overlooked == now.overlooked; }))
    examined.all.overlooked = states.front().overlooked;
  for (std::size_t index = 0; index < parts.size() && examined.changed.empty(); ++index) {
    if (parts[index].state == states[index + 1].digest) continue;
    inputs::Answered now;
    memory_->file_system.state(*parts[index].set, from, nullptr, &now);
    examined.changed = changed_since(parts[index], now);
  }
  return examined;
}

Result<Observed> ActionCache::record_union(const ActionKey& key, Examined examined, const ActionResult& result) {
  const inputs::Witnessed all = examined.all;
  Result<Observed> observed = store_union(std::move(examined));
  if (!observed) return observed;
  if (Status stored = memory_->put_result(key, all, observed->blob, result); !stored) return stored.error();
  return observed;
}

Result<Observed> ActionCache::store_union(Examined examined) {
  const Result<Digest> blob = memory_->put_set(*examined.all.set);
  if (!blob) return blob.error();
  return Observed{std::move(examined.all.set), *blob, std::move(examined.answered)};
}

Status ActionCache::drop(const ActionKey& key, const Hit& hit) {
  return memory_->results.drop(names_of(key, hit.witnessed()).result_key);
}

std::string ActionCache::origin(const ActionKey& key, const Hit& hit) {
  const Digest under = result_key(key, hit.path_set->id(), hit.state);
  const std::optional<std::string> origin = memory_->or_miss(memory_->store.action(origin_key(under)));
  return origin ? tier_of(*origin, encode_shared(hit.result)) : "";
}

std::uint64_t ActionCache::known_inputs(const ActionKey& key) {
  const PathSets list = memory_->sets_under(key);
  if (list.empty()) return 0;
  const std::shared_ptr<const inputs::PathSet> newest = memory_->path_set(list.front());
  return newest ? newest->observations().size() : 0;
}

std::shared_ptr<const inputs::PathSet> ActionCache::path_set(const ActionKey& key, const Digest& id) {
  const PathSets list = memory_->sets_under(key);
  for (const PathSetReference& reference : list)
    if (reference.id == id) return memory_->path_set(reference);
  return nullptr;
}

}  // namespace hipcache::cache
