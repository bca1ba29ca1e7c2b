// The events of one build: what hipcache --report is about.
//
// Problem: the event log goes on from build to build, and nobody tells hipcache where one begins.
// Choice: a build is what came since the user says so (--since, --zero-stats), or else the last burst:
// the requests at the end of the log that are not kBurstGap apart from each other. A long link is no
// gap, because its request lasts as long. A pause for reading an error message is none either.
#ifndef HIPCACHE_REPORT_BUILD_H
#define HIPCACHE_REPORT_BUILD_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/events/event.h"
#include "hipcache/events/event_log.h"

namespace hipcache::report {

inline constexpr std::chrono::minutes kBurstGap{5};

struct BuildRequest {
  events::RequestEvent request;
  std::vector<events::StepEvent> steps;  // by their start; none if the request was found as a whole
};

struct Build {
  std::string begins;                  // for people: "since --zero-stats", ...
  std::uint64_t begin_us = 0;          // of the first request, since 1970; 0 without requests
  std::uint64_t end_us = 0;            // of the last one
  std::vector<BuildRequest> requests;  // by their start
  std::vector<events::EvictionEvent> evictions;
  std::uint64_t damaged = 0;  // lines of the whole log
};

// The requests that began at `since_us` or later; without it the last burst, but nothing from before
// the last --zero-stats.
Build build_of(events::ReadEvents log, std::optional<std::uint64_t> since_us);

// Its object, or its source if it has none.
const std::string& name_of(const events::RequestEvent& request);

// A step, or a whole request in the track "requests". Refers to the build, which outlives it.
struct Slice {
  const BuildRequest* request = nullptr;
  const events::StepEvent* step = nullptr;  // null: the request
  std::size_t row = 0;                      // in its track; slices of a row do not overlap

  std::uint64_t start_us() const { return step == nullptr ? request->request.start_us : step->start_us; }
  std::uint64_t duration_us() const { return step == nullptr ? request->request.duration_us : step->duration_us; }
  const std::string& outcome() const { return step == nullptr ? request->request.outcome : step->outcome; }
};

// Slices of one kind, with as many rows as ran at once.
struct Track {
  std::string name;  // "requests", an architecture, or a kind of step without one
  std::size_t rows = 0;
  std::vector<Slice> slices;  // by their start
};

struct Timeline {
  std::vector<Track> tracks;   // requests, architectures, the rest
  std::uint64_t left_out = 0;  // slices: the shortest ones
};

// At most `most` slices, of which the longest are kept.
Timeline timeline_of(const Build& build, std::size_t most);

}  // namespace hipcache::report

#endif
