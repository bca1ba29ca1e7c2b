#include "cli/doctor/check_tiers.h"

#include <cstdio>

#include "hipcache/config/remote_url.h"

namespace hipcache::cli {
namespace {

std::string milliseconds(std::uint64_t us) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(us) / 1e3);
  return text;
}

}  // namespace

Finding finding_on(const stats::Tier& tier) {
  const std::string name = "shared cache " + tier.url;
  if (tier.state != "ok") return {Level::error, name + " is not used: " + tier.state + "; docs/remote.md says more"};
  const std::string failed = std::to_string(tier.errors) + " look-ups failed; docs/remote.md says more";
  const bool answers = tier.hits + tier.misses > 0;
  if (tier.errors > 0 && !answers) return {Level::error, name + " does not answer: " + failed};
  if (tier.errors > 0) return {Level::warning, name + " answers, but " + failed};
  if (!answers) return {Level::note, name + " was not asked"};
  return {Level::ok, name + " answers in " + milliseconds(tier.median_us)};
}

void check_tiers(const Trial& trial, const config::Settings& settings, Findings& findings) {
  for (const std::string& text : settings.remote)
    if (const auto url = config::parse_remote_url(text); url && !url->reads)
      findings.note("shared cache " + url->shown + " is only written (mode=wo): not asked here");
  if (settings.remote.empty()) return;
  const Result<stats::Snapshot> statistics = trial.statistics();
  if (!statistics) {
    findings.error("shared caches cannot be asked: " + statistics.error().message);
    return;
  }
  for (const stats::Tier& tier : statistics->remote.tiers) {
    Finding finding = finding_on(tier);
    findings.add(finding.level, std::move(finding.text));
  }
}

}  // namespace hipcache::cli
