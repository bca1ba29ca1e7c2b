#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/store/local_store.h"
#include "store/local/reader.h"

namespace hipcache::store {

namespace {

using namespace std::chrono_literals;

// The open readers of other stores. They follow which directories exist, and what the owners write.

// Thread-safe.
class Layers {
 public:
  using Readers = std::vector<std::shared_ptr<Reader>>;

  Layers(FindLayers find, Log& log) : find_(std::move(find)), log_(log) {}

  // The open readers, refreshed first if that is due.
  Readers readers();
  // The same, refreshed in any case.
  Readers readers_now();

 private:
  using Clock = std::chrono::steady_clock;

  struct State {
    std::shared_ptr<Reader> reader;  // null if it could not be opened
    Clock::time_point open_after;
    std::string problem;  // logged already
  };

  bool is_due() const { return Clock::now().time_since_epoch().count() >= due_; }
  enum class Haste { in_turn, now };  // in_turn: skip stores that are in the pause after an opening
  void refresh(Haste haste);
  void follow(const Layer& layer, Haste haste);
  void fail(State& state, const std::string& problem, Log::Level level);
  Readers copy();

  FindLayers find_;
  Log& log_;
  std::atomic<Clock::rep> due_ = 0;
  std::atomic<bool> looked_ = false;
  std::mutex refreshing_;
  // Two mutexes guard the states. A change needs refreshing_; it also needs mutex_, if readers could see it.
  std::mutex mutex_;
  std::map<std::string, State> states_;
};

constexpr auto kRefresh = 100ms;  // between two checks of what others wrote

constexpr auto kRetry = 1s;  // after a store could not be opened

constexpr int kIdleShare = 9;  // an opening is followed by a pause of this many times its duration

// Callers wait only for the first refresh. Later ones run in one caller, while others use the readers that are open.
Layers::Readers Layers::readers() {
  if (is_due()) {
    std::unique_lock refreshing(refreshing_, std::defer_lock);
    if (looked_) {
      [[maybe_unused]] const bool mine = refreshing.try_lock();
    } else {
      refreshing.lock();
    }
    if (refreshing.owns_lock() && is_due()) refresh(Haste::in_turn);
  }
  return copy();
}

Layers::Readers Layers::readers_now() {
  {
    const std::scoped_lock refreshing(refreshing_);
    refresh(Haste::now);
  }
  return copy();
}

Layers::Readers Layers::copy() {
  const std::scoped_lock lock(mutex_);
  Readers readers;
  for (const auto& [directory, state] : states_)
    if (state.reader) readers.push_back(state.reader);
  return readers;
}

// REQUIRES: refreshing_ is held.
void Layers::refresh(Haste haste) {
  std::vector<Layer> wanted = find_();
  if (wanted.size() > kMostLayers) wanted.resize(kMostLayers);
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(states_, [&](const auto& known) {
      return std::none_of(wanted.begin(), wanted.end(),
                          [&](const Layer& layer) { return layer.directory == known.first; });
    });
    for (const Layer& layer : wanted) states_[layer.directory];
  }
  for (const Layer& layer : wanted) follow(layer, haste);
  due_ = (Clock::now() + kRefresh).time_since_epoch().count();
  looked_ = true;
}

// Opening takes time in proportion to the owner's write-ahead log, so it gets at most a tenth of the time.
void Layers::follow(const Layer& layer, Haste haste) {
  const std::string& directory = layer.directory;
  State& state = states_.at(directory);
  if (haste == Haste::in_turn && Clock::now() < state.open_after) return;
  if (state.reader && state.reader->is_current()) return;
  const Clock::time_point start = Clock::now();
  Result<std::unique_ptr<Reader>> opened = Reader::open(directory);
  const Clock::time_point end = Clock::now();
  state.open_after = end + kIdleShare * (end - start);
  if (!opened) return fail(state, opened.error().message, layer.is_in_use ? Log::Level::info : Log::Level::warning);
  if (!state.reader) log_.info("store: reading " + directory + ", too");
  state.problem.clear();
  const std::scoped_lock lock(mutex_);
  state.reader = std::move(*opened);
}

// Opening fails now and then because the owner compacts meanwhile.
void Layers::fail(State& state, const std::string& problem, Log::Level level) {
  state.open_after = Clock::now() + kRetry;
  if (std::exchange(state.problem, problem) != problem) log_.write(level, problem);
  const std::scoped_lock lock(mutex_);
  state.reader = nullptr;
}

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
