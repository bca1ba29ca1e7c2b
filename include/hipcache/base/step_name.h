// The names under which steps count: in a stored result, in statistics, in the event log, and for a selection by
// architecture. A device step has the name of its architecture; every other step has the name of its kind, which stands
// here. The problem: each place that reads such names had a list of kinds, and a kind that a list lacked counted as an
// architecture. Rejected: a prefix for architectures, because stored results and published JSON have the plain names.
//
// Adding a kind is one line of kStepNames.
#ifndef HIPCACHE_BASE_STEP_NAME_H
#define HIPCACHE_BASE_STEP_NAME_H

#include <algorithm>
#include <array>
#include <string_view>

namespace hipcache {

inline constexpr const char* kHostStep = "host";
inline constexpr const char* kBundleStep = "bundle";
inline constexpr const char* kUnbundleStep = "unbundle";
inline constexpr const char* kLinkStep = "link";
inline constexpr const char* kFrontEndStep = "front-end";
inline constexpr const char* kCompileStep = "compile";  // an opaque one
inline constexpr const char* kArchiveStep = "archive";

struct StepName {
  std::string_view name;
  bool is_rated;  // in the hit rate (hipcache/stats/hit_rate.h): neither front ends, nor what packs code objects
};

inline constexpr auto kStepNames = std::to_array<StepName>({{kHostStep, true},
                                                            {kBundleStep, false},
                                                            {kUnbundleStep, false},
                                                            {kLinkStep, true},
                                                            {kFrontEndStep, false},
                                                            {kCompileStep, true},
                                                            {kArchiveStep, true}});

// Null: an architecture.
constexpr const StepName* find_step_name(std::string_view name) {
  const auto* found =
      std::find_if(kStepNames.begin(), kStepNames.end(), [&](const StepName& one) { return one.name == name; });
  return found == kStepNames.end() ? nullptr : found;
}

constexpr bool names_arch(std::string_view name) { return !name.empty() && find_step_name(name) == nullptr; }

constexpr bool is_rated_step(std::string_view name) {
  const StepName* known = find_step_name(name);
  return known == nullptr || known->is_rated;
}

}  // namespace hipcache

#endif
