// The open readers of other stores, kept in step with the directories that exist and with what their owners write.
#ifndef HIPCACHE_STORE_LAYERS_PRIVATE_H
#define HIPCACHE_STORE_LAYERS_PRIVATE_H

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hipcache/store/layers.h"
#include "store/reader.h"

namespace hipcache::store {

// Thread-safe.
class Layers {
 public:
  using Readers = std::vector<std::shared_ptr<Reader>>;

  Layers(FindLayers find, Log& log) : find_(std::move(find)), log_(log) {}

  // What there is to read. Followed and looked for again if that is due.
  Readers readers();
  // The same, looked for again in any case.
  Readers readers_now();

 private:
  using Clock = std::chrono::steady_clock;

  struct State {
    std::shared_ptr<Reader> reader;  // null: it could not be opened
    Clock::time_point open_after;
    std::string problem;  // said already
  };

  bool is_due() const { return Clock::now().time_since_epoch().count() >= due_; }
  enum class Haste { in_turn, now };  // whether a store is left alone that was opened a moment ago
  void refresh(Haste haste);
  void follow(const Layer& layer, Haste haste);
  void fail(State& state, const std::string& problem, Log::Level level);
  Readers copy();

  FindLayers find_;
  Log& log_;
  std::atomic<Clock::rep> due_ = 0;
  std::atomic<bool> looked_ = false;
  std::mutex refreshing_;
  // Both guard the states: only who holds the first changes them, and holds the second where others read.
  std::mutex mutex_;
  std::map<std::string, State> states_;
};

}  // namespace hipcache::store

#endif
