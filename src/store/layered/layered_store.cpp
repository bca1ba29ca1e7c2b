#include <atomic>
#include <cstdint>
#include <utility>

#include "hipcache/store/layers.h"
#include "store/layered/layers.h"

namespace hipcache::store {
namespace {

class LayeredStore : public LocalStore {
 public:
  LayeredStore(std::unique_ptr<LocalStore> own, FindLayers find, Log& log)
      : own_(std::move(own)), layers_(std::move(find), log) {}

  Result<std::optional<std::string>> action(const Digest& key) override { return own_->action(key); }
  Result<std::vector<PathSetReference>> path_sets(const Digest& key) override { return own_->path_sets(key); }
  Status put_action(const Digest& key, std::string_view value, std::span<const Digest> blobs) override {
    return own_->put_action(key, value, blobs);
  }
  Result<bool> put_action_if(const Digest& key, std::string_view value, const MayReplace& may) override {
    return own_->put_action_if(key, value, may);
  }
  Status add_path_set(const Digest& key, const PathSetReference& set) override { return own_->add_path_set(key, set); }

  std::vector<std::shared_ptr<ReadableStore>> lower() override {
    const Layers::Readers readers = layers_.readers();
    return {readers.begin(), readers.end()};
  }

  Result<bool> take_over_action(const Digest& key, std::string_view value, const MayReplace& may) override {
    Result<bool> put = own_->put_action_if(key, value, may);
    if (put && *put) ++taken_over_;
    return put;
  }

  Result<std::optional<std::string>> blob(const Digest& digest) override {
    Result<std::optional<std::string>> found = own_->blob(digest);
    if (found && !*found) *found = copy_from_below(digest);
    return found;
  }

  Result<std::optional<UniqueFd>> blob_file(const Digest& digest) override {
    Result<std::optional<UniqueFd>> found = own_->blob_file(digest);
    if (found && !*found && copy_from_below(digest)) return own_->blob_file(digest);
    return found;
  }

  Result<std::vector<Digest>> missing_blobs(std::span<const Digest> digests) override {
    Result<std::vector<Digest>> missing = own_->missing_blobs(digests);
    if (missing && !missing->empty()) *missing = missing_below(std::move(*missing));
    return missing;
  }

  // Copies nothing unless every blob is somewhere. The lease names a blob from the first attempt on, so the copy is
  // held as soon as it exists.
  Result<bool> hold_blobs(std::span<const Digest> digests, Lease& lease) override {
    std::vector<Digest> absent;
    for (const Digest& digest : digests) {
      Result<bool> held = own_->hold_blob(digest, lease);
      if (!held) return held;
      if (!*held) absent.push_back(digest);
    }
    if (absent.empty()) return true;
    if (!missing_below(absent).empty()) return false;
    for (const Digest& digest : absent)
      if (!copy_from_below(digest)) return false;
    return own_->hold_blobs(absent, lease);
  }

  Result<Digest> put_blob_like(std::string_view bytes, const Likeness& likeness) override {
    return own_->put_blob_like(bytes, likeness);
  }

  std::unique_ptr<Lease> lease() override { return own_->lease(); }

  Result<std::vector<StoredAction>> stored_actions() override { return own_->stored_actions(); }
  ReadableStore& quiet() override { return own_->quiet(); }

  Result<std::optional<std::string>> note(std::string_view name) override { return own_->note(name); }
  Status put_note(std::string_view name, std::string_view value) override { return own_->put_note(name, value); }

  Status shrink_to(std::uint64_t max_bytes) override { return own_->shrink_to(max_bytes); }
  Status clear() override { return own_->clear(); }
  bool is_in_place() override { return own_->is_in_place(); }

  Evicted evicted() const override { return own_->evicted(); }
  Usage usage() override {
    Usage usage = own_->usage();
    usage.layers = layers_.readers_now().size();
    usage.taken_over = taken_over_;
    return usage;
  }

 private:
  // Those of the blobs that no layer has.
  std::vector<Digest> missing_below(std::vector<Digest> digests) {
    for (const auto& reader : layers_.readers()) {
      if (Result<std::vector<Digest>> missing = reader->missing_blobs(digests)) digests = std::move(*missing);
      if (digests.empty()) break;
    }
    return digests;
  }

  // nullopt if no layer has the blob. If the copy cannot be stored, the caller gets the bytes all the same.
  std::optional<std::string> copy_from_below(const Digest& digest) {
    for (const auto& reader : layers_.readers()) {
      Result<std::optional<std::string>> bytes = reader->blob(digest);
      if (!bytes || !*bytes) continue;
      [[maybe_unused]] const Result<Digest> stored = own_->put_blob(**bytes);
      return std::move(*bytes);
    }
    return std::nullopt;
  }

  std::unique_ptr<LocalStore> own_;
  Layers layers_;
  std::atomic<std::uint64_t> taken_over_ = 0;
};

}  // namespace

std::unique_ptr<LocalStore> make_layered_store(std::unique_ptr<LocalStore> own, FindLayers find, Log& log) {
  return std::make_unique<LayeredStore>(std::move(own), std::move(find), log);
}

}  // namespace hipcache::store
