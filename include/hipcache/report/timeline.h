// The steps of a build as tracks: one for each architecture, with as many rows as steps of it ran at once.
#ifndef HIPCACHE_REPORT_TIMELINE_H
#define HIPCACHE_REPORT_TIMELINE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hipcache/report/build.h"

namespace hipcache::report {

// A step, or a whole request in the track "requests". Refers to the build, which outlives it.
struct Slice {
  const BuildRequest* request = nullptr;
  const events::StepEvent* step = nullptr;  // null: the request
  std::size_t row = 0;                      // in its track; slices of a row do not overlap

  std::uint64_t start_us() const { return step == nullptr ? request->request.start_us : step->start_us; }
  std::uint64_t duration_us() const { return step == nullptr ? request->request.duration_us : step->duration_us; }
  const std::string& outcome() const { return step == nullptr ? request->request.outcome : step->outcome; }
};

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
