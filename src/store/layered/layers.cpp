#include "store/layered/layers.h"

#include <algorithm>
#include <utility>

namespace hipcache::store {
namespace {

using namespace std::chrono_literals;

constexpr auto kRefresh = 100ms;  // between two checks of what others wrote
constexpr auto kRetry = 1s;       // after a store could not be opened
constexpr int kIdleShare = 9;     // an opening is followed by a pause of this many times its duration

}  // namespace

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

}  // namespace hipcache::store
