// References to everything that serves a request. Made in main (or a test), outlives every session; owns nothing.
#ifndef HIPCACHE_DAEMON_SERVICES_H
#define HIPCACHE_DAEMON_SERVICES_H

#include <string>

#include "daemon/in_flight.h"
#include "daemon/pending.h"
#include "daemon/remembered.h"
#include "daemon/tokens.h"
#include "hipcache/action/action_cache.h"
#include "hipcache/action/history.h"
#include "hipcache/base/log.h"
#include "hipcache/command/invocation.h"
#include "hipcache/config/settings.h"
#include "hipcache/inputs/world.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/stats/counters.h"
#include "hipcache/store/store.h"

namespace hipcache::daemon {

struct Services {
  store::Store& store;
  inputs::World& world;
  action::ActionCache& actions;
  action::History& history;
  stats::Counters& counters;
  const command::Parser& parser;
  InFlight& in_flight;
  Pending& pending;
  Tokens& tokens;
  Remembered& doubts;  // keys of failed proofs and doubted steps; not retried
  Remembered& proofs;  // digests of outputs that were compared and make a proof
  Log& log;
  std::string temporary_root;      // where request directories are made
  std::string trace_library;       // absolute path of libhipcache-trace.so
  protocol::Namespace name_space;  // the daemon's own
  unsigned audit = 0;              // one in so many back end runs is audited (halves_run.h); 0: none
};

}  // namespace hipcache::daemon

#endif
