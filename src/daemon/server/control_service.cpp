#include "daemon/server/control_service.h"

#include <string>

namespace hipcache::daemon {

using protocol::ControlKind;
using protocol::ControlReply;

ControlReply ControlService::serve(ControlKind kind) {
  switch (kind) {
    case ControlKind::ping:
      return {"", "hipcached " + protocol::build_id()};
    case ControlKind::stats:
      return statistics();
    case ControlKind::zero_stats:
      pending_.wait_for_all();  // otherwise a request whose client has ended could be counted after the reset
      counters_.zero();
      persistent_.save_if_changed();
      return {"", "Statistics zeroed"};
    case ControlKind::clear:
      return clear();
    case ControlKind::cleanup:
      return clean_up();
    case ControlKind::stop:
      stop_();
      return {"", "Stopping"};
  }
  return {"unknown request; is the client newer than the daemon? hipcache --stop-server ends the daemon", ""};
}

ControlReply ControlService::statistics() {
  pending_.wait_for_all();
  const store::Usage usage = store_.usage();
  stats::Snapshot snapshot = counters_.snapshot();
  snapshot.corrupt += usage.corrupt;
  snapshot.evicted += usage.evicted;
  snapshot.layers = usage.layers;
  snapshot.taken_over = usage.taken_over;
  return {"", snapshot.to_json(usage.actions, usage.blobs, usage.bytes, usage.bytes_on_disk)};
}

ControlReply ControlService::clear() {
  pending_.wait_for_all();
  if (Status cleared = store_.clear(); !cleared) return {cleared.error().message, ""};
  return {"", "Cache cleared"};
}

ControlReply ControlService::clean_up() {
  if (max_bytes_ == 0) return {"", "No size limit is set: nothing to clean up"};
  pending_.wait_for_all();
  if (Status shrunk = store_.shrink_to(max_bytes_); !shrunk) return {shrunk.error().message, ""};
  return {"", "Cache holds " + std::to_string(store_.usage().bytes_on_disk) + " bytes on disk"};
}

}  // namespace hipcache::daemon
