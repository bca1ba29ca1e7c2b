// What the daemon's main makes for its requests, over a store in memory.
#ifndef HIPCACHE_TESTS_DAEMON_SERVICES_IN_MEMORY_H
#define HIPCACHE_TESTS_DAEMON_SERVICES_IN_MEMORY_H

#include <string>

#include "daemon/request/services.h"
#include "support/memory_store.h"

namespace hipcache::daemon {

struct ServicesOptions {
  unsigned tokens = 1;
  InFlight::Limits limits = {};
  std::string log = {};  // a path; empty: nothing is logged
  Log::Level log_level = Log::Level::info;
  std::string temporary_root = {};
  std::string trace_library = {};
  protocol::Namespace name_space = {};
};

// Owns all that `services` refers to. `Store`: support::MemoryStore, or a class derived from it.
template <typename Store = support::MemoryStore>
class ServicesInMemory {
 public:
  explicit ServicesInMemory(const ServicesOptions& options = {})
      : log_(options.log, options.log_level),
        in_flight_(options.limits),
        tokens_(options.tokens),
        services{.store = store,
                 .world = world_,
                 .actions = actions_,
                 .history = history_,
                 .counters = counters_,
                 .parser = parser_,
                 .in_flight = in_flight_,
                 .pending = pending_,
                 .tokens = tokens_,
                 .doubts = doubts_,
                 .proofs = proofs_,
                 .log = log_,
                 .temporary_root = options.temporary_root,
                 .trace_library = options.trace_library,
                 .name_space = options.name_space} {}
  ServicesInMemory(const ServicesInMemory&) = delete;
  ServicesInMemory& operator=(const ServicesInMemory&) = delete;

  Store store;

 private:
  Log log_;
  inputs::World world_;
  action::ActionCache actions_{store, world_, log_};
  action::History history_{store, log_};
  stats::Counters counters_;
  command::Parser parser_;
  InFlight in_flight_;
  Pending pending_;
  Tokens tokens_;
  Remembered doubts_, proofs_;

 public:
  const Services services;
};

}  // namespace hipcache::daemon

#endif
