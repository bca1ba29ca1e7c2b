// References to everything that serves a request. Made in main (or a test), outlives every session; owns nothing.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_SERVICES_H
#define HIPCACHE_SRC_DAEMON_SHARED_SERVICES_H

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <unordered_set>

#include "daemon/shared/failures.h"
#include "daemon/shared/job_slots.h"
#include "daemon/shared/pending_writes.h"
#include "daemon/shared/running_steps.h"
#include "daemon/shared/single_flight.h"
#include "daemon/shared/token_hits.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/compiler/kind.h"
#include "hipcache/config/settings.h"
#include "hipcache/events/event_log.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/stats/counters.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

// A bounded set of digests, kept while the daemon lives. Thread-safe.

class DigestSet {
 public:
  static constexpr std::size_t kMost = 4096;  // when reached, the set is cleared and fills again

  void add(const Digest& key) {
    const std::lock_guard lock(mutex_);
    if (keys_.size() >= kMost) keys_.clear();
    keys_.insert(key);
  }

  bool has(const Digest& key) const {
    const std::lock_guard lock(mutex_);
    return keys_.contains(key);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<Digest> keys_;
};

class AuditDraw;
class AuditEvidence;
class Engine;
class Preambles;
class SplitCodegenLedger;
class Wrappers;

struct Services {
  store::LocalStore& store;
  inputs::FileSystemState& file_system;
  cache::ActionCache& actions;
  cache::MissHistory& miss_history;
  stats::Counters& counters;
  std::span<const compiler::Kind* const> kinds;  // of compiles; the most special first
  const compiler::Parser& parser;                // one of them, for commands of wrappers
  SingleFlight& single_flight;
  PendingWrites& pending_writes;
  JobSlots& job_slots;
  StepMemory& step_memory;
  RunningSteps& running_steps;
  DigestSet& doubts;      // keys of failed proofs and doubted steps; not retried
  DigestSet& proofs;      // digests of outputs that were compared and make a proof
  AuditDraw& audit_draw;  // of hits, of plans, and of back ends of the codegen split
  AuditEvidence& audit_evidence;
  TokenHits& token_hits;
  SplitCodegenLedger& split_codegen_ledger;
  Preambles& preambles;
  Wrappers& wrappers;
  Failures& failures;
  events::EventLog& event_log;
  Log& log;
  // That the daemon was started with; each request has its own.
  const config::Settings& own_settings;
  Engine* engine = nullptr;        // null: no step runs on another machine
  std::string temporary_root;      // where request directories are made
  std::string trace_library;       // absolute path of libhipcache-trace.so
  protocol::MountView mount_view;  // the daemon's own
};

}  // namespace hipcache::daemon

#endif
