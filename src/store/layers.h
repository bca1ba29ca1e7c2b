// The stores of other owners that are read beside our own (hipcache/store/local_store.h): which there are, each as it
// was at one moment.
//
// A reader opens another process's database for reading alone. The owner may write, evict, compact, clear or delete
// meanwhile. Later writes are seen only after the store is opened again, and a value whose file is gone is a miss.
// Bytes are checked as the owner checks them, so a damaged value is a miss, too. A question is never an error.
//
// Thread-safe. Throws nothing.
#ifndef HIPCACHE_SRC_STORE_LAYERS_H
#define HIPCACHE_SRC_STORE_LAYERS_H

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hipcache/base/log.h"
#include "hipcache/store/local_store.h"

namespace hipcache::store {

class Reader;

class Layers {
 public:
  using Readers = std::vector<std::shared_ptr<ReadableStore>>;

  explicit Layers(Log& log) : log_(log) {}

  // Once, before the first question. Until then there are none.
  void follow(FindLayers find) { find_ = std::move(find); }

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
  void refresh(const Layer& layer, Haste haste);
  void fail(State& state, const std::string& problem, Log::Level level);
  Readers copy();

  Log& log_;
  FindLayers find_;
  std::atomic<Clock::rep> due_ = 0;
  std::atomic<bool> looked_ = false;
  std::mutex refreshing_;
  // Two mutexes guard the states. A change needs refreshing_; it also needs mutex_, if readers could see it.
  std::mutex mutex_;
  std::map<std::string, State> states_;
};

}  // namespace hipcache::store

#endif
