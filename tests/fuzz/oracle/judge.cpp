#include "fuzz/oracle/judge.h"

#include <algorithm>

namespace hipcache::fuzz {
namespace {

using integration::Comparison;
using Kind = Finding::Kind;

bool all_succeeded(const Comparison& comparison) {
  return std::all_of(comparison.exit_codes.begin(), comparison.exit_codes.end(), [](int code) { return code == 0; });
}

std::int64_t steps_run(const integration::Counts& counts) {
  return counts.run.at("device") + counts.run.at("bundle") + counts.run.at("host") + counts.run.at("probe");
}

std::int64_t sum(const std::map<std::string, std::int64_t>& counts) {
  std::int64_t all = 0;
  for (const auto& [name, count] : counts) all += count;
  return all;
}

// Nothing that a walk asks for has to pass through, unless it fails: then the driver may not even have a plan.
void judge_passing(const Comparison& comparison, std::vector<Finding>& findings) {
  if (!all_succeeded(comparison)) return;
  for (const auto& [reason, count] : comparison.counted.reasons)
    if (count != 0) findings.push_back({Kind::needless_miss, "passed through: " + reason});
}

// Every walk lets the clock go on between an edit and the compile, so no file is as young as the run that reads it.
void judge_storing(const Occasion& occasion, const Comparison& comparison, std::vector<Finding>& findings) {
  for (const auto& [reason, count] : comparison.counted.not_stored) {
    if (count == 0 || (reason == "clock" && occasion.clocked)) continue;
    findings.push_back({Kind::needless_miss, "not stored: " + reason});
  }
}

void judge_whole(const Occasion& occasion, const Comparison& comparison, const Ledger& ledger,
                 std::vector<Finding>& findings) {
  const auto owed = std::count_if(occasion.compiles.begin(), occasion.compiles.end(),
                                  [&](const Compile& compile) { return ledger.owes(compile, occasion.state); });
  if (comparison.counted.hits < owed)
    findings.push_back({Kind::needless_miss, std::to_string(owed) + " hits were owed, and " +
                                                 std::to_string(comparison.counted.hits) + " were there"});
  const bool all_owed = owed == static_cast<std::ptrdiff_t>(occasion.compiles.size());
  if (const std::int64_t ran = steps_run(comparison.counted); all_owed && ran > 0)
    findings.push_back({Kind::needless_miss, std::to_string(ran) + " steps ran for hits that were owed"});
}

void judge_archs(const Compile& compile, const Occasion& occasion, const Comparison& comparison, const Ledger& ledger,
                 std::vector<Finding>& findings) {
  for (const std::string& arch : ledger.owed_archs(compile, occasion.state)) {
    const auto ran = comparison.counted.run.find("device " + arch);
    if (ran != comparison.counted.run.end() && ran->second > 0)
      findings.push_back({Kind::needless_miss, "the device step of " + arch + " ran, and was owed"});
  }
}

// A step that another request is running is waited for.
void judge_twins(const Occasion& occasion, const Comparison& comparison, std::vector<Finding>& findings) {
  const std::vector<Compile>& compiles = occasion.compiles;
  const bool twins = compiles.size() == 2 && compiles[0] == compiles[1];
  if (!twins || !is_settled(occasion, comparison)) return;
  for (const auto& [step, count] : comparison.counted.run)
    if (step != "device" && count > 1)
      findings.push_back(
          {Kind::needless_miss, step + " ran " + std::to_string(count) + " times for two equal requests"});
}

}  // namespace

bool is_settled(const Occasion& occasion, const Comparison& comparison) {
  return all_succeeded(comparison) && sum(comparison.counted.not_stored) == 0 && sum(comparison.counted.reasons) == 0 &&
         comparison.counted.errors == 0 && !(occasion.reads_only && steps_run(comparison.counted) > 0);
}

std::vector<Finding> judge(const Occasion& occasion, const Comparison& comparison, const Ledger& ledger) {
  std::vector<Finding> findings;
  for (const std::string& difference : comparison.differences) findings.push_back({Kind::mismatch, difference});
  if (comparison.counted.errors > 0) findings.push_back({Kind::mismatch, "hipcache counts errors of its own"});
  judge_passing(comparison, findings);
  judge_storing(occasion, comparison, findings);
  if (occasion.recache) return findings;
  judge_twins(occasion, comparison, findings);
  judge_whole(occasion, comparison, ledger, findings);
  if (occasion.compiles.size() == 1) judge_archs(occasion.compiles.front(), occasion, comparison, ledger, findings);
  return findings;
}

}  // namespace hipcache::fuzz
