#include <nlohmann/json.hpp>

#include "hipcache/report/summary.h"

namespace hipcache::report {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostSlices = 1'000'000;

// The colours of Chrome's palette that tell a hit from a run; Perfetto chooses its own.
const char* colour_of(const std::string& outcome) {
  if (outcome == "hit") return "good";
  return outcome == "failed" ? "terrible" : "bad";
}

ordered_json arguments_of(const Slice& slice) {
  const events::RequestEvent& request = slice.request->request;
  ordered_json arguments = {{"outcome", slice.outcome()},
                            {"object", request.object},
                            {"source", request.source},
                            {"directory", request.directory},
                            {"request", request.id}};
  if (slice.step == nullptr) {
    arguments["kind"] = request.kind;
    if (!request.reason.empty()) arguments["reason"] = request.reason;
    return arguments;
  }
  arguments["step"] = slice.step->label;
  arguments["bytes"] = slice.step->bytes;
  if (!slice.step->why.empty()) arguments["why"] = slice.step->why;
  if (!slice.step->not_stored.empty()) arguments["not_stored"] = slice.step->not_stored;
  if (!slice.step->engine.outcome.empty()) arguments["engine"] = slice.step->engine.outcome;
  return arguments;
}

ordered_json event_of(const Slice& slice, std::size_t process, std::uint64_t begin_us) {
  const std::string name = name_of(slice.request->request);
  return {{"ph", "X"},
          {"name", slice.step == nullptr ? name : name + " " + slice.step->label},
          {"cat", slice.outcome()},
          {"pid", process},
          {"tid", slice.row},
          {"ts", slice.start_us() - begin_us},
          {"dur", slice.duration_us()},
          {"cname", colour_of(slice.outcome())},
          {"args", arguments_of(slice)}};
}

ordered_json to_value(const Outcomes& outcomes) {
  return {{"hit", outcomes.hit},         {"partial", outcomes.partial},
          {"miss", outcomes.miss},       {"passthrough", outcomes.passthrough},
          {"aborted", outcomes.aborted}, {"failed", outcomes.failed}};
}

ordered_json to_value(const StepRow& row) {
  return {{"name", row.name},     {"is_arch", row.is_arch}, {"hit", row.hit},           {"run", row.run},
          {"failed", row.failed}, {"run_us", row.run_us},   {"saved_us", row.saved_us}, {"bytes", row.bytes}};
}

ordered_json to_value(const DirectoryRow& row) {
  return {{"directory", row.directory},
          {"requests", to_value(row.outcomes)},
          {"run_us", row.run_us},
          {"saved_us", row.saved_us}};
}

ordered_json to_value(const Miss& miss) {
  return {{"object", miss.object},
          {"source", miss.source},
          {"directory", miss.directory},
          {"step", miss.label},
          {"arch", miss.arch},
          {"duration_us", miss.duration_us},
          {"why", miss.why},
          {"more", miss.more},
          {"gone", miss.is_gone},
          {"engine", miss.step->engine.outcome},
          {"not_stored", miss.not_stored}};
}

ordered_json to_value(const stats::Tier& tier) {
  return {{"url", tier.url},
          {"state", tier.state},
          {"hits", tier.hits},
          {"misses", tier.misses},
          {"errors", tier.errors},
          {"bytes_read", tier.bytes_read},
          {"written", tier.written},
          {"write_errors", tier.write_errors},
          {"median_us", tier.median_us}};
}

ordered_json reasons(const std::map<std::string, std::uint64_t>& counts,
                     const std::map<std::string, std::string>& examples) {
  ordered_json list = ordered_json::array();
  for (const auto& [reason, count] : counts) {
    const auto example = examples.find(reason);
    list.push_back(
        {{"reason", reason}, {"count", count}, {"example", example == examples.end() ? "" : example->second}});
  }
  return list;
}

ordered_json to_value(const stats::Executed& executed) {
  return {{"sent", executed.sent},
          {"won", executed.won},
          {"lost", executed.lost},
          {"not_proved", executed.not_proved},
          {"failed", executed.failed},
          {"why", reasons(executed.why, executed.why_detail)},
          {"bytes_sent", executed.bytes_sent},
          {"bytes_received", executed.bytes_received},
          {"queue_us", executed.queue_us},
          {"staging_us", executed.staging_us},
          {"execution_us", executed.execution_us}};
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

template <typename Row>
ordered_json to_list(const std::vector<Row>& rows) {
  ordered_json list = ordered_json::array();
  for (const Row& row : rows) list.push_back(to_value(row));
  return list;
}

}  // namespace

// A track is a process and its rows are threads, because the slices of a thread must not overlap.
std::string to_trace(const Build& build) {
  ordered_json events = ordered_json::array();
  std::size_t process = 0;
  for (const Track& track : timeline_of(build, kMostSlices).tracks) {
    ++process;
    events.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", track.name}}}});
    events.push_back(
        {{"ph", "M"}, {"name", "process_sort_index"}, {"pid", process}, {"args", {{"sort_index", process}}}});
    for (const Slice& slice : track.slices) events.push_back(event_of(slice, process, build.begin_us));
  }
  const ordered_json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return trace.dump(-1, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace) + "\n";
}

std::string to_json(const Summary& summary) {
  const stats::HitRate rate = summary.outcomes.rate();
  const Evicted& evicted = summary.evicted;
  const ordered_json root = {
      {"begins", summary.begins},
      {"begin_us", summary.begin_us},
      {"end_us", summary.end_us},
      {"hit_rate", percent(rate.whole_hits, rate.requests)},
      {"looked_up", rate.requests},
      {"step_hit_rate", rate.percent()},
      {"rated_steps", {{"hit", rate.hits}, {"run", rate.look_ups - rate.hits}}},
      {"requests", to_value(summary.outcomes)},
      {"run_us", summary.run_us},
      {"saved_us", summary.saved_us},
      {"processor_saved_us", summary.processor_saved_us},
      {"wrapper_headers", {{"used", summary.with_header.steps}, {"processor_saved_us", summary.with_header.saved_us}}},
      {"steps", to_list(summary.steps)},
      {"directories", to_list(summary.directories)},
      {"misses", to_list(summary.misses)},
      {"all_misses", summary.all_misses},
      {"bypasses", reasons(summary.bypasses, summary.bypass_example)},
      {"not_stored", reasons(summary.not_stored, summary.not_stored_example)},
      {"executed", to_value(summary.executed)},
      {"evicted",
       {{"values", evicted.values},
        {"bytes", evicted.bytes},
        {"max_size", evicted.max_size},
        {"steps_run_again", evicted.gone_steps},
        {"run_again_us", evicted.gone_us},
        {"advised_max_size", evicted.advice}}},
      {"tiers", to_list(summary.remote.tiers)},
      {"events", {{"lost", summary.lost}, {"damaged", summary.damaged}}}};
  return root.dump(2, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hipcache::report
