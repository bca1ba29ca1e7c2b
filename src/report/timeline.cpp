#include "hipcache/report/timeline.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hipcache::report {
namespace {

constexpr const char* kRequests = "requests";

// Requests first, then architectures, then kinds of steps.
std::pair<int, std::string> place_of(const Slice& slice) {
  if (slice.step == nullptr) return {0, kRequests};
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
