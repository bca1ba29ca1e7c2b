#include "cache/remote_look_up.h"

#include <algorithm>
#include <utility>

#include "cache/stored_results.h"
#include "hipcache/cache/exchange.h"

namespace hipcache::cache {

std::shared_ptr<const inputs::PathSet> DecodedSets::find(const Digest& id) {
  std::lock_guard lock(mutex_);
  auto at = places_.find(id);
  if (at == places_.end()) return nullptr;
  order_.splice(order_.begin(), order_, at->second);
  return *at->second;
}

void DecodedSets::insert(std::shared_ptr<const inputs::PathSet> set) {
  const std::size_t size = set->memory();
  std::lock_guard lock(mutex_);
  if (size > max_bytes_ || places_.contains(set->id())) return;
  while (bytes_ + size > max_bytes_) {
    bytes_ -= order_.back()->memory();
    places_.erase(order_.back()->id());
    order_.pop_back();
  }
  bytes_ += size;
  order_.push_front(std::move(set));
  places_.emplace(order_.front()->id(), order_.begin());
}

std::size_t DecodedSets::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

namespace {

constexpr int kRounds = 8;  // tiers that are asked for lists, one after the other

bool is_known(const std::vector<std::uint64_t>& tags, const Digest& result_key) {
  return std::find(tags.begin(), tags.end(), remote_tag(result_key)) != tags.end();
}

}  // namespace

std::uint64_t remote_tag(const Digest& result_key) {
  std::uint64_t tag = 0;
  for (const char byte : result_key.bytes().substr(0, sizeof tag)) tag = tag << 8 | static_cast<unsigned char>(byte);
  return tag;
}

Digest result_key(const ActionKey& key, const Digest& set, const Digest& state) {
  return key_hasher("result").field(key.value).field(set).field(state).finish();
}

// A key whose list has no state of this machine is asked about again, at the servers that were not asked yet.
std::vector<RemoteLookUp::Fetched> RemoteLookUp::fetch_results(std::span<const ActionKey> keys) {
  std::vector<Fetched> fetched;
  const auto has = [&](const ActionKey& key) {
    return std::any_of(fetched.begin(), fetched.end(), [&](const Fetched& one) { return one.key == key; });
  };
  std::vector<RemoteResults::ListName> asking;
  for (const ActionKey& key : keys) asking.push_back({key.value, 0});
  for (int round = 0; round < kRounds && !asking.empty(); ++round) {
    const auto lists = tools_.remote.lists(asking);
    std::vector<Candidate> candidates;
    std::vector<RemoteResults::ListName> next;
    for (std::size_t at = 0; at < lists.size(); ++at) {
      if (!lists[at]) continue;
      std::vector<Candidate> matching = candidates_in({asking[at].key}, *lists[at]);
      if (matching.empty()) next.push_back({asking[at].key, lists[at]->asked});
      std::move(matching.begin(), matching.end(), std::back_inserter(candidates));
    }
    ask_for_results(candidates);
    ask_for_blobs(candidates);
    for (const Candidate& candidate : candidates)
      if (!has(candidate.key) && store(candidate)) fetched.push_back({candidate.key, candidate.witnessed});
    asking = std::move(next);
  }
  return fetched;
}

std::shared_ptr<const inputs::PathSet> RemoteLookUp::decode(const RemotePathSet& listed) {
  if (auto known = tools_.decoded.find(listed.id)) return known;
  std::shared_ptr<const inputs::PathSet> set = decode_set(listed.id, listed.bytes);
  if (set)
    tools_.decoded.insert(set);
  else
    tools_.log.warning("a shared cache has a path set that is damaged; it is not used");
  return set;
}

// Whether an audit found the result wrong on this machine.
bool RemoteLookUp::is_dropped(const Digest& result_key) {
  const std::vector<Digest> places = found_under(tools_.trust, result_key);
  return std::any_of(places.begin(), places.end(), [&](const Digest& place) {
    const Result<std::optional<std::string>> own = tools_.store.action(place);
    return own && *own && is_dropped_mark(**own);
  });
}

std::vector<RemoteLookUp::Candidate> RemoteLookUp::candidates_in(const ActionKey& key, const RemoteList& list) {
  std::vector<Candidate> candidates;
  for (const RemotePathSet& listed : list.sets) {
    std::shared_ptr<const inputs::PathSet> set = decode(listed);
    if (!set) continue;
    const inputs::State state = tools_.file_system.full_state(*set, from_, effort_);
    const Digest under = result_key(key, set->id(), state.digest);
    if (!is_known(listed.tags, under) || is_dropped(under)) continue;
    candidates.push_back({.key = key,
                          .witnessed = {std::move(set), state.digest, state.overlooked},
                          .result_key = under,
                          .result = {},
                          .tier = {},
                          .blobs = {},
                          .wanted = {}});
  }
  return candidates;
}

void RemoteLookUp::ask_for_results(std::vector<Candidate>& candidates) {
  if (candidates.empty()) return;
  std::vector<Digest> keys;
  for (const Candidate& candidate : candidates) keys.push_back(candidate.result_key);
  std::vector<std::optional<RemoteResult>> found = tools_.remote.results(keys);
  for (std::size_t at = 0; at < candidates.size(); ++at)
    if (found[at]) take_result(candidates[at], std::move(*found[at]));
}

// Another version of hipcache may have written a result that this one cannot read.
void RemoteLookUp::take_result(Candidate& candidate, RemoteResult found) {
  Result<ActionResult> result = ActionResult::decode(found.action);
  if (!result) return;
  if (!names_only_places_of_request(*result)) {
    tools_.log.info("a result of a shared cache names a file outside of the request's directories; it is not used");
    return;
  }
  std::vector<Digest> named;
  for (const Output& output : result->outputs) {
    lease_.add(output.blob);
    named.push_back(output.blob);
  }
  const Result<std::vector<Digest>> missing = tools_.store.missing_blobs(named);
  if (!missing) return;
  const std::set<Digest> absent(missing->begin(), missing->end());
  std::set<Digest> came;
  for (auto& [digest, bytes] : found.blobs)
    if (absent.contains(digest) && came.insert(digest).second) candidate.blobs.emplace_back(digest, std::move(bytes));
  for (const Output& output : result->outputs)
    if (absent.contains(output.blob) && came.insert(output.blob).second)
      candidate.wanted.push_back({output.blob, output.size});
  candidate.result = std::move(*result);
  candidate.tier = std::move(found.tier);
}

// Each blob once, however many results name it.
void RemoteLookUp::ask_for_blobs(std::vector<Candidate>& candidates) {
  std::vector<RemoteBlobName> names;
  std::set<Digest> named;
  for (const Candidate& candidate : candidates)
    for (const RemoteBlobName& wanted : candidate.wanted)
      if (named.insert(wanted.digest).second) names.push_back(wanted);
  if (names.empty()) return;
  const std::vector<std::optional<std::string>> found = tools_.remote.blobs(names);
  for (Candidate& candidate : candidates)
    for (std::size_t at = 0; at < names.size(); ++at)
      if (found[at] && std::any_of(candidate.wanted.begin(), candidate.wanted.end(),
                                   [&](const RemoteBlobName& wanted) { return wanted.digest == names[at].digest; }))
        candidate.blobs.emplace_back(names[at].digest, *found[at]);
}

bool RemoteLookUp::store(const Candidate& candidate) {
  if (!candidate.result) return false;
  const Status put = this->put(candidate);
  if (!put) tools_.log.info("a result of a shared cache is of no use: " + put.error().message);
  return put.ok();
}

Status RemoteLookUp::put(const Candidate& candidate) {
  for (const auto& [digest, bytes] : candidate.blobs)
    if (Status stored = put_received_blob(digest, bytes, tools_.store); !stored) return stored;
  const Received received{.key = candidate.key,
                          .result_key = candidate.result_key,
                          .set = candidate.witnessed.set,
                          .result = *candidate.result,
                          .tier = candidate.tier};
  return put_received(received, tools_.trust, is_not_dropped, tools_.store, lease_);
}

}  // namespace hipcache::cache
