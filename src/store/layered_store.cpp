#include <atomic>
#include <cstdint>
#include <utility>

#include "hipcache/store/layers.h"
#include "store/layers.h"

namespace hipcache::store {
namespace {

class LayeredStore : public Store {
 public:
  LayeredStore(std::unique_ptr<Store> own, FindLayers find, Log& log)
      : own_(std::move(own)), layers_(std::move(find), log) {}

  Result<std::optional<std::string>> action(const Digest& key) override { return own_->action(key); }
  Status put_action(const Digest& key, std::string_view value) override { return own_->put_action(key, value); }

  std::vector<std::string> lower_actions(const Digest& key) override {
    std::vector<std::string> values;
    for (const auto& reader : layers_.readers())
      if (std::optional<std::string> value = reader->action(key)) values.push_back(std::move(*value));
    return values;
  }

  Status take_over_action(const Digest& key, std::string_view value) override {
    ++taken_over_;
    return own_->put_action(key, value);
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

  // The lease names the blob from the first attempt on, so the copy is held as soon as it exists.
  Result<bool> hold_blob(const Digest& digest, Lease& lease) override {
    Result<bool> held = own_->hold_blob(digest, lease);
    if (held && !*held && copy_from_below(digest)) return own_->hold_blob(digest, lease);
    return held;
  }

  Result<Digest> put_blob_like(std::string_view bytes, const Likeness& likeness) override {
    return own_->put_blob_like(bytes, likeness);
  }

  std::unique_ptr<Lease> lease() override { return own_->lease(); }

  Result<std::optional<std::string>> note(std::string_view name) override { return own_->note(name); }
  Status put_note(std::string_view name, std::string_view value) override { return own_->put_note(name, value); }

  Status shrink_to(std::uint64_t max_bytes) override { return own_->shrink_to(max_bytes); }
  Status clear() override { return own_->clear(); }
  bool is_in_place() override { return own_->is_in_place(); }

  Usage usage() override {
    Usage usage = own_->usage();
    usage.layers = layers_.readers_now().size();
    usage.taken_over = taken_over_;
    return usage;
  }

 private:
  // nullopt if no layer has the blob. If the copy cannot be stored, the caller gets the bytes all the same.
  std::optional<std::string> copy_from_below(const Digest& digest) {
    for (const auto& reader : layers_.readers()) {
      std::optional<std::string> bytes = reader->blob(digest);
      if (!bytes) continue;
      [[maybe_unused]] const Result<Digest> stored = own_->put_blob(*bytes);
      return bytes;
    }
    return std::nullopt;
  }

  std::unique_ptr<Store> own_;
  Layers layers_;
  std::atomic<std::uint64_t> taken_over_ = 0;
};

}  // namespace

std::unique_ptr<Store> make_layered_store(std::unique_ptr<Store> own, FindLayers find, Log& log) {
  return std::make_unique<LayeredStore>(std::move(own), std::move(find), log);
}

}  // namespace hipcache::store
