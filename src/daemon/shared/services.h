// References to everything that serves a request. Made in main (or a test), outlives every session; owns nothing.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_SERVICES_H
#define HIPCACHE_SRC_DAEMON_SHARED_SERVICES_H

#include <span>
#include <string>

#include "daemon/shared/bounded_map.h"
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

using DigestSet = BoundedSet<Digest, 4096>;

// Why the last run for an output failed, by the key of its miss history, for --explain: a failed compile stores
// nothing. Rejected: the miss history, which is stored and shared, and in which a failed compile would be one to
// compare with.
using Failures = BoundedMap<Digest, std::string, 1024>;

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
