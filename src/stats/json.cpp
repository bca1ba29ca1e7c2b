#include <nlohmann/json.hpp>
#include <optional>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"

namespace hipcache::stats {
namespace {

using nlohmann::json;

json to_value(const HitRun& step) { return {{"hit", step.hit}, {"run", step.run}}; }

json to_value(const AuditedHits& audited) {
  return {{"hits", audited.hits},
          {"differences", audited.differences},
          {"void", audited.void_audits},
          {"skipped", audited.skipped}};
}

json to_value(const Remote& remote) {
  json tiers = json::array();
  for (const Tier& tier : remote.tiers)
    tiers.push_back({{"url", tier.url},
                     {"state", tier.state},
                     {"hits", tier.hits},
                     {"misses", tier.misses},
                     {"errors", tier.errors},
                     {"unsigned", tier.not_signed},
                     {"untrusted", tier.untrusted},
                     {"written", tier.written},
                     {"write_errors", tier.write_errors},
                     {"bytes_read", tier.bytes_read},
                     {"bytes_written", tier.bytes_written},
                     {"median_us", tier.median_us}});
  return {{"tiers", tiers}, {"waiting", remote.waiting}, {"written", remote.written}, {"failed", remote.failed}};
}

json to_value(const std::vector<RunningStep>& running) {
  json steps = json::array();
  for (const RunningStep& step : running)
    steps.push_back({{"object", step.object}, {"step", step.label}, {"arch", step.arch}, {"age_ms", step.age_ms}});
  return steps;
}

json to_value(const EventCounts& events) {
  return {{"written", events.written}, {"dropped", events.dropped}, {"failed", events.failed}};
}

// Reads numbers out of nested objects; remembers the first value of a wrong type.
class Reader {
 public:
  static Result<Reader> parse(std::string_view text) {
    json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!root.is_object()) return Error{"statistics: not a JSON object"};
    return Reader(std::move(root));
  }

  // The object at the path; null if there is none.
  const json* object(std::initializer_list<const char*> path) {
    const json* at = &root_;
    std::string name;
    for (const char* key : path) {
      name += (name.empty() ? "" : ".") + std::string(key);
      const auto found = at->find(key);
      if (found == at->end()) return nullptr;
      if (!found->is_object()) return wrong(name, *found, "an object");
      at = &*found;
    }
    return at;
  }

  void number(std::initializer_list<const char*> path, const char* key, std::uint64_t& into) {
    const json* parent = object(path);
    if (parent == nullptr || !parent->contains(key)) return;
    std::string name;
    for (const char* part : path) name += std::string(part) + ".";
    read(name + key, (*parent)[key], into);
  }

  void text(std::initializer_list<const char*> path, const char* key, std::string& into) {
    const json* parent = object(path);
    if (parent == nullptr || !parent->contains(key)) return;
    const json& value = (*parent)[key];
    if (value.is_string())
      into = value.get<std::string>();
    else
      wrong(key, value, "a text");
  }

  void step(std::initializer_list<const char*> path, HitRun& into) {
    number(path, "hit", into.hit);
    number(path, "run", into.run);
  }

  void reasons(const char* key, std::map<std::string, std::uint64_t>& into) {
    const json* counts = object({key});
    if (counts == nullptr) return;
    for (const auto& [reason, value] : counts->items()) read(std::string(key) + "." + reason, value, into[reason]);
  }

  void texts(const char* key, std::map<std::string, std::string>& into) {
    const json* details = object({key});
    if (details == nullptr) return;
    for (const auto& [name, value] : details->items()) {
      if (value.is_string()) {
        into[name] = value.get<std::string>();
      } else {
        wrong(std::string(key) + "." + name, value, "a text");
      }
    }
  }

  void archs(std::map<std::string, HitRun>& into) {
    const json* device = object({"steps", "device"});
    if (device == nullptr) return;
    for (const auto& [arch, value] : device->items()) step({"steps", "device", arch.c_str()}, into[arch]);
  }

  void running(std::vector<RunningStep>& into) {
    const auto steps = root_.find("running");
    if (steps == root_.end()) return;
    if (!steps->is_array()) {
      wrong("running", *steps, "a list");
      return;
    }
    for (const json& from : *steps) {
      if (!from.is_object()) {
        wrong("running", from, "a list of objects");
        return;
      }
      RunningStep& step = into.emplace_back();
      const auto text = [&](const char* key) {
        return from.contains(key) && from[key].is_string() ? from[key].get<std::string>() : std::string();
      };
      step.object = text("object");
      step.label = text("step");
      step.arch = text("arch");
      if (from.contains("age_ms")) read("running.age_ms", from["age_ms"], step.age_ms);
    }
  }

  void remote(Remote& into) {
    const json* remote = object({"remote"});
    if (remote == nullptr) return;
    number({"remote"}, "waiting", into.waiting);
    number({"remote"}, "written", into.written);
    number({"remote"}, "failed", into.failed);
    for (const json& from : remote->value("tiers", json::array())) {
      if (!from.is_object()) {
        wrong("remote.tiers", from, "an object");
        return;
      }
      into.tiers.push_back(tier(from));
    }
  }

  Status status() const { return error_ ? Status(*error_) : done(); }

 private:
  explicit Reader(json root) : root_(std::move(root)) {}

  Tier tier(const json& from) {
    Tier tier;
    const auto text = [&](const char* key, std::string& into) {
      if (from.contains(key) && from[key].is_string()) into = from[key].get<std::string>();
    };
    const auto count = [&](const char* key, std::uint64_t& into) {
      if (from.contains(key)) read(std::string("remote.tiers.") + key, from[key], into);
    };
    text("url", tier.url);
    text("state", tier.state);
    count("hits", tier.hits);
    count("misses", tier.misses);
    count("errors", tier.errors);
    count("unsigned", tier.not_signed);
    count("untrusted", tier.untrusted);
    count("written", tier.written);
    count("write_errors", tier.write_errors);
    count("bytes_read", tier.bytes_read);
    count("bytes_written", tier.bytes_written);
    count("median_us", tier.median_us);
    return tier;
  }

  void read(const std::string& name, const json& value, std::uint64_t& into) {
    if (value.is_number_unsigned()) {
      into = value.get<std::uint64_t>();
    } else {
      wrong(name, value, "a count");
    }
  }

  const json* wrong(const std::string& name, const json& value, const char* expected) {
    if (!error_) error_ = Error{"statistics: " + name + " is a JSON " + value.type_name() + ", not " + expected};
    return nullptr;
  }

  json root_;
  std::optional<Error> error_;
};

// What the hit rate counts, as far as statistics of an earlier version tell: they have failed compiles among the steps.
HitRun work_of(const Snapshot& counts) {
  HitRun all;
  const auto add = [&](const HitRun& step) { all = {all.hit + step.hit, all.run + step.run}; };
  for (const auto& [arch, step] : counts.device) add(step);
  for (const HitRun& step : {counts.host, counts.link, counts.archive}) add(step);
  return all;
}

}  // namespace

std::string Snapshot::to_json(std::uint64_t actions, std::uint64_t blobs, std::uint64_t bytes,
                              std::uint64_t bytes_on_disk) const {
  json archs = json::object();
  for (const auto& [arch, step] : device) archs[arch] = to_value(step);
  const json root = {
      // sccache's names, computed from our counters
      {"compile_requests", compile_requests},
      {"requests_executed", hit + partial + miss},
      {"requests_not_cacheable", passthrough},
      {"cache_hits", hit},
      {"cache_misses", miss + partial},
      {"compile_fails", failed_compiles},
      {"not_cached", not_cached},
      {"not_cached_detail", not_cached_detail},
      // our own names
      {"requests",
       {{"hit", hit}, {"partial", partial}, {"miss", miss}, {"passthrough", passthrough}, {"aborted", aborted}}},
      {"steps",
       {{"device", archs},
        {"host", to_value(host)},
        {"bundle", to_value(bundle)},
        {"probe", to_value(probe)},
        {"proof", to_value(proof)},
        {"front", to_value(front)},
        {"back", to_value(back)},
        {"split_codegen_proof", to_value(split_codegen_proof)},
        {"audit", to_value(audit)},
        {"unbundle", to_value(unbundle)},
        {"link", to_value(link)},
        {"archive", to_value(archive)}}},
      {"rated_steps", to_value(rated)},
      {"audit", to_value(audited_hits)},
      {"not_stored", not_stored},
      {"not_stored_detail", not_stored_detail},
      {"tied", tied},
      {"tied_detail", tied_detail},
      {"bundled", bundled},
      {"bundled_detail", bundled_detail},
      {"not_split", not_split},
      {"not_split_detail", not_split_detail},
      {"failed_compiles", failed_compiles},
      {"wrappers", wrappers},
      {"waited_steps", waited_steps},
      {"errors", errors},
      {"time_saved_ms", time_saved_us / 1000},
      {"processor_saved_ms", processor_saved_us / 1000},
      {"since", since},
      {"store",
       {{"actions", actions},
        {"blobs", blobs},
        {"bytes", bytes},
        {"bytes_on_disk", bytes_on_disk},
        {"max_bytes", max_bytes},
        {"directory", directory},
        {"corrupt", corrupt},
        {"evicted", evicted},
        {"layers", layers},
        {"taken_over", taken_over}}},
      {"remote", to_value(remote)},
      {"running", to_value(running)},
      {"events", to_value(events)},
  };
  // Reasons contain pieces of command lines, which may not be UTF-8.
  return root.dump(2, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) + "\n";
}

Result<Snapshot> Snapshot::from_json(std::string_view text) {
  auto reader = Reader::parse(text);
  if (!reader) return reader.error();
  Snapshot snapshot;
  std::uint64_t saved_ms = 0, processor_ms = 0;
  reader->number({}, "compile_requests", snapshot.compile_requests);
  reader->number({"requests"}, "hit", snapshot.hit);
  reader->number({"requests"}, "partial", snapshot.partial);
  reader->number({"requests"}, "miss", snapshot.miss);
  reader->number({"requests"}, "passthrough", snapshot.passthrough);
  reader->number({"requests"}, "aborted", snapshot.aborted);
  reader->reasons("not_cached", snapshot.not_cached);
  reader->reasons("not_stored", snapshot.not_stored);
  reader->texts("not_cached_detail", snapshot.not_cached_detail);
  reader->texts("not_stored_detail", snapshot.not_stored_detail);
  reader->reasons("tied", snapshot.tied);
  reader->texts("tied_detail", snapshot.tied_detail);
  reader->reasons("bundled", snapshot.bundled);
  reader->texts("bundled_detail", snapshot.bundled_detail);
  reader->reasons("not_split", snapshot.not_split);
  reader->texts("not_split_detail", snapshot.not_split_detail);
  reader->archs(snapshot.device);
  reader->step({"steps", "host"}, snapshot.host);
  reader->step({"steps", "bundle"}, snapshot.bundle);
  reader->step({"steps", "probe"}, snapshot.probe);
  reader->step({"steps", "proof"}, snapshot.proof);
  reader->step({"steps", "front"}, snapshot.front);
  reader->step({"steps", "back"}, snapshot.back);
  reader->step({"steps", "split_codegen_proof"}, snapshot.split_codegen_proof);
  reader->step({"steps", "audit"}, snapshot.audit);
  reader->step({"steps", "unbundle"}, snapshot.unbundle);
  reader->step({"steps", "link"}, snapshot.link);
  reader->step({"steps", "archive"}, snapshot.archive);
  snapshot.rated = work_of(snapshot);
  reader->step({"rated_steps"}, snapshot.rated);
  reader->number({"audit"}, "hits", snapshot.audited_hits.hits);
  reader->number({"audit"}, "differences", snapshot.audited_hits.differences);
  reader->number({"audit"}, "void", snapshot.audited_hits.void_audits);
  reader->number({"audit"}, "skipped", snapshot.audited_hits.skipped);
  reader->number({}, "failed_compiles", snapshot.failed_compiles);
  reader->number({}, "wrappers", snapshot.wrappers);
  reader->number({}, "waited_steps", snapshot.waited_steps);
  reader->number({}, "errors", snapshot.errors);
  reader->number({}, "time_saved_ms", saved_ms);
  processor_ms = saved_ms;
  reader->number({}, "processor_saved_ms", processor_ms);
  reader->number({}, "since", snapshot.since);
  reader->number({"store"}, "corrupt", snapshot.corrupt);
  reader->number({"store"}, "evicted", snapshot.evicted);
  reader->number({"store"}, "max_bytes", snapshot.max_bytes);
  reader->text({"store"}, "directory", snapshot.directory);
  reader->number({"store"}, "layers", snapshot.layers);
  reader->number({"store"}, "taken_over", snapshot.taken_over);
  reader->remote(snapshot.remote);
  reader->running(snapshot.running);
  reader->number({"events"}, "written", snapshot.events.written);
  reader->number({"events"}, "dropped", snapshot.events.dropped);
  reader->number({"events"}, "failed", snapshot.events.failed);
  if (auto status = reader->status(); !status) return status.error();
  snapshot.time_saved_us = saved_ms * 1000;
  snapshot.processor_saved_us = processor_ms * 1000;
  return snapshot;
}

Result<StoreSize> store_size_from_json(std::string_view text) {
  auto reader = Reader::parse(text);
  if (!reader) return reader.error();
  StoreSize size;
  reader->number({"store"}, "actions", size.actions);
  reader->number({"store"}, "blobs", size.blobs);
  reader->number({"store"}, "bytes", size.bytes);
  reader->number({"store"}, "bytes_on_disk", size.bytes_on_disk);
  if (auto status = reader->status(); !status) return status.error();
  return size;
}

}  // namespace hipcache::stats
