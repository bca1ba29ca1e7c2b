// The fields of the statistics: one list, which the counters, the JSON's writer and reader, and the texts walk.
//
// Problem: a field that is counted, written, read and shown has a name in four places, and each of them can be
// forgotten. Choice: a template that visits each field with its name; the visitor's overloads decide by the field's
// type. Rejected: a table of pointers to members alone, because fields differ in type and some lie within others.
#ifndef HIPCACHE_SRC_STATS_FIELDS_H
#define HIPCACHE_SRC_STATS_FIELDS_H

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"

namespace hipcache::stats {

struct StepField {
  const char* name;  // in the JSON
  const char* text;  // for people
  HitRun Snapshot::* counts;
  bool is_part_of_device = false;
  bool makes = true;  // something that the user wants: else it only proves or audits
};

// In the order in which people read them. The device steps, which stand before them, are counted by architecture.
inline constexpr std::array kStepFields = std::to_array<StepField>({
    {"steps.front", "Front end", &Snapshot::front, true},
    {"steps.back", "Back end", &Snapshot::back, true},
    {"steps.audit", "Back end audited", &Snapshot::audit, true, false},
    {"steps.host", "Host", &Snapshot::host},
    {"steps.bundle", "Bundle", &Snapshot::bundle},
    {"steps.unbundle", "Unbundle", &Snapshot::unbundle},
    {"steps.link", "Link", &Snapshot::link},
    {"steps.archive", "Archive", &Snapshot::archive},
    {"steps.probe", "Probe", &Snapshot::probe, false, false},
    {"steps.proof", "Proof of deferred fatbin", &Snapshot::proof, false, false},
    {"steps.split_codegen_proof", "Proof of codegen split", &Snapshot::split_codegen_proof, false, false},
});

struct ReasonField {
  const char* name;         // in the JSON
  const char* detail_name;  // the same
  const char* text;         // for people
  std::map<std::string, std::uint64_t> Snapshot::* counts;
  std::map<std::string, std::string> Snapshot::* details;
};

inline constexpr ReasonField kNotCached{"not_cached", "not_cached_detail", "Not cached", &Snapshot::not_cached,
                                        &Snapshot::not_cached_detail};
inline constexpr ReasonField kNotStored{"not_stored", "not_stored_detail", "Run and not stored", &Snapshot::not_stored,
                                        &Snapshot::not_stored_detail};
inline constexpr ReasonField kTied{"tied", "tied_detail", "Stored for one checkout alone", &Snapshot::tied,
                                   &Snapshot::tied_detail};
inline constexpr ReasonField kBundled{"bundled", "bundled_detail", "Back ends within the bundle", &Snapshot::bundled,
                                      &Snapshot::bundled_detail};
inline constexpr ReasonField kNotSplit{"not_split", "not_split_detail", "One step for all architectures",
                                       &Snapshot::not_split, &Snapshot::not_split_detail};
inline constexpr std::array kReasonFields{kNotCached, kNotStored, kTied, kBundled, kNotSplit};

// A time that is counted in microseconds and published in milliseconds.
template <typename Count>
struct Milliseconds {
  Count& us;
};

// Constant when it is written, else when it is read.
template <typename Object, typename Struct>
concept Either = std::same_as<std::remove_const_t<Object>, Struct>;

// Calls `visit(name, field)` for each field. A dot in a name stands between the names of nested JSON objects.

void for_each_field(Either<HitRun> auto& step, const auto& visit) {
  visit("hit", step.hit);
  visit("run", step.run);
}

void for_each_field(Either<AuditedHits> auto& audited, const auto& visit) {
  visit("hits", audited.hits);
  visit("differences", audited.differences);
  visit("void", audited.void_audits);
  visit("skipped", audited.skipped);
}

void for_each_field(Either<TokenHits> auto& hits, const auto& visit) {
  visit("served", hits.served);
  visit("off", hits.off);
}

void for_each_field(Either<Tier> auto& tier, const auto& visit) {
  visit("url", tier.url);
  visit("state", tier.state);
  visit("hits", tier.hits);
  visit("misses", tier.misses);
  visit("errors", tier.errors);
  visit("unsigned", tier.not_signed);
  visit("untrusted", tier.untrusted);
  visit("written", tier.written);
  visit("write_errors", tier.write_errors);
  visit("bytes_read", tier.bytes_read);
  visit("bytes_written", tier.bytes_written);
  visit("median_us", tier.median_us);
}

void for_each_field(Either<Remote> auto& remote, const auto& visit) {
  visit("tiers", remote.tiers);
  visit("waiting", remote.waiting);
  visit("written", remote.written);
  visit("failed", remote.failed);
}

void for_each_field(Either<RunningStep> auto& step, const auto& visit) {
  visit("object", step.object);
  visit("step", step.label);
  visit("arch", step.arch);
  visit("age_ms", step.age_ms);
  visit("engine", step.is_sent);
}

void for_each_field(Either<EventCounts> auto& events, const auto& visit) {
  visit("written", events.written);
  visit("dropped", events.dropped);
  visit("failed", events.failed);
}

void for_each_field(Either<Executed> auto& executed, const auto& visit) {
  visit("sent", executed.sent);
  visit("won", executed.won);
  visit("lost", executed.lost);
  visit("not_proved", executed.not_proved);
  visit("failed", executed.failed);
  visit("differences", executed.differences);
  visit("why", executed.why);
  visit("why_detail", executed.why_detail);
  visit("paths", executed.paths);
  visit("bytes_sent", executed.bytes_sent);
  visit("bytes_received", executed.bytes_received);
  visit("queue_ms", Milliseconds{executed.queue_us});
  visit("staging_ms", Milliseconds{executed.staging_us});
  visit("execution_ms", Milliseconds{executed.execution_us});
}

void for_each_field(Either<StoreSize> auto& store, const auto& visit) {
  visit("store.actions", store.actions);
  visit("store.blobs", store.blobs);
  visit("store.bytes", store.bytes);
  visit("store.bytes_on_disk", store.bytes_on_disk);
}

void for_each_field(Either<Snapshot> auto& counts, const auto& visit) {
  visit("compile_requests", counts.compile_requests);
  visit("requests.hit", counts.hit);
  visit("requests.partial", counts.partial);
  visit("requests.miss", counts.miss);
  visit("requests.passthrough", counts.passthrough);
  visit("requests.aborted", counts.aborted);
  for (const ReasonField& reason : kReasonFields) {
    visit(reason.name, counts.*reason.counts);
    visit(reason.detail_name, counts.*reason.details);
  }
  visit("steps.device", counts.device);
  for (const StepField& step : kStepFields) visit(step.name, counts.*step.counts);
  visit("rated_steps", counts.rated);
  visit("audit", counts.audited_hits);
  visit("token_hits", counts.token_hits);
  visit("failed_compiles", counts.failed_compiles);
  visit("wrappers", counts.wrappers);
  visit("waited_steps", counts.waited_steps);
  visit("errors", counts.errors);
  visit("time_saved_ms", Milliseconds{counts.time_saved_us});
  visit("processor_saved_ms", Milliseconds{counts.processor_saved_us});
  visit("since", counts.since);
  visit("store.max_bytes", counts.max_bytes);
  visit("store.directory", counts.directory);
  visit("store.corrupt", counts.corrupt);
  visit("store.evicted", counts.evicted);
  visit("store.layers", counts.layers);
  visit("store.taken_over", counts.taken_over);
  visit("executed", counts.executed);
  visit("remote", counts.remote);
  visit("running", counts.running);
  visit("events", counts.events);
}

}  // namespace hipcache::stats

#endif
