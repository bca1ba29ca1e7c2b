#include "daemon/worth/split_codegen_ledger.h"

#include <optional>
#include <utility>

#include "daemon/request/keys.h"

namespace hipcache::daemon {
namespace {

// What is stored under the key; what is known of nothing, if nothing is or it is damaged.
template <typename Value>
Value stored(store::LocalStore& store, const Digest& key) {
  const Result<std::optional<std::string>> bytes = store.action(key);
  if (!bytes || !*bytes) return {};
  Result<Value> value = Value::decode(**bytes);
  return value ? std::move(*value) : Value();
}

}  // namespace

SplitCodegenCost SplitCodegenLedger::cost(const cache::ActionKey& step) const {
  return stored<SplitCodegenCost>(store_, cost_key(step));
}

SplitCodegenGroup SplitCodegenLedger::group(const Digest& key) const { return stored<SplitCodegenGroup>(store_, key); }

bool SplitCodegenLedger::splits_next_run(const SplitCodegenCost& cost, const Digest& group_key) {
  if (cost.was_split()) return cost.pays();
  const std::lock_guard lock(mutex_);
  SplitCodegenGroup of_step = group(group_key);
  if (of_step.pays()) return !cost.is_known() || cost.pays();
  if (cost.is_known()) return cost.pays_among_light(of_step.typical_front_us());
  const bool splits = of_step.splits_first_compile();
  put(group_key, of_step.encode());
  return splits;
}

void SplitCodegenLedger::note(const cache::ActionKey& step, const Digest& group_key, const SplitCodegenCost& before,
                              const SplitCodegenCost& after) {
  if (after == before) return;
  const std::lock_guard lock(mutex_);
  put(cost_key(step), after.encode());
  if (before.was_split() || !after.was_split()) return;
  SplitCodegenGroup of_step = group(group_key);
  of_step.add(after.first_trial());
  put(group_key, of_step.encode());
}

void SplitCodegenLedger::refuse(const cache::ActionKey& step) {
  const std::lock_guard lock(mutex_);
  SplitCodegenCost refused = cost(step);
  refused.refuse();
  put(cost_key(step), refused.encode());
}

void SplitCodegenLedger::put(const Digest& key, const std::string& value) {
  if (Status noted = store_.put_action(key, value); !noted) log_.warning("no cost is kept: " + noted.error().message);
}

}  // namespace hipcache::daemon
