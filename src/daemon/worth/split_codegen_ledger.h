// The stored costs of device steps and of their groups, and the decision that follows from both: is the step's next run
// split?
//
// Each value lies in the store under a key of its own, so it outlives the daemon and is evicted like any other. Losing
// one costs a trial. A damaged value counts as none and is written anew. A mutex makes each change of a value one
// step, so requests that end at the same moment lose nothing of each other's; no other process writes to the store.
//
// Thread-safe. The store and the log outlive the ledger. Trouble with the store is logged, and never an error.
#ifndef HIPCACHE_SRC_DAEMON_WORTH_SPLIT_CODEGEN_LEDGER_H
#define HIPCACHE_SRC_DAEMON_WORTH_SPLIT_CODEGEN_LEDGER_H

#include <mutex>
#include <string>

#include "daemon/worth/split_codegen_cost.h"
#include "daemon/worth/split_codegen_group.h"
#include "hipcache/base/log.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

class SplitCodegenLedger {
 public:
  SplitCodegenLedger(store::LocalStore& store, Log& log) : store_(store), log_(log) {}

  SplitCodegenCost cost(const cache::ActionKey& step) const;

  // Whether to split the next run of a step with that cost. Asked once for each run, because a first compile counts.
  // `group_key`: keys.h, cost_group_key.
  bool splits_next_run(const SplitCodegenCost& cost, const Digest& group_key);

  // The step's run changed its cost. If that was its first split run, it is a trial of the group.
  void note(const cache::ActionKey& step, const Digest& group_key, const SplitCodegenCost& before,
            const SplitCodegenCost& after);

  // The step is not split again: an audit found its result wrong, and a stored back end may be why.
  void refuse(const cache::ActionKey& step);

 private:
  SplitCodegenGroup group(const Digest& key) const;
  void put(const Digest& key, const std::string& value);

  store::LocalStore& store_;
  Log& log_;
  std::mutex mutex_;  // held from reading a value to writing it
};

}  // namespace hipcache::daemon

#endif
