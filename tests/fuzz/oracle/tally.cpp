#include "fuzz/oracle/tally.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <set>
#include <sstream>

namespace hipcache::fuzz {
namespace {

constexpr std::array kRows{
    "walks",          "cases tried", "hits",         "partial hits",     "misses",           "failed compiles",
    "passed through", "steps run",   "steps reused", "steps waited for", "steps not stored", "mismatches",
    "needless misses"};

// Rows of their own, where there are any.
const std::string kReason = "  for: ";

std::int64_t steps(const std::map<std::string, std::int64_t>& counts) {
  return counts.at("device") + counts.at("bundle") + counts.at("host");
}

}  // namespace

void Tally::take(const integration::Comparison& comparison, const std::vector<Finding>& findings) {
  const integration::Counts& counted = comparison.counted;
  figures_["cases tried"] += static_cast<std::int64_t>(comparison.exit_codes.size());
  figures_["hits"] += counted.hits;
  figures_["partial hits"] += counted.partials;
  figures_["misses"] += counted.misses;
  figures_["failed compiles"] += counted.failed;
  figures_["passed through"] += counted.passed;
  figures_["steps run"] += steps(counted.run);
  figures_["steps reused"] += steps(counted.hit);
  figures_["steps waited for"] += counted.waited;
  for (const auto& [reason, count] : counted.not_stored) {
    figures_["steps not stored"] += count;
    if (count != 0) figures_[kReason + reason] += count;
  }
  for (const Finding& finding : findings)
    ++figures_[finding.kind == Finding::Kind::mismatch ? "mismatches" : "needless misses"];
}

std::int64_t Tally::operator[](const std::string& name) const {
  const auto figure = figures_.find(name);
  return figure == figures_.end() ? 0 : figure->second;
}

std::vector<std::string> Tally::reasons() const {
  std::vector<std::string> names;
  for (const auto& [name, figure] : figures_)
    if (name.starts_with(kReason)) names.push_back(name);
  return names;
}

std::string table(const std::vector<std::pair<std::string, const Tally*>>& columns) {
  constexpr int kWidth = 18;
  std::set<std::string> reasons;
  for (const auto& [name, tally] : columns)
    for (const std::string& reason : tally->reasons()) reasons.insert(reason);
  std::vector<std::string> rows(kRows.begin(), kRows.end());
  rows.insert(std::find(rows.begin(), rows.end(), "steps not stored") + 1, reasons.begin(), reasons.end());

  std::ostringstream text;
  text << std::left << std::setw(kWidth) << "" << std::right;
  for (const auto& [name, tally] : columns) text << std::setw(kWidth) << name;
  for (const std::string& row : rows) {
    text << "\n" << std::left << std::setw(kWidth) << row << std::right;
    for (const auto& [name, tally] : columns) text << std::setw(kWidth) << (*tally)[row];
  }
  text << "\n";
  return text.str();
}

}  // namespace hipcache::fuzz
