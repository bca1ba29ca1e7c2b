// What the daemon knows of wrapper headers that are parsed once (plan.h, Preamble): whether one is worth making, which
// were found wrong, and what the jobs take that may use them.
//
// The problem: a header saves a quarter of a second of each job and costs four times that, and no build may lose more
// than 3 %. The choice: the first job of a build that has enough units before it (run/units_to_come.h) makes it in its
// own slot. Where nothing tells how many will follow, a client is asked to make it in idle time from the third job of a
// key on (serve/headers.cpp), where it costs no build anything. In a build without idle time a job makes it once that
// is at most 3 % of what the key's jobs have cost in this build (docs/internals/plan.md, "When it is made").
//
// Whether there is a header in a store is asked once: after that it is there only if this daemon makes it. A header
// that an audit found wrong is refuted for good, for all daemons of the store. The results that were made with it have
// its digest (cache::ActionResult::preambles) and are not served any more.
//
// Thread-safe. The store and the log outlive this object. Trouble with the store is logged, and never an error.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_PREAMBLES_H
#define HIPCACHE_SRC_DAEMON_SHARED_PREAMBLES_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

// What a job took when it last ran without a header, in microseconds of processor time (0: not known), and whether it
// then printed something that may differ with one.
struct PreambleJob {
  std::uint64_t plain_us = 0;
  bool prints = false;
  bool operator==(const PreambleJob&) const = default;

  std::string encode() const;
  static Result<PreambleJob> decode(std::string_view bytes);
};

class Preambles {
 public:
  static constexpr std::uint64_t kHeavyUs = 8'000'000;  // of processor time: a header saves less than 3 % of such a job
  static constexpr unsigned kJobsBefore = 2;            // that ask for no header
  static constexpr std::uint64_t kLeastCostUs = 500'000;  // of a header and its proof, where none was made yet
  static constexpr unsigned kMostLossPercent = 3;         // of a build, by a header that a job makes in its own slot
  static constexpr std::size_t kFewestUnits = 6;          // for which a job makes it at once
  static constexpr std::chrono::seconds kBetweenBuilds{30};
  static constexpr unsigned kMostWaiting = 4;               // clients at once
  static constexpr std::chrono::seconds kWaitsAtMost{600};  // a client for idle time
  static constexpr std::size_t kMost = 4096;    // of each of the tables below; when exceeded, it begins anew
  static constexpr std::size_t kLastJobs = 32;  // of a group

  Preambles(store::LocalStore& store, Log& log) : store_(store), log_(log) {}

  // Whether a look-up of the header may find it: no look-up has failed yet, or it was made since.
  bool may_be_stored(const Digest& key) const;
  void note_absent(const Digest& key);

  using Clock = std::chrono::steady_clock;

  // Who makes the header that a job did not find.
  enum class Turn {
    none,          // nobody, or it was asked of another
    in_idle_time,  // the job's client is to make it afterwards, when nobody else wants the processor
    at_once        // the job. After that: note_made(), note_vain() or note_left().
  };
  // `is_forced`: the first job makes it. `units_to_come`: of the build; asked by the key's first job in a build.
  Turn turn(const Digest& key, bool is_forced, const std::function<std::size_t()>& units_to_come,
            Clock::time_point now = Clock::now());

  // Whether a client that makes headers in idle time is to make that one now. After true: as for Turn::at_once.
  bool takes_over(const Digest& key);
  void note_made(const Digest& key, std::uint64_t cost_us);
  void note_vain(const Digest& key, std::string why);
  void note_left(const Digest& key);  // the client left before it was made

  // A client that waits for idle time, until this object is destroyed.
  class Waiting {
   public:
    explicit Waiting(Preambles& preambles) : preambles_(&preambles) {}
    Waiting(Waiting&& other) noexcept : preambles_(std::exchange(other.preambles_, nullptr)) {}
    Waiting& operator=(Waiting&&) = delete;
    ~Waiting() {
      if (preambles_ != nullptr) --preambles_->waiting_;
    }

   private:
    Preambles* preambles_;
  };
  // Nothing if enough others wait.
  std::optional<Waiting> begin_waiting();
  // Locked if the caller may make headers now: one client does so at a time.
  std::unique_lock<std::mutex> turn_in_idle_time() { return {in_idle_time_, std::try_to_lock}; }
  // The daemon leaves: nobody is to wait for idle time any more. For any thread.
  void stop_waiting() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

  // Why the header cannot be made; "" if it was not tried in vain.
  std::string why_vain(const Digest& key) const;

  // The order of the last header of that side with that many declarations (hipcache/compiler/ast_file.h); empty: none
  // is known.
  std::vector<std::size_t> usual_order(bool is_host, std::size_t count) const;
  void note_order(bool is_host, const std::vector<std::size_t>& order);

  bool is_refuted(const Digest& header);
  void refute(const Digest& header, const std::string& why);

  // By which names the costs of jobs are known: the step, its source on its side, its group, and its header's key.
  struct Names {
    Digest step, source, group, header;
  };
  PreambleJob job(const Digest& step) const;
  // What the job is expected to take; 0: nothing is known of it.
  std::uint64_t expected_us(const Names& names) const;
  void note_plain_run(const Names& names, const PreambleJob& ran, Clock::time_point now = Clock::now());

 private:
  struct Header {
    unsigned jobs = 0;
    bool is_absent = false;
    bool is_made_now = false;
    std::string why_vain;
    Clock::time_point asked_until = {};  // until then no other client is asked to make it in idle time
    Clock::time_point last_asked = {};
    // What its jobs have cost in this build, which began when none of them had ended for kBetweenBuilds.
    std::uint64_t spent_us = 0, least_us = 0;
    Clock::time_point first_job = {}, last_job = {};
  };
  bool begins_build(const Digest& key, Clock::time_point now);
  bool pays_at_once(const Header& header, Clock::time_point now) const;
  static Digest refutation_key(const Digest& header);
  static Digest job_key(const Digest& step);
  Header& header(const Digest& key);
  const Header* find(const Digest& key) const;

  store::LocalStore& store_;
  Log& log_;
  std::atomic<bool> is_stopped_{false};
  std::atomic<unsigned> waiting_{0};
  std::mutex in_idle_time_;
  mutable std::mutex mutex_;        // guards all below
  std::uint64_t last_cost_us_ = 0;  // of making a header with its proof; 0: not known
  std::unordered_map<Digest, Header> headers_;
  std::unordered_map<Digest, bool> refuted_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> orders_[2];  // of devices and of hosts, by their lengths
  std::unordered_map<Digest, std::uint64_t> of_sources_;
  std::unordered_map<Digest, std::deque<std::uint64_t>> of_groups_;
};

}  // namespace hipcache::daemon

#endif
