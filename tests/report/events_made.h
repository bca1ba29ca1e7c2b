// Logs for tests of the report.
#ifndef HIPCACHE_TESTS_REPORT_EVENTS_MADE_H
#define HIPCACHE_TESTS_REPORT_EVENTS_MADE_H

#include <string>
#include <utility>
#include <vector>

#include "hipcache/events/event_log.h"

namespace hipcache::report {

inline constexpr std::uint64_t kSecond = 1'000'000;
inline constexpr std::uint64_t kMinute = 60 * kSecond;
inline constexpr std::uint64_t kStart = 1'700'000'000 * kSecond;  // after 1970, as real times are

// A log in which each request stands after its steps. `at`: microseconds after kStart.
class LogMaker {
 public:
  LogMaker& request(std::uint64_t at, std::uint64_t duration, const std::string& outcome, const std::string& object) {
    const std::string id = std::to_string(++ids_);
    for (events::StepEvent& step : steps_) {
      step.request = id;
      log_.events.emplace_back(std::move(step));
    }
    steps_.clear();
    events::RequestEvent event{.id = id,
                               .start_us = kStart + at,
                               .duration_us = duration,
                               .outcome = outcome,
                               .kind = "hip",
                               .object = object,
                               .source = object.substr(0, object.rfind('.')) + ".hip",
                               .directory = "/build"};
    log_.events.emplace_back(std::move(event));
    return *this;
  }
  // Of the next request.
  LogMaker& step(std::uint64_t at, std::uint64_t duration, const std::string& outcome, const std::string& kind,
                 const std::string& arch = "") {
    steps_.push_back({.start_us = kStart + at,
                      .duration_us = duration,
                      .outcome = outcome,
                      .kind = kind,
                      .label = arch.empty() ? kind : kind + " " + arch,
                      .arch = arch});
    return *this;
  }
  LogMaker& event(events::Event event) {
    log_.events.push_back(std::move(event));
    return *this;
  }

  events::RequestEvent& last() { return std::get<events::RequestEvent>(log_.events.back()); }
  events::StepEvent& last_step() { return steps_.back(); }
  events::ReadEvents log() const { return log_; }

 private:
  std::uint64_t ids_ = 0;
  std::vector<events::StepEvent> steps_;
  events::ReadEvents log_;
};

}  // namespace hipcache::report

#endif
