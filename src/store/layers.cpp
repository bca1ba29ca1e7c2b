#include "store/layers.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "hipcache/base/files.h"
#include "store/blob_value.h"
#include "store/database.h"
#include "store/framing.h"
#include "store/versions.h"

namespace hipcache::store {

namespace {

using namespace std::chrono_literals;

constexpr auto kRefresh = 100ms;  // between two checks of what others wrote
constexpr auto kRetry = 1s;       // after a store could not be opened
constexpr int kIdleShare = 9;     // an opening is followed by a pause of this many times its duration

// Changes whenever the owner writes: the files' names, when one was last made or removed, and the length of the
// write-ahead logs. A new database in place of the old one may differ in the time alone.
struct Fingerprint {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t changed_ns = 0;
  std::vector<std::string> names;
  off_t logged = 0;
  bool operator==(const Fingerprint&) const = default;
};

Result<Fingerprint> fingerprint_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return system_error("cannot look at", path);
  Fingerprint found{.device = status.st_dev,
                    .inode = status.st_ino,
                    .changed_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec,
                    .names = {},
                    .logged = 0};
  Result<std::vector<std::string>> names = list_directory(path);
  if (!names) return names.error();
  found.names = std::move(*names);
  for (const std::string& name : found.names)
    if (name.ends_with(".log") && stat(join_path(path, name).c_str(), &status) == 0) found.logged += status.st_size;
  return found;
}

}  // namespace

class Reader : public ReadableStore {
 public:
  // `directory` holds the stores of all versions. An error if it holds none of this version, or that one cannot be
  // read.
  static Result<std::unique_ptr<Reader>> open(const std::string& directory) {
    const std::string path = join_path(join_path(directory, version_directory()), kDatabase);
    Result<Fingerprint> before = fingerprint_of(path);
    if (!before) return before.error();
    OpenAttempt attempt = Database::open_read_only(path);
    const std::string cannot = "store: cannot read " + path + ": ";
    if (!attempt.database) return Error{cannot + attempt.problem};
    std::unique_ptr<Reader> reader(new Reader(path, std::move(*before), std::move(attempt.database)));
    const std::string format = reader->get(Table::meta, kFormatKey).value_or("");
    if (format == kFormat) return reader;
    return Error{cannot + "its format is '" + format + "', this program's is '" + std::string(kFormat) + "'"};
  }

  Result<std::optional<std::string>> action(const Digest& key) override {
    std::optional<std::string> frame = get(Table::actions, key.bytes());
    return frame ? unframe_action(key, std::move(*frame)) : std::nullopt;
  }

  Result<std::vector<PathSetReference>> path_sets(const Digest& key) override {
    const Result<std::optional<std::string>> bytes = action(key);
    Result<PathSetList> list = bytes && *bytes ? PathSetList::decode(**bytes) : Result<PathSetList>(PathSetList());
    return list ? std::move(*list).sets() : std::vector<PathSetReference>();
  }

  Result<std::optional<std::string>> blob(const Digest& digest) override { return blob(digest, 0); }

  // Looks up the use records alone, and counts as no use: nothing is written here.
  Result<std::vector<Digest>> missing_blobs(std::span<const Digest> digests) override {
    std::vector<Digest> missing;
    for (const Digest& digest : digests)
      if (!get(Table::uses, encode_use_key({Table::blobs, digest}))) missing.push_back(digest);
    return missing;
  }

  // Whether the owner has written nothing since the store was opened.
  bool is_current() const {
    const Result<Fingerprint> now = fingerprint_of(path_);
    return now && *now == opened_;
  }

 private:
  Reader(std::string path, Fingerprint opened, std::unique_ptr<Database> database)
      : path_(std::move(path)), opened_(std::move(opened)), database_(std::move(database)) {}

  std::optional<std::string> get(Table table, std::string_view key) {
    const Result<Read> read = database_->get(table, key);
    if (!read || read->found != Found::yes) return std::nullopt;
    return std::string(read->value.bytes);
  }

  std::optional<std::string> blob(const Digest& digest, unsigned depth) {
    if (depth > kDeepest) return std::nullopt;
    const std::optional<std::string> value = get(Table::blobs, digest.bytes());
    const std::optional<BlobValue> parsed = value ? parse_value(digest, *value) : std::nullopt;
    if (!parsed) return std::nullopt;
    std::string prefix;
    for (const Digest& base : parsed->bases) {
      const std::optional<std::string> bytes = blob(base, depth + 1);
      if (!bytes || prefix.size() + bytes->size() > kLongestPrefix) return std::nullopt;
      prefix += *bytes;
    }
    std::optional<std::string> bytes = unpack(*parsed, prefix);
    // Another one wrote these bytes, so a checksum does not suffice.
    if (bytes && digest_of(*bytes) == digest) return bytes;
    return std::nullopt;
  }

  const std::string path_;
  const Fingerprint opened_;
  const std::unique_ptr<Database> database_;
};

// Callers wait only for the first refresh. Later ones run in one caller, while others use the readers that are open.
Layers::Readers Layers::readers() {
  if (!find_) return {};
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
  if (!find_) return {};
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
  for (const Layer& layer : wanted) refresh(layer, haste);
  due_ = (Clock::now() + kRefresh).time_since_epoch().count();
  looked_ = true;
}

// Opening takes time in proportion to the owner's write-ahead log, so it gets at most a tenth of the time.
void Layers::refresh(const Layer& layer, Haste haste) {
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

}  // namespace hipcache::store
