#include "daemon/server/persistent_counters.h"

#include <optional>
#include <string>

namespace hipcache::daemon {
namespace {

constexpr const char* kNote = "statistics";

}  // namespace

PersistentCounters::PersistentCounters(stats::Counters& counters, store::LocalStore& store, Log& log)
    : counters_(counters), store_(store), log_(log) {
  const Result<std::optional<std::string>> note = store_.note(kNote);
  if (!note) {
    log_.warning("statistics start anew: " + note.error().message);
  } else if (*note) {
    const Result<stats::Snapshot> saved = stats::Snapshot::from_json(**note);
    if (saved) {
      counters_.restore(*saved);
    } else {
      log_.warning("statistics start anew: " + saved.error().message);
    }
  }
}

void PersistentCounters::save_if_changed() {
  if (!counters_.take_dirty()) return;
  const Status saved = store_.put_note(kNote, counters_.snapshot().to_json(0, 0, 0, 0));
  if (!saved) log_.warning("statistics not saved: " + saved.error().message);
}

}  // namespace hipcache::daemon
