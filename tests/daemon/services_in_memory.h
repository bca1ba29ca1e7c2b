// What the daemon's main makes for its requests, over a store in memory.
#ifndef HIPCACHE_TESTS_DAEMON_SERVICES_IN_MEMORY_H
#define HIPCACHE_TESTS_DAEMON_SERVICES_IN_MEMORY_H

#include <array>
#include <string>

#include "daemon/audit/audit.h"
#include "daemon/request/wrappers.h"
#include "daemon/shared/preambles.h"
#include "daemon/shared/services.h"
#include "daemon/shared/split_codegen_worth.h"
#include "hipcache/compiler/iree/iree_command.h"
#include "hipcache/compiler/opaque/opaque_command.h"
#include "support/memory_store.h"

namespace hipcache::daemon {

struct ServicesOptions {
  unsigned job_slots = 1;
  SingleFlight::Limits limits = {};
  std::string log = {};  // a path; empty: nothing is logged
  Log::Level log_level = Log::Level::info;
  std::string temporary_root = {};
  std::string trace_library = {};
  protocol::MountView mount_view = {};
  Engine* engine = nullptr;
  const OwnDirectory* event_directory = nullptr;  // null: no event log
};

// Owns all that `services` refers to. `Store`: support::MemoryStore, or a class derived from it.
template <typename Store = support::MemoryStore>
class ServicesInMemory {
 public:
  explicit ServicesInMemory(const ServicesOptions& options = {})
      : log_(options.log, options.log_level),
        single_flight_(options.limits),
        job_slots_(options.job_slots),
        event_log_(options.event_directory, 64u << 20, log_),
        services{.store = store,
                 .file_system = file_system_,
                 .actions = actions_,
                 .miss_history = history_,
                 .counters = counters_,
                 .kinds = kinds_,
                 .parser = parser_,
                 .single_flight = single_flight_,
                 .pending_writes = pending_,
                 .job_slots = job_slots_,
                 .step_memory = step_memory_,
                 .running_steps = running_steps_,
                 .doubts = doubts_,
                 .proofs = proofs_,
                 .audit_draw = audit_draw_,
                 .audit_evidence = audit_evidence_,
                 .token_hits = token_hits_,
                 .split_codegen_ledger = split_codegen_ledger_,
                 .preambles = preambles_,
                 .wrappers = wrappers_,
                 .failures = failures_,
                 .event_log = event_log_,
                 .log = log_,
                 .own_settings = own_settings_,
                 .engine = options.engine,
                 .temporary_root = options.temporary_root,
                 .trace_library = options.trace_library,
                 .mount_view = options.mount_view} {}
  ServicesInMemory(const ServicesInMemory&) = delete;
  ServicesInMemory& operator=(const ServicesInMemory&) = delete;

  Store store;

 private:
  Log log_;
  config::Settings own_settings_;
  inputs::FileSystemState file_system_;
  cache::ActionCache actions_{store, file_system_, log_};
  cache::MissHistory history_{store, log_};
  stats::Counters counters_;
  compiler::Parser parser_;
  compiler::IreeKind iree_;
  compiler::OpaqueKind opaque_;
  std::array<const compiler::Kind*, 3> kinds_{&parser_, &iree_, &opaque_};
  SingleFlight single_flight_;
  PendingWrites pending_;
  JobSlots job_slots_;
  StepMemory step_memory_;
  RunningSteps running_steps_;
  DigestSet doubts_, proofs_;
  AuditDraw audit_draw_{1};
  AuditEvidence audit_evidence_{nullptr};
  TokenHits token_hits_;
  SplitCodegenLedger split_codegen_ledger_{store, log_};
  Preambles preambles_{store, log_};
  Wrappers wrappers_{file_system_};
  Failures failures_;
  events::EventLog event_log_;

 public:
  const Services services;
};

}  // namespace hipcache::daemon

#endif
