#include "hipcache/report/build.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace hipcache::report {

namespace {

using events::EvictionEvent;
using events::RequestEvent;
using events::StepEvent;
using events::ZeroEvent;

std::uint64_t end_of(const RequestEvent& request) { return request.start_us + request.duration_us; }

// The start of the last burst. REQUIRES: the requests are sorted by their start.
std::uint64_t last_burst(const std::vector<BuildRequest>& requests) {
  constexpr auto kGap = static_cast<std::uint64_t>(std::chrono::microseconds(kBurstGap).count());
  std::uint64_t begin = 0;
  std::uint64_t busy_until = 0;
  for (const BuildRequest& one : requests) {
    if (begin == 0 || one.request.start_us > busy_until + kGap) begin = one.request.start_us;
    busy_until = std::max(busy_until, end_of(one.request));
  }
  return begin;
}

// Steps stand before their request.
struct Sorted {
  std::vector<BuildRequest> requests;
  std::vector<EvictionEvent> evictions;
  std::uint64_t zeroed_us = 0;
};

Sorted sorted(std::vector<events::Event> log) {
  Sorted sorted;
  std::map<std::string, std::vector<StepEvent>> steps;
  for (events::Event& event : log) {
    if (auto* step = std::get_if<StepEvent>(&event)) {
      steps[step->request].push_back(std::move(*step));
    } else if (auto* request = std::get_if<RequestEvent>(&event)) {
      std::vector<StepEvent> own;
      if (const auto found = steps.find(request->id); found != steps.end())
        own = std::move(steps.extract(found).mapped());
      std::stable_sort(own.begin(), own.end(),
                       [](const StepEvent& one, const StepEvent& other) { return one.start_us < other.start_us; });
      sorted.requests.push_back({std::move(*request), std::move(own)});
    } else if (const auto* eviction = std::get_if<EvictionEvent>(&event)) {
      sorted.evictions.push_back(*eviction);
    } else {
      sorted.zeroed_us = std::max(sorted.zeroed_us, std::get<ZeroEvent>(event).time_us);
    }
  }
  std::stable_sort(
      sorted.requests.begin(), sorted.requests.end(),
      [](const BuildRequest& one, const BuildRequest& other) { return one.request.start_us < other.request.start_us; });
  return sorted;
}

// Requests first, then architectures, then kinds of steps.
std::pair<int, std::string> place_of(const Slice& slice) {
  if (slice.step == nullptr) return {0, "requests"};
  return slice.step->arch.empty() ? std::pair(2, slice.step->kind) : std::pair(1, slice.step->arch);
}

std::vector<Slice> slices_of(const Build& build) {
  std::vector<Slice> slices;
  for (const BuildRequest& one : build.requests) {
    slices.push_back({&one, nullptr});
    for (const events::StepEvent& step : one.steps) slices.push_back({&one, &step});
  }
  return slices;
}

// Puts each slice into the first row that is free.
void put_into_rows(Track& track) {
  std::stable_sort(track.slices.begin(), track.slices.end(),
                   [](const Slice& one, const Slice& other) { return one.start_us() < other.start_us(); });
  std::vector<std::uint64_t> busy_until;
  for (Slice& slice : track.slices) {
    const auto free =
        std::find_if(busy_until.begin(), busy_until.end(), [&](std::uint64_t end) { return end <= slice.start_us(); });
    slice.row = static_cast<std::size_t>(free - busy_until.begin());
    if (free == busy_until.end()) busy_until.push_back(0);
    busy_until[slice.row] = slice.start_us() + slice.duration_us();
  }
  track.rows = busy_until.size();
}

}  // namespace

const std::string& name_of(const RequestEvent& request) {
  return request.object.empty() ? request.source : request.object;
}

Build build_of(events::ReadEvents log, std::optional<std::uint64_t> since_us) {
  Sorted all = sorted(std::move(log.events));
  Build build{.begins = "since the time given", .damaged = log.damaged};
  std::uint64_t from = since_us.value_or(0);
  if (!since_us) {
    const std::uint64_t burst = last_burst(all.requests);
    from = std::max(burst, all.zeroed_us);
    build.begins = all.zeroed_us > 0 && all.zeroed_us >= burst ? "since --zero-stats" : "the last burst of requests";
  }
  for (BuildRequest& one : all.requests) {
    if (one.request.start_us < from) continue;
    if (build.requests.empty()) build.begin_us = one.request.start_us;
    build.end_us = std::max(build.end_us, end_of(one.request));
    build.requests.push_back(std::move(one));
  }
  for (const EvictionEvent& eviction : all.evictions)
    if (eviction.time_us >= from) build.evictions.push_back(eviction);
  return build;
}

Timeline timeline_of(const Build& build, std::size_t most) {
  std::vector<Slice> slices = slices_of(build);
  Timeline timeline;
  if (slices.size() > most) {
    std::stable_sort(slices.begin(), slices.end(),
                     [](const Slice& one, const Slice& other) { return one.duration_us() > other.duration_us(); });
    timeline.left_out = slices.size() - most;
    slices.resize(most);
  }
  std::map<std::pair<int, std::string>, Track> tracks;
  for (const Slice& slice : slices) tracks[place_of(slice)].slices.push_back(slice);
  for (auto& [place, track] : tracks) {
    track.name = place.second;
    put_into_rows(track);
    timeline.tracks.push_back(std::move(track));
  }
  return timeline;
}

}  // namespace hipcache::report
