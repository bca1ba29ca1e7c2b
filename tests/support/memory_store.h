// A store::LocalStore in memory, for tests of code that uses one. Evicts nothing; tests can damage or lose any value.
#ifndef HIPCACHE_TESTS_SUPPORT_MEMORY_STORE_H
#define HIPCACHE_TESTS_SUPPORT_MEMORY_STORE_H

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "hipcache/store/local_store.h"
#include "store/framing.h"

namespace hipcache::support {

class MemoryStore : public store::LocalStore {
 public:
  // Tests may damage, lose and count these.
  std::map<Digest, std::string> actions;
  std::map<Digest, std::string> blobs;
  std::set<Digest> leased;
  unsigned action_writes = 0;
  std::atomic<bool> broken = false;  // every call is an error; set while the code under test runs

  Result<std::optional<std::string>> action(const Digest& key) override {
    {
      std::lock_guard lock(mutex_);
      ++look_ups_[key];
    }
    return find(actions, key);
  }

  // How often the key was looked up.
  unsigned look_ups(const Digest& key) const {
    std::lock_guard lock(mutex_);
    const auto at = look_ups_.find(key);
    return at == look_ups_.end() ? 0 : at->second;
  }

  Status put_action(const Digest& key, std::string_view value, std::span<const Digest> /*blobs*/ = {}) override {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    ++action_writes;
    actions[key] = std::string(value);
    return done();
  }

  Result<bool> put_action_if(const Digest& key, std::string_view value, const store::MayReplace& may) override {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    const auto present = actions.find(key);
    if (!may(present == actions.end() ? std::nullopt : std::optional(present->second))) return false;
    ++action_writes;
    actions[key] = std::string(value);
    return true;
  }

  Result<std::vector<store::PathSetReference>> path_sets(const Digest& key) override {
    const Result<std::optional<std::string>> bytes = action(key);
    if (!bytes) return bytes.error();
    if (!*bytes) return std::vector<store::PathSetReference>();
    Result<store::PathSetList> list = store::PathSetList::decode(**bytes);
    if (!list) return list.error();
    return std::move(*list).sets();
  }

  Status add_path_set(const Digest& key, const store::PathSetReference& set) override {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    const auto known = actions.find(key);
    const std::string bytes = known == actions.end() ? std::string() : known->second;
    const Result<store::PathSetList> decoded = store::PathSetList::decode(bytes);
    store::PathSetList list = decoded ? *decoded : store::PathSetList();
    if (!list.move_to_front(set)) return done();
    ++action_writes;
    actions[key] = list.encode();
    return done();
  }

  Result<std::optional<std::string>> blob(const Digest& digest) override { return find(blobs, digest); }

  Result<std::optional<UniqueFd>> blob_file(const Digest& digest) override {
    const Result<std::optional<std::string>> bytes = blob(digest);
    if (!bytes) return bytes.error();
    if (!*bytes) return std::optional<UniqueFd>();
    Result<UniqueFd> file = sealed_memory(**bytes, "blob");
    if (!file) return file.error();
    return std::optional(std::move(*file));
  }

  Result<std::vector<Digest>> missing_blobs(std::span<const Digest> digests) override {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    std::vector<Digest> missing;
    for (const Digest& digest : digests)
      if (!blobs.contains(digest)) missing.push_back(digest);
    return missing;
  }

  Result<bool> hold_blobs(std::span<const Digest> digests, store::Lease&) override {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    bool all = true;
    for (const Digest& digest : digests) {
      leased.insert(digest);
      all = all && blobs.contains(digest);
    }
    return all;
  }

  Result<Digest> put_blob_like(std::string_view bytes, const store::Likeness&) override {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    const Digest digest = digest_of(bytes);
    blobs[digest] = std::string(bytes);
    return digest;
  }

  std::unique_ptr<store::Lease> lease() override { return std::make_unique<NotingLease>(*this); }

  Result<std::optional<std::string>> note(std::string_view name) override { return find(notes_, std::string(name)); }

  Status put_note(std::string_view name, std::string_view value) override {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    notes_[std::string(name)] = std::string(value);
    return done();
  }

  Status shrink_to(std::uint64_t) override { return done(); }

  std::map<Digest, std::uint32_t> last_uses;  // of actions; 0 for those that are not in it
  Result<std::vector<store::StoredAction>> stored_actions() override {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    std::vector<store::StoredAction> all;
    for (const auto& [key, value] : actions) all.push_back({key, last_uses[key]});
    return all;
  }
  store::ReadableStore& quiet() override { return *this; }

  bool is_in_place() override { return true; }
  Status clear() override {
    std::lock_guard lock(mutex_);
    actions.clear();
    blobs.clear();
    return done();
  }

  store::Usage usage() override {
    std::lock_guard lock(mutex_);
    store::Usage usage;
    usage.actions = actions.size();
    usage.blobs = blobs.size();
    for (const auto& [digest, bytes] : blobs) usage.bytes += bytes.size();
    return usage;
  }

 private:
  class NotingLease : public store::Lease {
   public:
    explicit NotingLease(MemoryStore& store) : store_(store) {}
    void add(const Digest& blob) override {
      std::lock_guard lock(store_.mutex_);
      store_.leased.insert(blob);
    }

   private:
    MemoryStore& store_;
  };

  static Error trouble() { return Error{"store: broken on purpose"}; }

  template <typename Key>
  Result<std::optional<std::string>> find(const std::map<Key, std::string>& table, const Key& key) {
    std::lock_guard lock(mutex_);
    if (broken) return trouble();
    auto at = table.find(key);
    return at == table.end() ? std::optional<std::string>() : std::optional<std::string>(at->second);
  }

  mutable std::mutex mutex_;
  std::map<Digest, unsigned> look_ups_;
  std::map<std::string, std::string> notes_;
};

}  // namespace hipcache::support

#endif
