#include "remote/tiers/tiers.h"

#include <utility>

#include "remote/layout/values.h"

namespace hipcache::remote {

namespace {

// Blobs first, then the result that names them, then the path set that leads to it.
std::optional<Failure> put_all(Tier& tier, const Publication& publication, const Divided& divided) {
  for (const RemoteBlob* blob : divided.large)
    if (const WriteAnswer put = tier.put_blob(blob->digest, blob->bytes); put.failure) return put.failure;
  if (const WriteAnswer put = tier.put_result(publication.result_key, divided.result, divided.names); put.failure)
    return put.failure;
  RemotePathSet set = publication.path_set;
  set.tags = {protocol::remote_tag(publication.result_key)};
  return tier.add_to_list(publication.key, {set}).failure;
}

std::uint64_t size_of(const List& list) {
  std::uint64_t size = 0;
  for (const RemotePathSet& set : list) size += set.bytes.size();
  return size;
}

std::uint64_t size_of(const std::string& bytes) { return bytes.size(); }

std::uint64_t size_of(const RemoteResult& result) {
  std::uint64_t size = result.action.size();
  for (const RemoteBlob& blob : result.blobs) size += blob.bytes.size();
  return size;
}

}  // namespace

// `write` is called later, in another thread. What exceeds the limits is not back-filled.
void Tiers::back_fill(std::uint64_t size, std::function<void()> write) {
  if (filling_.fetch_add(size) + size <= kBackFillBytes && fillers_.add([this, size, write = std::move(write)] {
        write();
        filling_ -= size;
      }))
    return;
  filling_ -= size;
}

// Tiers that failed are not back-filled: they may have the value. One whose value is damaged has not.
template <typename T, typename Ask, typename Put>
Found<T> Tiers::find(std::size_t skip, const Ask& ask, const Put& put) {
  Found<T> found;
  std::vector<Tier*> lacking;
  for (std::size_t at = skip; at < tiers_.size() && !found.value; ++at) {
    Tier& tier = *tiers_[at];
    if (!tier.reads()) continue;
    Answer<T> answer = ask(tier);
    found.asked = at + 1;
    found.failed = found.failed || answer.failure;
    found.value = std::move(answer.value);
    const bool may_have = answer.failure && answer.failure->trouble != Trouble::damaged;
    if (!found.value && !may_have && tier.writes()) lacking.push_back(&tier);
  }
  if (!found.value) return found;
  for (Tier* tier : lacking) back_fill(size_of(*found.value), [tier, put, value = *found.value] { put(*tier, value); });
  return found;
}

Found<List> Tiers::list(const Digest& key, std::size_t skip, TimePoint until) {
  const auto put = [key](Tier& tier, const List& list) { tier.add_to_list(key, list); };
  return find<List>(skip, [&](Tier& tier) { return tier.list(key, until); }, put);
}

// A result may be back-filled before its large blobs are: then a look-up asks the next tier for those.
Found<RemoteResult> Tiers::result(const Digest& key, TimePoint until) {
  const auto put = [key](Tier& tier, const RemoteResult& result) { tier.put_result(key, result, {}); };
  return find<RemoteResult>(0, [&](Tier& tier) { return tier.result(key, until); }, put);
}

Found<std::string> Tiers::blob(const Digest& digest, std::uint64_t size, TimePoint until) {
  const auto put = [digest](Tier& tier, const std::string& bytes) { tier.put_blob(digest, bytes); };
  return find<std::string>(0, [&](Tier& tier) { return tier.blob(digest, size, until); }, put);
}

std::string Tiers::publish(const Publication& publication) {
  if (!trust_->why_not_written().empty()) return trust_->why_not_written();
  Divided divided = divide(publication.action, publication.blobs);
  if (Status is_signed = trust_->sign(publication.result_key, divided.result); !is_signed)
    return is_signed.error().message;
  std::string problems;
  for (const auto& tier : tiers_) {
    if (!tier->writes()) continue;
    if (const std::optional<Failure> failure = put_all(*tier, publication, divided))
      problems += (problems.empty() ? "" : "; ") + tier->name() + ": " + failure->message;
  }
  return problems;
}

std::vector<protocol::RemoteTier> Tiers::statistics() {
  std::vector<protocol::RemoteTier> all;
  for (const auto& tier : tiers_) all.push_back(tier->statistics());
  return all;
}

void Tiers::zero() {
  for (const auto& tier : tiers_) tier->zero();
}

}  // namespace hipcache::remote
