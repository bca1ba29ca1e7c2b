#include <nlohmann/json.hpp>

#include "hipcache/report/html.h"
#include "hipcache/report/timeline.h"

namespace hipcache::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostSlices = 1'000'000;

// The colours of Chrome's palette that tell a hit from a run; Perfetto chooses its own.
const char* colour_of(const std::string& outcome) {
  if (outcome == "hit") return "good";
  return outcome == "failed" ? "terrible" : "bad";
}

std::string name_of(const events::RequestEvent& request) {
  return request.object.empty() ? request.source : request.object;
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
  return trace.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hipcache::report
