#include "daemon/shared/preambles.h"

#include <algorithm>

#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint8_t kVersion = 1;

template <typename Table>
void make_room(Table& table) {
  if (table.size() >= Preambles::kMost) table.clear();
}

std::uint64_t median_of(const std::deque<std::uint64_t>& values) {
  std::vector<std::uint64_t> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

}  // namespace

std::string PreambleJob::encode() const {
  inputs::FrameWriter out;
  out.byte(kVersion).number(plain_us).byte(prints ? 1 : 0);
  return std::move(out).bytes();
}

Result<PreambleJob> PreambleJob::decode(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  if (in.byte() != kVersion) return Error{"what a job took is damaged"};
  PreambleJob job;
  job.plain_us = in.number();
  job.prints = in.byte() != 0;
  if (!in.finished()) return Error{"what a job took is damaged"};
  return job;
}

Preambles::Header& Preambles::header(const Digest& key) {
  if (!headers_.contains(key)) make_room(headers_);
  return headers_[key];
}

const Preambles::Header* Preambles::find(const Digest& key) const {
  const auto known = headers_.find(key);
  return known == headers_.end() ? nullptr : &known->second;
}

bool Preambles::may_be_stored(const Digest& key) const {
  const std::lock_guard lock(mutex_);
  const Header* known = find(key);
  return known == nullptr || (!known->is_absent && known->why_vain.empty());
}

void Preambles::note_absent(const Digest& key) {
  const std::lock_guard lock(mutex_);
  header(key).is_absent = true;
}

// What making will cost is known from the last header. Else three times the least job counts, because each job parses
// the text that the header and its proof parse twice; but no less than kLeastCostUs.
bool Preambles::pays_at_once(const Header& header, Clock::time_point now) const {
  const std::uint64_t cost_us = last_cost_us_ != 0 ? last_cost_us_ : std::max(3 * header.least_us, kLeastCostUs);
  const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(now - header.first_job);
  const std::uint64_t spent_us = std::min(header.spent_us, static_cast<std::uint64_t>(elapsed.count()));
  return now - header.last_job < kBetweenBuilds && spent_us / 100 * kMostLossPercent >= cost_us;
}

// Whether no job of the key has asked for a while.
bool Preambles::begins_build(const Digest& key, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  return now - std::exchange(header(key).last_asked, now) >= kBetweenBuilds;
}

Preambles::Turn Preambles::turn(const Digest& key, bool is_forced, const std::function<std::size_t()>& units_to_come,
                                Clock::time_point now) {
  const bool has_many = begins_build(key, now) && !is_forced && units_to_come() >= kFewestUnits;
  const std::lock_guard lock(mutex_);
  Header& known = header(key);
  ++known.jobs;
  if (known.is_made_now || !known.why_vain.empty()) return Turn::none;
  if (is_forced || has_many || pays_at_once(known, now)) {
    known.is_made_now = true;
    return Turn::at_once;
  }
  if (known.jobs <= kJobsBefore || now < known.asked_until || waiting_ >= kMostWaiting) return Turn::none;
  known.asked_until = now + kWaitsAtMost;
  return Turn::in_idle_time;
}

bool Preambles::takes_over(const Digest& key) {
  const std::lock_guard lock(mutex_);
  const auto known = headers_.find(key);
  if (known == headers_.end() || known->second.jobs <= kJobsBefore) return false;
  if (known->second.is_made_now || !known->second.why_vain.empty()) return false;
  return known->second.is_made_now = true;
}

std::optional<Preambles::Waiting> Preambles::begin_waiting() {
  if (++waiting_ <= kMostWaiting) return Waiting(*this);
  --waiting_;
  return std::nullopt;
}

void Preambles::note_made(const Digest& key, std::uint64_t cost_us) {
  const std::lock_guard lock(mutex_);
  header(key) = {};
  if (cost_us != 0) last_cost_us_ = cost_us;
}

void Preambles::note_vain(const Digest& key, std::string why) {
  const std::lock_guard lock(mutex_);
  header(key) = {.is_absent = true, .why_vain = std::move(why)};
}

void Preambles::note_left(const Digest& key) {
  const std::lock_guard lock(mutex_);
  header(key).is_made_now = false;
}

std::string Preambles::why_vain(const Digest& key) const {
  const std::lock_guard lock(mutex_);
  const Header* known = find(key);
  return known == nullptr ? "" : known->why_vain;
}

std::vector<std::size_t> Preambles::usual_order(bool is_host, std::size_t count) const {
  const std::lock_guard lock(mutex_);
  const auto& orders = orders_[is_host ? 1 : 0];
  const auto known = orders.find(count);
  return known == orders.end() ? std::vector<std::size_t>() : known->second;
}

void Preambles::note_order(bool is_host, const std::vector<std::size_t>& order) {
  const std::lock_guard lock(mutex_);
  auto& orders = orders_[is_host ? 1 : 0];
  make_room(orders);
  orders[order.size()] = order;
}

Digest Preambles::refutation_key(const Digest& header) {
  return cache::key_hasher("preamble-refuted").field(header).finish();
}

// Whether the store has a refutation is asked once.
bool Preambles::is_refuted(const Digest& header) {
  const std::lock_guard lock(mutex_);
  if (const auto known = refuted_.find(header); known != refuted_.end()) return known->second;
  const Result<std::optional<std::string>> stored = store_.action(refutation_key(header));
  make_room(refuted_);
  return refuted_[header] = stored && stored->has_value();
}

void Preambles::refute(const Digest& header, const std::string& why) {
  const std::lock_guard lock(mutex_);
  make_room(refuted_);
  refuted_[header] = true;
  if (Status noted = store_.put_action(refutation_key(header), why); !noted)
    log_.error("cannot store that a wrapper header is wrong: " + noted.error().message);
}

Digest Preambles::job_key(const Digest& step) { return cache::key_hasher("preamble-job").field(step).finish(); }

PreambleJob Preambles::job(const Digest& step) const {
  const Result<std::optional<std::string>> bytes = store_.action(job_key(step));
  if (!bytes || !*bytes) return {};
  const Result<PreambleJob> stored = PreambleJob::decode(**bytes);
  return stored ? *stored : PreambleJob();
}

std::uint64_t Preambles::expected_us(const Names& names) const {
  if (const std::uint64_t own = job(names.step).plain_us; own != 0) return own;
  const std::lock_guard lock(mutex_);
  if (const auto source = of_sources_.find(names.source); source != of_sources_.end()) return source->second;
  const auto group = of_groups_.find(names.group);
  return group == of_groups_.end() ? 0 : median_of(group->second);
}

// A time that differs by little is not written again.
void Preambles::note_plain_run(const Names& names, const PreambleJob& ran, Clock::time_point now) {
  const PreambleJob before = job(names.step);
  const bool is_like_before =
      before.prints == ran.prints && before.plain_us / 2 < ran.plain_us && ran.plain_us / 2 < before.plain_us;
  const std::lock_guard lock(mutex_);
  Header& of_header = header(names.header);
  if (now - of_header.last_job >= kBetweenBuilds) of_header.spent_us = of_header.least_us = 0;
  if (of_header.spent_us == 0) of_header.first_job = now;
  of_header.spent_us += ran.plain_us;
  of_header.least_us = of_header.least_us == 0 ? ran.plain_us : std::min(of_header.least_us, ran.plain_us);
  of_header.last_job = now;
  make_room(of_sources_);
  of_sources_[names.source] = ran.plain_us;
  if (!of_groups_.contains(names.group)) make_room(of_groups_);
  std::deque<std::uint64_t>& group = of_groups_[names.group];
  group.push_back(ran.plain_us);
  if (group.size() > kLastJobs) group.pop_front();
  if (is_like_before) return;
  if (Status noted = store_.put_action(job_key(names.step), ran.encode()); !noted)
    log_.warning("it is not kept what a job took: " + noted.error().message);
}

}  // namespace hipcache::daemon
