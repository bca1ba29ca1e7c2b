// A random walk: a project, a cache of its own, and edits, after each of which hipcache is held against the compiler.
//
// The same seed makes the same walk, whatever the cache does: only what the compiler says (its exit code) has an
// influence on the next step. More steps continue the same walk.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_WALK_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_WALK_H

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/oracle/judge.h"
#include "fuzz/oracle/ledger.h"
#include "fuzz/oracle/model/random.h"
#include "fuzz/oracle/model/tree.h"
#include "fuzz/oracle/tally.h"

namespace hipcache::fuzz {

struct WalkOptions {
  integration::Compiler compiler;
  std::uint32_t seed = 1;
  unsigned steps = 40;
  bool verbose = false;       // prints every step
  bool edits_tokens = false;  // mostly edits that a compiler does not see
};

class Walk {
 public:
  using Print = std::function<void(const std::string&)>;

  Walk(const WalkOptions& options, Tally& tally, Print print);

  // Ends with its steps, at the first mismatch, or when `is_over` says so.
  void run(const std::function<bool()>& is_over);

  // For tests: the walk without any compile.
  struct Rehearsal {
    std::vector<std::string> done;  // a line for each step
    Snapshot tree;                  // and what it came to
    Compile compile;

    bool operator==(const Rehearsal&) const = default;
  };
  Rehearsal rehearse();

 private:
  struct Kind {
    unsigned weight;
    std::string (Walk::*act)();
  };
  struct Moment {
    Snapshot tree;
    Compile compile;
    bool good = false;
  };

  bool step();  // false: a mismatch
  void begin_step();
  std::string change();
  std::string change_once();
  Occasion occasion() const;
  std::vector<integration::Request> requests() const;
  void remember(const Occasion& now, const integration::Comparison& comparison);
  void tell(const integration::Comparison& comparison) const;
  void report(const std::vector<Finding>& findings, const integration::Comparison& comparison,
              std::size_t log_size) const;

  std::string repeat();
  std::string edit_sources();
  std::string edit_comments();
  std::string move_sources();
  std::string edit_libraries();
  std::string leave_as_is();
  std::string edit_variable();
  std::string edit_command();
  std::string edit_targets();
  std::string break_one();
  std::string mend();
  std::string revert();
  std::string restart_daemon();
  std::string clear_cache();
  std::string recache();
  std::string only_read();
  std::string two_at_once();

  const WalkOptions options_;
  Tally& tally_;
  const Print print_;
  Random random_;
  support::Scratch project_;
  support::Scratch notes_;  // the daemon's log
  integration::Cache cache_;
  const Tree tree_;
  integration::Oracle oracle_;
  Ledger ledger_;
  Compile compile_;
  std::deque<Moment> history_;

  // Of the present step.
  unsigned number_ = 0;
  std::string done_;
  std::vector<Compile> beside_;  // asked at the same time
  Variables settings_;
};

}  // namespace hipcache::fuzz

#endif
