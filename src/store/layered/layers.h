// The open readers of other stores. They follow which directories exist, and what the owners write.
#ifndef HIPCACHE_SRC_STORE_LAYERED_LAYERS_H
#define HIPCACHE_SRC_STORE_LAYERED_LAYERS_H

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hipcache/store/layers.h"
#include "store/local/reader.h"

namespace hipcache::store {

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

}  // namespace hipcache::store

#endif
