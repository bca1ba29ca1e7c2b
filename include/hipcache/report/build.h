// The events of one build: what hipcache --report is about.
//
// Problem: the event log goes on from build to build, and nobody tells hipcache where one begins.
// Choice: a build is what came since the user says so (--since, --zero-stats), or else the last burst:
// the requests at the end of the log that are not kBurstGap apart from each other. A long link is no
// gap, because its request lasts as long. A pause for reading an error message is none either.
#ifndef HIPCACHE_REPORT_BUILD_H
#define HIPCACHE_REPORT_BUILD_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/events/event.h"
#include "hipcache/events/event_files.h"

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

}  // namespace hipcache::report

#endif
