#include "remote/layout/key_value.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>

namespace hipcache::remote {

namespace {

// Blobs that came back damaged, so that the next put replaces them: the server has them, and says so. Thread-safe.
class DamagedBlobs {
 public:
  static constexpr std::size_t kMost = 4'096;

  void add(const Digest& digest) {
    const std::lock_guard lock(mutex_);
    if (digests_.size() < kMost) digests_.insert(digest);
  }
  bool has(const Digest& digest) {
    const std::lock_guard lock(mutex_);
    return digests_.contains(digest);
  }
  void remove(const Digest& digest) {
    const std::lock_guard lock(mutex_);
    digests_.erase(digest);
  }

 private:
  std::mutex mutex_;
  std::set<Digest> digests_;
};

class PlainBackend : public Backend {
 public:
  PlainBackend(std::unique_ptr<KeyValue> store, const std::string& prefix, std::uint64_t max_bytes)
      : store_(std::move(store)), root_(prefix.empty() ? "" : prefix + "/"), max_bytes_(max_bytes) {}

  Answer<List> list(const Digest& key, const Limits& limits) override {
    return decoded<List>(store_->get(name_of(kListTable, key), most(kListLimit), limits),
                         [&](const std::string& value) { return decode_list(key, value); });
  }

  Answer<RemoteResult> result(const Digest& key, const Limits& limits) override {
    return decoded<RemoteResult>(store_->get(name_of(kResultTable, key), most(kResultLimit), limits),
                                 [&](const std::string& value) { return decode_result(key, value); });
  }

  Answer<std::string> blob(const Digest& digest, std::uint64_t size, const Limits& limits) override {
    if (size > max_bytes_) return {};
    // The result says the size. So a value that claims more takes no memory.
    Answer<std::string> answer =
        decoded<std::string>(store_->get(name_of(kBlobTable, digest), std::min(most_of_blob(size), max_bytes_), limits),
                             [&](const std::string& value) { return decode_blob(digest, value, size); });
    if (answer.failure && answer.failure->trouble == Trouble::damaged) damaged_.add(digest);
    return answer;
  }

  WriteAnswer put_blob(const Digest& digest, const std::string& bytes, const Limits& limits) override {
    const std::string name = name_of(kBlobTable, digest);
    if (!damaged_.has(digest)) {
      const Answer<bool> known = store_->has(name, limits);
      if (known.failure) return WriteAnswer(*known.failure);
      if (known.value.value_or(false)) return {};
    }
    WriteAnswer answer = put(name, encode_blob(bytes), limits);
    if (!answer.failure) damaged_.remove(digest);
    return answer;
  }

  WriteAnswer put_result(const Digest& key, const RemoteResult& result, std::span<const Digest> /*large*/,
                         const Limits& limits) override {
    return put(name_of(kResultTable, key), encode_result(key, result), limits);
  }

  WriteAnswer add_to_list(const Digest& key, const List& sets, const Limits& limits) override {
    const auto with_sets = [&](const std::optional<std::string>& present) -> std::optional<std::string> {
      const std::optional<List> list = merged(key, present, sets);
      return list ? std::optional(encode_list(key, *list)) : std::nullopt;
    };
    return store_->change(name_of(kListTable, key), most(kListLimit), with_sets, limits);
  }

 private:
  std::string name_of(char table, const Digest& key) const { return root_ + name_of_value({table, key}); }

  std::uint64_t most(std::uint64_t of_kind) const { return std::min(of_kind, max_bytes_); }

  WriteAnswer put(const std::string& name, const std::string& value, const Limits& limits) {
    if (value.size() > max_bytes_) return WriteAnswer(Failure{Trouble::full, "the value exceeds max_bytes", {}});
    return store_->put(name, value, limits);
  }

  template <typename T, typename Decode>
  static Answer<T> decoded(Answer<std::string> got, const Decode& decode) {
    if (got.failure) return Answer<T>(std::move(*got.failure));
    if (!got.value) return {};
    Result<T> value = decode(*got.value);
    if (!value) return Answer<T>(Failure{Trouble::damaged, value.error().message, {}});
    return Answer<T>(std::move(*value), got.value->size());
  }

  std::unique_ptr<KeyValue> store_;
  const std::string root_;
  const std::uint64_t max_bytes_;
  DamagedBlobs damaged_;
};

}  // namespace

void wait_a_moment() {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<int>(20, 120)(random)));
}

WriteAnswer KeyValue::change(const std::string& name, std::uint64_t most, const Change& change, const Limits& limits) {
  WriteAnswer written;
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) wait_a_moment();
    Answer<std::string> present = get(name, most, limits);
    // A damaged or oversized list is begun anew.
    if (present.failure && present.failure->trouble != Trouble::damaged) return WriteAnswer(*present.failure);
    const std::optional<std::string> next = change(present.value);
    if (!next) return written;
    WriteAnswer put = this->put(name, *next, limits);
    if (put.failure) return put;
    written = WriteAnswer({}, written.bytes + put.bytes);
  }
  return written;
}

std::unique_ptr<Backend> make_plain_backend(std::unique_ptr<KeyValue> store, const std::string& prefix,
                                            std::uint64_t max_bytes) {
  return std::make_unique<PlainBackend>(std::move(store), prefix, max_bytes);
}

}  // namespace hipcache::remote
