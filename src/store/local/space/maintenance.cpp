#include "store/local/space/maintenance.h"

#include <algorithm>
#include <string>

#include "store/local/database/disk_use.h"
#include "store/local/database/quarantine.h"
#include "store/local/database/versions.h"
#include "store/local/space/use_loader.h"

namespace hipcache::store {
namespace {

constexpr std::size_t kUsesWrittenAtOnce = 1024;

// Near the limit, the disk is measured at most once per max_bytes divided by this.
constexpr std::uint64_t kLimitSteps = 128;

// The write-ahead log holds actions at full length, and the next open reads all of it. A flush makes some small files,
// so it waits until the log has this many bytes.
constexpr std::uint64_t kWorthAFlush = std::uint64_t{64} << 10;
constexpr std::chrono::seconds kQuiet{2};

constexpr std::chrono::hours kForgotten{24 * 7};  // for older versions' stores that were not opened for so long

}  // namespace

Status write_uses_behind(StoreState& state) {
  const std::scoped_lock lock(state.gate);
  const auto touched = state.recency.take_touched();
  if (touched.empty()) return done();
  std::vector<std::string> bytes;
  bytes.reserve(2 * touched.size());
  std::vector<Change> changes;
  for (const auto& entry : touched) {
    const std::string& key = bytes.emplace_back(encode_use_key(entry.key));
    const std::string& use = bytes.emplace_back(encode_use(entry.use));
    changes.push_back({Table::uses, key, use});
  }
  return state.database->write(changes);
}

Maintenance::Maintenance(StoreState& state, Eviction& eviction, std::uint64_t max_bytes)
    : state_(state), eviction_(eviction), max_bytes_(max_bytes), thread_([this] { run(); }) {}

Maintenance::~Maintenance() {
  eviction_.cancel();
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  say_if_failed(write_uses_behind(state_));
  say_if_failed(state_.database->flush());  // then the next open has no write-ahead log to read
}

void Maintenance::wrote(std::uint64_t bytes) {
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    wake = logged_ < kWorthAFlush && logged_ + bytes >= kWorthAFlush;
    logged_ += bytes;
    last_write_ = Clock::now();
    if (max_bytes_ != 0) written_ += bytes;
    wake = wake || is_limit_due();
  }
  if (wake) wake_.notify_one();
}

void Maintenance::used() {
  if (state_.recency.touched() < kUsesWrittenAtOnce) return;
  {
    const std::scoped_lock lock(mutex_);
    uses_due_ = true;
  }
  wake_.notify_one();
}

bool Maintenance::is_flush_due() const { return logged_ >= kWorthAFlush && Clock::now() >= last_write_ + kQuiet; }

void Maintenance::wait_for_work(std::unique_lock<std::mutex>& lock) {
  while (!stopping_ && !uses_due_ && !is_limit_due() && !is_flush_due()) {
    if (logged_ >= kWorthAFlush) {
      wake_.wait_until(lock, last_write_ + kQuiet);
    } else {
      wake_.wait(lock);
    }
  }
}

void Maintenance::run() {
  if (!state_.recency.is_complete()) load();
  remove_older_versions(*state_.directories.root, kForgotten);
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_work(lock);
    if (stopping_) return;
    const bool uses_due = uses_due_;
    const bool limit_due = is_limit_due();
    const bool flush_due = is_flush_due();
    uses_due_ = false;
    if (limit_due) written_ = 0;
    if (flush_due) logged_ = 0;
    lock.unlock();
    if (uses_due) say_if_failed(write_uses_behind(state_));
    if (limit_due) keep_limit();
    if (flush_due) say_if_failed(state_.database->flush());
    lock.lock();
  }
}

// If the database is damaged, the next open sets it aside.
void Maintenance::load() {
  const Status loaded = load_uses(state_, stopping_);
  if (loaded) return;
  state_.log.error("store: cannot be read to its end: " + loaded.error().message);
  if (loaded.error().code == ErrorCode::damaged) note_damage(*state_.directories.ours, loaded.error().message);
}

void Maintenance::say_if_failed(const Status& status) {
  if (!status) state_.log.warning(status.error().message);
}

void Maintenance::keep_limit() {
  const std::string& root = state_.directories.root->anchored();
  std::uint64_t on_disk = allocated_bytes(root);
  if (on_disk > max_bytes_) {
    const auto shrunk = eviction_.shrink_to(max_bytes_ - max_bytes_ / 10);
    if (!shrunk) state_.log.warning("store: cannot be kept under its limit: " + shrunk.error().message);
    on_disk = allocated_bytes(root);
  }
  const std::uint64_t room = max_bytes_ - std::min(max_bytes_, on_disk);
  const std::scoped_lock lock(mutex_);
  allowance_ = std::max(room, max_bytes_ / kLimitSteps);
}

}  // namespace hipcache::store
