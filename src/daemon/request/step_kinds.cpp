#include "daemon/request/step_kinds.h"

#include <algorithm>
#include <array>

#include "hipcache/base/step_name.h"
#include "hipcache/cache/action_cache.h"

namespace hipcache::daemon {
namespace {

using compiler::Making;
using hip::StepKind;
using stats::Counters;

constexpr const char* kFrontEnd = " front end";
constexpr const char* kHostDoubted = "the host is compiled after the devices: ";
constexpr const char* kDeviceDoubted = "device steps are compiled in one piece: ";

constexpr auto kKinds = std::to_array<StepKindTraits>({
    // kind             domain       label            ending       counted               tentative compiler doubted
    {StepKind::device, "device", "device ", "", nullptr, false, true, kDeviceDoubted},
    {StepKind::bundle, "bundle", "bundle", "", kBundleStep, false, false, nullptr},
    {StepKind::host, "host", "host", "", kHostStep, false, true, kHostDoubted},
    {StepKind::unbundle, "unbundle", "unbundle ", "", kUnbundleStep, false, false, nullptr},
    {StepKind::link, "link", "link", "", kLinkStep, false, false, nullptr},
    {StepKind::back_end, "back-end", "device ", " back end", nullptr, true, true, nullptr},
    {StepKind::question, "question", "wrapper probe", "", nullptr, false, false, nullptr},
    {StepKind::preamble, "preamble", "wrapper header ", "", nullptr, false, true, nullptr},
});

static_assert(kKinds.size() == compiler::kStepKinds, "every kind of step has a line");

struct CountedName {
  std::string_view name;
  void (Counters::*count)(bool hit);
};

constexpr auto kCounters = std::to_array<CountedName>({{kHostStep, &Counters::host},
                                                       {kBundleStep, &Counters::bundle},
                                                       {kUnbundleStep, &Counters::unbundle},
                                                       {kLinkStep, &Counters::link},
                                                       {kFrontEndStep, &Counters::front}});

// Null: an architecture.
const CountedName* find_counted(std::string_view name) {
  const auto* known =
      std::find_if(kCounters.begin(), kCounters.end(), [&](const CountedName& one) { return one.name == name; });
  return known == kCounters.end() ? nullptr : known;
}

struct MakingTraits {
  Making making;
  const char* label;
  void (Counters::*count)(bool hit);
};

constexpr auto kMakings = std::to_array<MakingTraits>({{Making::compile, kCompileStep, &Counters::host},
                                                       {Making::link, kLinkStep, &Counters::link},
                                                       {Making::archive, kArchiveStep, &Counters::archive}});

const MakingTraits& traits_of(Making making) {
  return *std::find_if(kMakings.begin(), kMakings.end(),
                       [&](const MakingTraits& traits) { return traits.making == making; });
}

}  // namespace

const StepKindTraits& traits_of(StepKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const StepKindTraits& traits) { return traits.kind == kind; });
}

bool only_bundles(const hip::Step& step) { return step.kind == StepKind::bundle && !step.starts_others; }

std::string label_of(const hip::Step& step) {
  const StepKindTraits& traits = traits_of(step.kind);
  const std::string unit = step.unit.empty() ? "" : " of " + step.unit;
  return traits.label + step.arch.name + step.subject + traits.label_ending + (step.is_front_end ? kFrontEnd : "") +
         unit;
}

std::vector<std::string> counted_names(const hip::Step& step) {
  const char* counted = step.is_front_end ? kFrontEndStep : traits_of(step.kind).counted;
  if (step.kind == StepKind::preamble && step.arch.name.empty()) counted = kHostStep;
  std::vector<std::string> names{counted == nullptr ? step.arch.name : counted};
  for (const compiler::ArchId& arch : step.back_ends) names.push_back(arch.name);
  return names;
}

void count_step(std::string_view name, bool hit, Counters& counters) {
  const CountedName* known = find_counted(name);
  known == nullptr ? counters.device(name, hit) : (counters.*known->count)(hit);
}

const char* label_of(Making making) { return traits_of(making).label; }

void count_opaque(const compiler::Invocation& invocation, bool hit, Counters& counters) {
  (counters.*traits_of(invocation.opaque.making).count)(hit);
  if (invocation.opaque.not_split)
    counters.not_split(text_of(invocation.opaque.not_split->reason), invocation.opaque.not_split->detail);
}

}  // namespace hipcache::daemon
