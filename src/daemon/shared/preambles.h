// What the daemon knows of wrapper headers that are parsed once (plan.h, Preamble): whether one is worth making, which
// were found wrong, and what the jobs take that may use them.
//
// The problem: a header saves a quarter of a second of each job and costs four times that, and each architecture, the
// host and each set of options needs its own. The choice: the first two jobs of a key compile plainly, the third makes
// the header, and all others compile plainly meanwhile. So a lone unit never pays. Whether there is a header in a store
// is asked once: after that it is there only if this daemon makes it. Heavy jobs are left alone, because a quarter of a
// second is less than 3 % of them. What a job takes is known from its last run, else from the last run of its source
// for another architecture, else from the last jobs of its group (request/keys.h: cost_group_key).
//
// A header that an audit found wrong is refuted for good, for all daemons of the store. The results that were made with
// it have its digest (cache::ActionResult::preambles) and are not served any more.
//
// Thread-safe. The store and the log outlive this object. Trouble with the store is logged, and never an error.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_PREAMBLES_H
#define HIPCACHE_SRC_DAEMON_SHARED_PREAMBLES_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
  static constexpr unsigned kJobsBefore = 2;            // that compile plainly before a header is made
  static constexpr std::size_t kMost = 4096;            // of each of the tables below; when exceeded, it begins anew
  static constexpr std::size_t kLastJobs = 32;          // of a group

  Preambles(store::LocalStore& store, Log& log) : store_(store), log_(log) {}

  // Whether a look-up of the header may find it: no look-up has failed yet, or it was made since.
  bool may_be_stored(const Digest& key) const;
  void note_absent(const Digest& key);

  // A job of that key found no header. Whether it is to make the header: it is the third, nobody else makes it, and it
  // was never tried in vain. `at_once`: the first makes it. After true: note_made(), note_vain() or note_left().
  bool takes_turn(const Digest& key, bool at_once);
  void note_made(const Digest& key);
  void note_vain(const Digest& key, std::string why);
  void note_left(const Digest& key);  // the client left before it was made
  // Why the header cannot be made; "" if it was not tried in vain.
  std::string why_vain(const Digest& key) const;

  // The order of the last header of that side with that many declarations (hipcache/compiler/ast_file.h); empty: none
  // is known.
  std::vector<std::size_t> usual_order(bool is_host, std::size_t count) const;
  void note_order(bool is_host, const std::vector<std::size_t>& order);

  bool is_refuted(const Digest& header);
  void refute(const Digest& header, const std::string& why);

  // By which names the costs of jobs are known: the step, its source on its side, and its group.
  struct Names {
    Digest step, source, group;
  };
  PreambleJob job(const Digest& step) const;
  // What the job is expected to take; 0: nothing is known of it.
  std::uint64_t expected_us(const Names& names) const;
  void note_plain_run(const Names& names, const PreambleJob& ran);

 private:
  struct Header {
    unsigned jobs = 0;
    bool is_absent = false;
    bool is_made_now = false;
    std::string why_vain;
  };
  static Digest refutation_key(const Digest& header);
  static Digest job_key(const Digest& step);
  Header& header(const Digest& key);
  const Header* find(const Digest& key) const;

  store::LocalStore& store_;
  Log& log_;
  mutable std::mutex mutex_;  // guards all below
  std::unordered_map<Digest, Header> headers_;
  std::unordered_map<Digest, bool> refuted_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> orders_[2];  // of devices and of hosts, by their lengths
  std::unordered_map<Digest, std::uint64_t> of_sources_;
  std::unordered_map<Digest, std::deque<std::uint64_t>> of_groups_;
};

}  // namespace hipcache::daemon

#endif
