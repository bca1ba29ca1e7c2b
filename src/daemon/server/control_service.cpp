#include "daemon/server/control_service.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "hipcache/events/event.h"
#include "hipcache/stats/report.h"

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

using protocol::ControlKind;
using protocol::ControlReply;

ControlReply ControlService::serve(ControlKind kind) {
  switch (kind) {
    case ControlKind::ping:
      return {"", "hipcached " + protocol::build_id()};
    case ControlKind::stats:
      return statistics();
    case ControlKind::zero_stats:
      return zero();
    case ControlKind::clear:
      return clear();
    case ControlKind::cleanup:
      return clean_up();
    case ControlKind::flush:
      return flush();
    case ControlKind::export_results:
    case ControlKind::import_results:
      pending_.wait_for_all();  // what a build made just now is to be exported, too
      return {"", "ready"};
    case ControlKind::stop:
      stop_();
      return {"", "Stopping"};
  }
  return {"unknown request; is the client newer than the daemon? hipcache --stop-server ends the daemon", ""};
}

ControlReply ControlService::zero() {
  pending_.wait_for_all();  // otherwise a request whose client has ended could be counted after the reset
  counters_.zero();
  remote_statistics(true);
  persistent_.save_if_changed();
  events_.add(events::to_line(events::ZeroEvent{events::now_us()}));
  return {"", "Statistics zeroed"};
}

// Also writes the event log, for those who read it after these statistics.
ControlReply ControlService::statistics() {
  pending_.wait_for_all();
  events_.flush();
  const store::Usage usage = store_.usage();
  stats::Snapshot snapshot = counters_.snapshot();
  snapshot.corrupt += usage.corrupt;
  snapshot.evicted += usage.evicted;
  snapshot.layers = usage.layers;
  snapshot.taken_over = usage.taken_over;
  snapshot.max_bytes = max_bytes_;
  snapshot.directory = directory_;
  snapshot.remote = remote_statistics(false);
  snapshot.running = running_.now();
  snapshot.token_hits.off = token_hits_.why_off();
  const events::LogCounts lines = events_.counts();
  snapshot.events = {.written = lines.written, .dropped = lines.dropped, .failed = lines.failed};
  return {"", snapshot.to_json(usage.actions, usage.blobs, usage.bytes, usage.bytes_on_disk)};
}

stats::Remote ControlService::remote_statistics(bool zero) {
  stats::Remote shown;
  if (remote_ == nullptr) return shown;
  const Publisher::Progress progress = remote_->publisher().progress();
  shown.waiting = progress.waiting_results;
  shown.written = progress.written;
  shown.failed = progress.failed;
  for (protocol::RemoteTier& tier : remote_->statistics(zero))
    shown.tiers.push_back({.url = std::move(tier.url),
                           .state = std::move(tier.state),
                           .hits = tier.hits,
                           .misses = tier.misses,
                           .errors = tier.errors,
                           .not_signed = tier.not_signed,
                           .untrusted = tier.untrusted,
                           .written = tier.written,
                           .write_errors = tier.write_errors,
                           .bytes_read = tier.bytes_read,
                           .bytes_written = tier.bytes_written,
                           .median_us = tier.median_us});
  return shown;
}

// The client asks again until nothing waits: so it can show progress, and no thread of the daemon waits for a server.
ControlReply ControlService::flush() {
  pending_.wait_for_all();
  const Publisher::Progress progress =
      remote_ == nullptr ? Publisher::Progress() : remote_->publisher().take_progress();
  nlohmann::json json = {{"waiting", progress.waiting},       {"waiting_results", progress.waiting_results},
                         {"written", progress.written},       {"failed", progress.failed},
                         {"error", progress.error},           {"bytes_sent", 0},
                         {"servers", nlohmann::json::array()}};
  if (progress.waiting > 0) add_servers(json);
  return {"", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

// How much went out, and the servers that are waited for.
void ControlService::add_servers(nlohmann::json& json) {
  std::uint64_t sent = 0;
  for (const protocol::RemoteTier& tier : remote_->statistics(false)) {
    sent += tier.bytes_sent;
    if (tier.writing > 0 || !tier.write_trouble.empty())
      json["servers"].push_back({{"url", tier.url}, {"trouble", tier.write_trouble}});
  }
  json["bytes_sent"] = sent;
}

ControlReply ControlService::clear() {
  pending_.wait_for_all();
  if (Status cleared = store_.clear(); !cleared) return {cleared.error().message, ""};
  if (remote_ != nullptr) remote_->forget();
  return {"", "Cache cleared"};
}

ControlReply ControlService::clean_up() {
  if (max_bytes_ == 0) return {"", "No size limit is set: nothing to clean up"};
  pending_.wait_for_all();
  if (Status shrunk = store_.shrink_to(max_bytes_); !shrunk) return {shrunk.error().message, ""};
  return {"", "Cache holds " + stats::size_text(store_.usage().bytes_on_disk) + " on disk, of at most " +
                  stats::size_text(max_bytes_)};
}

}  // namespace hipcache::daemon
