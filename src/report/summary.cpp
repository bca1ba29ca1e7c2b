#include "hipcache/report/summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/step_name.h"

namespace hipcache::report {

namespace {

using events::RequestEvent;
using events::StepEvent;

// A step's kind in the event log: a name of base/step_name.h, or one of these.
bool is_rated_kind(std::string_view kind) {
  if (kind == "device" || kind == "back-end") return true;
  const StepName* known = find_step_name(kind);
  return known != nullptr && known->is_rated;
}

constexpr const char* kProof = "once for each compiler and set of options";

bool has_run(const StepEvent& step) { return step.outcome != "hit"; }

void add(Outcomes& outcomes, const RequestEvent& request) {
  const std::array<std::pair<std::string_view, std::uint64_t*>, 4> known{{{"hit", &outcomes.hit},
                                                                          {"partial", &outcomes.partial},
                                                                          {"miss", &outcomes.miss},
                                                                          {"passthrough", &outcomes.passthrough}}};
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == request.outcome; });
  ++(found == known.end() ? outcomes.aborted : *found->second);
  if (request.outcome == "miss" && request.exit_code != 0) ++outcomes.failed;
}

bool is_opaque(const RequestEvent& request) { return !request.kind.empty() && request.kind != "hip"; }

// An opaque request that was found names no steps, but may have the event of its one step.
bool is_found_opaque(const RequestEvent& request) {
  return is_opaque(request) && request.outcome == "hit" && request.steps.empty();
}

stats::HitRun rated(const BuildRequest& one) {
  const RequestEvent& request = one.request;
  stats::HitRun steps{.hit = is_found_opaque(request) ? 1U : 0U};
  const bool is_looked_up = request.outcome == "hit" || request.outcome == "partial" || request.outcome == "miss";
  if (!is_looked_up || request.exit_code != 0) return {};
  for (const std::string& name : request.steps)
    if (is_rated_step(name)) ++steps.hit;
  for (const StepEvent& step : one.steps)
    if (is_rated_kind(step.kind) && (has_run(step) || !is_opaque(request))) ++(has_run(step) ? steps.run : steps.hit);
  return steps;
}

void add(Outcomes& outcomes, const BuildRequest& one) {
  add(outcomes, one.request);
  const stats::HitRun steps = rated(one);
  outcomes.rated.hit += steps.hit;
  outcomes.rated.run += steps.run;
}

std::string directory_of(const RequestEvent& request) {
  const std::string& name = request.source.empty() ? request.object : request.source;
  return name.empty() ? request.directory : std::string(directory_name(join_path(request.directory, name)));
}

Miss miss_of(const RequestEvent& request, const StepEvent& step) {
  return {.step = &step,
          .object = name_of(request),
          .source = request.source,
          .directory = request.directory,
          .label = step.label,
          .arch = step.arch,
          .duration_us = step.duration_us,
          .why = step.kind == "proof" ? std::vector<std::string>{kProof} : step.why,
          .more = step.more,
          .not_stored = step.not_stored,
          .is_gone = step.is_gone};
}

// As the daemon counts (daemon/execute/remote_steps.cpp): bytes and times of the results that were taken.
void add(stats::Executed& all, const events::AtEngine& engine) {
  if (engine.outcome.empty()) return;
  ++all.sent;
  const std::array<std::pair<std::string_view, std::uint64_t*>, 4> known{
      {{"won", &all.won}, {"lost", &all.lost}, {"not-proved", &all.not_proved}, {"failed", &all.failed}}};
  for (const auto& [outcome, count] : known)
    if (outcome == engine.outcome) ++*count;
  if (engine.outcome != "won") return;
  all.bytes_sent += engine.bytes_sent;
  all.bytes_received += engine.bytes_received;
  all.queue_us += engine.queue_us;
  all.staging_us += engine.staging_us;
  all.execution_us += engine.execution_us;
}

// Collects what has a name, in tables that are sorted at the end.
class Collector {
 public:
  explicit Collector(Summary& into) : into_(into) {}

  void add_request(const BuildRequest& one) {
    const RequestEvent& request = one.request;
    add(into_.outcomes, one);
    DirectoryRow& directory = directories_[directory_of(request)];
    add(directory.outcomes, one);
    into_.saved_us += request.saved_us;
    into_.processor_saved_us += request.processor_saved_us;
    directory.saved_us += request.saved_us;
    add_found(request);
    if (!request.reason.empty())
      note(request.reason, example(request, request.detail), into_.bypasses, into_.bypass_example);
    for (const StepEvent& step : one.steps) add_step(request, step, directory);
  }

  void finish() {
    for (auto& [name, row] : steps_) into_.steps.push_back(std::move(row));
    std::stable_sort(into_.steps.begin(), into_.steps.end(),
                     [](const StepRow& one, const StepRow& other) { return one.is_arch && !other.is_arch; });
    for (auto& [name, row] : directories_) {
      row.directory = name;
      into_.directories.push_back(std::move(row));
    }
    keep_first(into_.directories, kMostDirectories,
               [](const DirectoryRow& row) { return std::pair(row.run_us, row.outcomes.all()); });
    into_.all_misses = into_.misses.size();
    keep_first(into_.misses, kMostMisses, [](const Miss& miss) { return miss.duration_us; });
  }

 private:
  static std::string example(const std::string& name, const std::string& detail) {
    return name + (name.empty() || detail.empty() ? "" : ": ") + detail;
  }
  static std::string example(const RequestEvent& request, const std::string& detail) {
    return example(name_of(request), detail);
  }

  static void note(const std::string& reason, std::string example, std::map<std::string, std::uint64_t>& counts,
                   std::map<std::string, std::string>& examples) {
    ++counts[reason];
    examples[reason] = std::move(example);
  }

  // Sorts by the key, the largest first.
  template <typename Row, typename Key>
  static void keep_first(std::vector<Row>& rows, std::size_t most, Key key) {
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& one, const Row& other) { return key(one) > key(other); });
    if (rows.size() > most) rows.resize(most);
  }

  StepRow& row(const std::string& name, bool arch) {
    StepRow& row = steps_[name];
    row.name = name;
    row.is_arch = arch;
    return row;
  }

  void add_found(const RequestEvent& request) {
    for (const std::string& name : request.steps) ++row(name, names_arch(name)).hit;
    if (is_found_opaque(request)) {
      StepRow& found = row(request.kind, false);
      ++found.hit;
      found.saved_us += request.saved_us;
    }
  }

  void add_step(const RequestEvent& request, const StepEvent& step, DirectoryRow& directory) {
    const bool is_whole = is_opaque(request) && request.kind == step.kind;
    if (is_whole && !has_run(step)) return;  // counted as a request that was found
    add(into_.executed, step.engine);
    if (!step.engine.reason.empty())
      note(step.engine.reason, example(request, example(step.label, step.engine.detail)), into_.executed.why,
           into_.executed.why_detail);
    StepRow& counted = step.arch.empty() ? row(step.kind, false) : row(step.arch, true);
    if (!has_run(step)) {
      ++counted.hit;
      counted.saved_us += step.saved_us;
      return;
    }
    ++(step.outcome == "failed" ? counted.failed : counted.run);
    counted.run_us += step.duration_us;
    counted.bytes += is_whole ? request.bytes : step.bytes;
    into_.run_us += step.duration_us;
    into_.with_header.steps += step.header_saved_us > 0 ? 1 : 0;
    into_.with_header.saved_us += step.header_saved_us;
    directory.run_us += step.duration_us;
    into_.misses.push_back(miss_of(request, step));
    if (step.is_gone) {
      ++into_.evicted.gone_steps;
      into_.evicted.gone_us += step.duration_us;
    }
    if (step.not_stored.empty()) return;
    const std::size_t end = step.not_stored.find(": ");
    note(step.not_stored.substr(0, end),
         example(request, step.label + (end == std::string::npos ? "" : step.not_stored.substr(end))), into_.not_stored,
         into_.not_stored_example);
  }

  Summary& into_;
  std::map<std::string, StepRow> steps_;
  std::map<std::string, DirectoryRow> directories_;
};

void add_evictions(const Build& build, Evicted& evicted) {
  for (const events::EvictionEvent& eviction : build.evictions) {
    evicted.values += eviction.values;
    evicted.bytes += eviction.bytes;
    evicted.max_size = eviction.max_size;
  }
  if (evicted.values > 0) evicted.advice = advised_size(evicted.max_size, evicted.bytes);
}

}  // namespace

stats::HitRate Outcomes::rate() const { return stats::hit_rate_of(rated, hit, partial + miss, failed); }

Summary summary_of(const Build& build, const stats::Snapshot& counts) {
  Summary summary{.begins = build.begins,
                  .begin_us = build.begin_us,
                  .end_us = build.end_us,
                  .remote = counts.remote,
                  .lost = counts.events.dropped + counts.events.failed,
                  .damaged = build.damaged};
  Collector collector(summary);
  for (const BuildRequest& one : build.requests) collector.add_request(one);
  collector.finish();
  add_evictions(build, summary.evicted);
  return summary;
}

// A tenth more, rounded up to a number of two digits.
std::string advised_size(std::uint64_t max_size, std::uint64_t evicted_bytes) {
  constexpr std::uint64_t kMega = 1'000'000, kGiga = 1000 * kMega;
  std::uint64_t megabytes = (max_size + evicted_bytes) / kMega;
  megabytes += megabytes / 10 + 1;
  if (megabytes * kMega >= 10 * kGiga) return std::to_string((megabytes + 999) / 1000) + "G";
  std::uint64_t step = 1;
  while (megabytes / step >= 100) step *= 10;
  return std::to_string((megabytes + step - 1) / step * step) + "M";
}

}  // namespace hipcache::report
