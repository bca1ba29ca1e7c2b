#include "remote/tiers/tier.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

namespace hipcache::remote {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kReadStall = 2s;
constexpr auto kWriteAnswer = 10s;  // in the background
constexpr auto kWriteTotal = 30s;
constexpr std::uint64_t kSlowest = 1u << 10;  // bytes in a millisecond
constexpr int kWriteAttempts = 3;
constexpr auto kRetryPause = 200ms;
constexpr std::size_t kLatencies = 512;

std::uint32_t microseconds_since(Clock::time_point start) {
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  return static_cast<std::uint32_t>(std::min<std::int64_t>(took, std::numeric_limits<std::uint32_t>::max()));
}

// Whether another attempt may help.
bool may_pass(const Failure& failure) {
  return failure.trouble == Trouble::unreachable || failure.trouble == Trouble::throttled;
}

}  // namespace

Tier::Tier(const config::RemoteUrl& url, std::unique_ptr<Backend> backend, Notify notify,
           std::shared_ptr<const Trust> trust)
    : url_(url), backend_(std::move(backend)), notify_(std::move(notify)), trust_(std::move(trust)) {}

Limits Tier::read_limits(std::uint64_t size, TimePoint until) const {
  return {.connect = url_.connect_timeout,
          .answer = url_.timeout,
          .stall = kReadStall,
          .total = config::look_up_limit(url_) + milliseconds(size / kSlowest),
          .until = until};
}

Limits Tier::write_limits(std::uint64_t size) {
  return {.connect = std::max<milliseconds>(url_.connect_timeout, 2s),
          .answer = std::max<milliseconds>(url_.timeout, kWriteAnswer),
          .stall = kWriteAnswer,
          .total = kWriteTotal + milliseconds(size / kSlowest),
          .sent = &bytes_sent_};
}

void Tier::note_failure(Circuit& circuit, const char* what, const Failure& failure, bool was_slow) {
  if (circuit.failed(failure, was_slow))
    notify_(true, url_.shown + ": " + what + " failed repeatedly and pauses: " + failure.message);
  else
    notify_(false, url_.shown + ": " + what + " failed: " + failure.message);
}

template <typename T, typename Call>
Answer<T> Tier::read(std::uint64_t size, TimePoint until, const Call& call) {
  const Clock::time_point start = Clock::now();
  if (start >= until) return Answer<T>(Failure{Trouble::unreachable, "other shared caches took the time", {}});
  if (!reading_.lets_through()) return Answer<T>(Failure{Trouble::unreachable, "not asked now", {}});
  const Limits limits = read_limits(size, until);
  Answer<T> answer = call(limits);
  const std::uint32_t took = microseconds_since(start);
  if (answer.failure)
    note_failure(reading_, "reading", *answer.failure,
                 std::chrono::microseconds(took) >= url_.timeout && start + limits.total <= until);
  else
    reading_.succeeded();
  const std::lock_guard lock(mutex_);
  ++(answer.failure ? counts_.errors : answer.value ? counts_.hits : counts_.misses);
  counts_.bytes_read += answer.bytes;
  if (latencies_.size() < kLatencies)
    latencies_.push_back(took);
  else
    latencies_[next_latency_++ % kLatencies] = took;
  return answer;
}

template <typename Call>
WriteAnswer Tier::try_write(const Limits& limits, const Call& call) {
  WriteAnswer answer;
  const Clock::time_point until = Clock::now() + kWritePatience;
  for (int attempt = 0; attempt < kWriteAttempts;) {
    if (!writing_.lets_through()) {
      const Clock::duration pause = writing_.pause().value_or(Clock::duration(0));
      if (Clock::now() + pause >= until) return WriteAnswer(Failure{Trouble::unreachable, writing_.state(), {}});
      std::this_thread::sleep_for(std::max<Clock::duration>(pause, kRetryPause));
      continue;
    }
    if (attempt++ > 0) std::this_thread::sleep_for(kRetryPause);
    answer = call(limits);
    note_write(answer);
    if (!answer.failure) {
      writing_.succeeded();
      return answer;
    }
    note_failure(writing_, "writing", *answer.failure, false);  // nobody waits
    if (!may_pass(*answer.failure)) return answer;
  }
  return answer;
}

void Tier::note_write(const WriteAnswer& answer) {
  const std::lock_guard lock(mutex_);
  write_trouble_ = answer.failure ? answer.failure->message : "";
}

template <typename Call>
WriteAnswer Tier::write(std::uint64_t size, const Call& call) {
  ++writes_now_;
  WriteAnswer answer = try_write(write_limits(size), call);
  --writes_now_;
  const std::lock_guard lock(mutex_);
  if (answer.failure) ++counts_.write_errors;
  if (answer.value) ++counts_.written;
  counts_.bytes_written += answer.bytes;
  return answer;
}

Answer<List> Tier::list(const Digest& key, TimePoint until) {
  return read<List>(0, until, [&](const Limits& limits) { return backend_->list(key, limits); });
}

Answer<RemoteResult> Tier::result(const Digest& key, TimePoint until) {
  return read<RemoteResult>(0, until,
                            [&](const Limits& limits) { return if_trusted(key, backend_->result(key, limits)); });
}

Answer<RemoteResult> Tier::if_trusted(const Digest& key, Answer<RemoteResult> answer) {
  if (!answer.value) return answer;
  const Verdict verdict = trust_->judge(key, *answer.value);
  if (verdict == Verdict::trusted) return answer;
  answer.value.reset();
  std::unique_lock lock(mutex_);
  ++(verdict == Verdict::not_signed ? counts_.not_signed : counts_.untrusted);
  const bool is_logged = std::exchange(distrust_is_logged_, true);
  lock.unlock();
  if (!is_logged) {
    const char* what = verdict == Verdict::not_signed ? "is not signed" : "is not signed by a key of trusted_keys";
    notify_(true, url_.shown + ": a result " + what + "; it and others like it are misses");
  }
  return answer;
}

Answer<std::string> Tier::blob(const Digest& digest, std::uint64_t size, TimePoint until) {
  return read<std::string>(size, until, [&](const Limits& limits) { return backend_->blob(digest, size, limits); });
}

WriteAnswer Tier::put_blob(const Digest& digest, const std::string& bytes) {
  return write(bytes.size(), [&](const Limits& limits) { return backend_->put_blob(digest, bytes, limits); });
}

WriteAnswer Tier::put_result(const Digest& key, const RemoteResult& result, const std::vector<Digest>& large) {
  return write(kResultLimit, [&](const Limits& limits) { return backend_->put_result(key, result, large, limits); });
}

WriteAnswer Tier::add_to_list(const Digest& key, const List& sets) {
  return write(kListLimit, [&](const Limits& limits) { return backend_->add_to_list(key, sets, limits); });
}

// What the settings forbid stays forbidden, whatever the server does.
std::string Tier::state() {
  std::string forbidden;
  if (url_.reads && !trust_->why_not_read().empty()) forbidden = "not read: " + trust_->why_not_read();
  if (url_.writes && !trust_->why_not_written().empty())
    forbidden += (forbidden.empty() ? "not written: " : "; not written: ") + trust_->why_not_written();
  const std::string reading = reads() ? reading_.state() : "ok";
  const std::string writing = url_.writes ? writing_.state() : "ok";
  const std::string now = reading != "ok" ? reading : writing != "ok" ? "writes " + writing : "";
  if (forbidden.empty()) return now.empty() ? "ok" : now;
  return now.empty() ? forbidden : now + "; " + forbidden;
}

protocol::RemoteTier Tier::statistics() {
  const std::string state = this->state();
  const std::lock_guard lock(mutex_);
  protocol::RemoteTier shown = counts_;
  shown.url = url_.shown;
  shown.state = state;
  shown.writing = writes_now_;
  shown.bytes_sent = bytes_sent_;
  shown.write_trouble = write_trouble_;
  std::vector<std::uint32_t> sorted = latencies_;
  if (!sorted.empty()) {
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    shown.median_us = sorted[sorted.size() / 2];
  }
  return shown;
}

void Tier::zero() {
  const std::lock_guard lock(mutex_);
  counts_ = {};
  latencies_.clear();
  next_latency_ = 0;
}

}  // namespace hipcache::remote
