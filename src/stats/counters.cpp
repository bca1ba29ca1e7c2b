#include "hipcache/stats/counters.h"

#include <ctime>
#include <utility>

#include "hipcache/base/text.h"

namespace hipcache::stats {
namespace {

std::uint64_t now() { return static_cast<std::uint64_t>(std::time(nullptr)); }

template <typename Count>
Count& named(std::map<std::string, Count>& counts, std::string_view name) {
  std::string shown = readable(name);
  const auto found = counts.find(shown);
  if (found != counts.end()) return found->second;
  return counts[counts.size() < kMaxNames ? std::move(shown) : "other"];
}

std::string bounded(std::string_view detail) {
  std::string shown = readable(detail);
  if (shown.size() > kMaxDetail) shown = "..." + shown.substr(shown.size() - kMaxDetail + 3);
  return shown;
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::hit:
      return "hit";
    case Outcome::partial:
      return "partial";
    case Outcome::miss:
      return "miss";
    case Outcome::passthrough:
      return "passthrough";
    case Outcome::aborted:
      break;
  }
  return "aborted";
}

Outcome outcome_of_steps(bool any_found, bool any_runs) {
  if (!any_found) return Outcome::miss;
  return any_runs ? Outcome::partial : Outcome::hit;
}

Counters::Counters() { counts_.since = now(); }

void Counters::request(Outcome outcome) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  ++counts_.compile_requests;
  switch (outcome) {
    case Outcome::hit:
      ++counts_.hit;
      break;
    case Outcome::partial:
      ++counts_.partial;
      break;
    case Outcome::miss:
      ++counts_.miss;
      break;
    case Outcome::passthrough:
      ++counts_.passthrough;
      break;
    case Outcome::aborted:
      ++counts_.aborted;
      break;
  }
}

void Counters::count_one(std::uint64_t& counter) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  ++counter;
}

void Counters::count_reason(std::map<std::string, std::uint64_t>& counts, std::map<std::string, std::string>& details,
                            std::string_view reason, std::string_view detail) {
  std::string shown = bounded(detail);
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  ++named(counts, reason);
  if (!shown.empty()) named(details, reason) = std::move(shown);
}

void Counters::device(std::string_view arch, bool hit) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  HitRun& step = named(counts_.device, arch);
  ++(hit ? step.hit : step.run);
}

void Counters::audit_of_hit(AuditOutcome outcome) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  AuditedHits& audited = counts_.audited_hits;
  switch (outcome) {
    case AuditOutcome::equal:
      ++audited.hits;
      break;
    case AuditOutcome::different:
      ++audited.hits;
      ++audited.differences;
      break;
    case AuditOutcome::void_audit:
      ++audited.void_audits;
      break;
    case AuditOutcome::skipped:
      ++audited.skipped;
      break;
  }
}

void Counters::preamble_used(std::uint64_t saved_us) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  ++counts_.wrapper_headers.used;
  counts_.wrapper_headers.saved_us += saved_us;
}

void Counters::rated(const HitRun& steps) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  counts_.rated.hit += steps.hit;
  counts_.rated.run += steps.run;
}

void Counters::executed_won(const Executed& times) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  Executed& all = counts_.executed;
  ++all.won;
  all.bytes_sent += times.bytes_sent;
  all.bytes_received += times.bytes_received;
  all.queue_us += times.queue_us;
  all.staging_us += times.staging_us;
  all.execution_us += times.execution_us;
}

void Counters::executed_in_vain(bool is_proof, std::string_view reason, std::string_view detail,
                                std::string_view path) {
  std::string shown = bounded(detail);
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  Executed& all = counts_.executed;
  ++(is_proof ? all.not_proved : all.failed);
  ++named(all.why, reason);
  if (!shown.empty()) named(all.why_detail, reason) = std::move(shown);
  if (is_proof && path.starts_with('/')) ++named(all.paths, bounded(path));
}

void Counters::saved(std::uint64_t elapsed_us, std::uint64_t processor_us) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  counts_.time_saved_us += elapsed_us;
  counts_.processor_saved_us += processor_us;
}

Snapshot Counters::snapshot() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

void Counters::restore(const Snapshot& snapshot) {
  const std::scoped_lock lock(mutex_);
  counts_ = snapshot;
}

void Counters::zero() {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  counts_ = Snapshot{};
  counts_.since = now();
}

bool Counters::take_dirty() {
  const std::scoped_lock lock(mutex_);
  const bool dirty = dirty_;
  dirty_ = false;
  return dirty;
}

}  // namespace hipcache::stats
