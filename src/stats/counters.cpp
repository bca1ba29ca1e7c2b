#include "hipcache/stats/counters.h"

#include <ctime>
#include <utility>

#include "hipcache/base/text.h"
#include "stats/fields.h"

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

void Counters::count_step(HitRun& step, bool hit) { count_one(hit ? step.hit : step.run); }

void Counters::count_reason(const ReasonField& field, std::string_view reason, std::string_view detail) {
  std::string shown = bounded(detail);
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  ++named(counts_.*field.counts, reason);
  if (!shown.empty()) named(counts_.*field.details, reason) = std::move(shown);
}

void Counters::not_cached(std::string_view reason, std::string_view detail) {
  count_reason(kNotCached, reason, detail);
}
void Counters::not_stored(std::string_view reason, std::string_view detail) {
  count_reason(kNotStored, reason, detail);
}
void Counters::tied(std::string_view reason, std::string_view detail) { count_reason(kTied, reason, detail); }
void Counters::bundled(std::string_view reason, std::string_view detail) { count_reason(kBundled, reason, detail); }
void Counters::not_split(std::string_view reason, std::string_view detail) { count_reason(kNotSplit, reason, detail); }

void Counters::device(std::string_view arch, bool hit) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  HitRun& step = named(counts_.device, arch);
  ++(hit ? step.hit : step.run);
}

void Counters::host(bool hit) { count_step(counts_.host, hit); }
void Counters::bundle(bool hit) { count_step(counts_.bundle, hit); }
void Counters::probe(bool hit) { count_step(counts_.probe, hit); }
void Counters::proof(bool hit) { count_step(counts_.proof, hit); }
void Counters::front(bool hit) { count_step(counts_.front, hit); }
void Counters::back(bool hit) { count_step(counts_.back, hit); }
void Counters::split_codegen_proof(bool hit) { count_step(counts_.split_codegen_proof, hit); }
void Counters::unbundle(bool hit) { count_step(counts_.unbundle, hit); }
void Counters::link(bool hit) { count_step(counts_.link, hit); }
void Counters::archive(bool hit) { count_step(counts_.archive, hit); }
void Counters::token_hit() { count_one(counts_.token_hits.served); }
void Counters::audit() { count_step(counts_.audit, false); }

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

void Counters::rated(const HitRun& steps) {
  const std::scoped_lock lock(mutex_);
  dirty_ = true;
  counts_.rated.hit += steps.hit;
  counts_.rated.run += steps.run;
}

void Counters::executed_sent() { count_one(counts_.executed.sent); }
void Counters::executed_lost() { count_one(counts_.executed.lost); }
void Counters::executed_differs() { count_one(counts_.executed.differences); }

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

void Counters::failed_compile() { count_one(counts_.failed_compiles); }
void Counters::wrapper() { count_one(counts_.wrappers); }
void Counters::waited() { count_one(counts_.waited_steps); }
void Counters::error() { count_one(counts_.errors); }

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
