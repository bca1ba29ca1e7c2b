#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"
#include "stats/fields.h"

// The fields of the statistics as JSON: one list, which the writer and the reader walk.
//
// A template visits each field with its name, and the visitor's overloads decide by the field's type. Rejected: a table
// of pointers to members alone, because fields differ in type and some lie within others.
namespace hipcache::stats {
namespace {

using nlohmann::json;

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

void for_each_field(Either<WrapperHeaders> auto& headers, const auto& visit) {
  visit("made", headers.made);
  visit("used", headers.used);
  visit("again", headers.again);
  visit("audited", headers.audited);
  visit("differences", headers.differences);
  visit("processor_saved_ms", Milliseconds{headers.saved_us});
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
  visit("wrapper_headers", counts.wrapper_headers);
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

struct IgnoreField {
  void operator()(std::string_view, const auto&) const {}
};

// Those with a list of fields are JSON objects.
template <typename Object>
concept HasFields = requires(Object& object) { for_each_field(object, IgnoreField()); };

template <typename Value>
json to_value(const Value& value) {
  return value;
}

json to_value(const Milliseconds<const std::uint64_t>& time) { return time.us / 1000; }

template <HasFields Object>
json to_value(const Object& object);

template <HasFields Object>
json to_value(const std::vector<Object>& objects) {
  json list = json::array();
  for (const Object& object : objects) list.push_back(to_value(object));
  return list;
}

template <HasFields Object>
json to_value(const std::map<std::string, Object>& objects) {
  json named = json::object();
  for (const auto& [name, object] : objects) named[name] = to_value(object);
  return named;
}

template <typename Value>
void put(json& into, std::string_view name, const Value& value) {
  const std::size_t dot = name.find('.');
  json& member = into[std::string(name.substr(0, dot))];
  if (dot == std::string_view::npos)
    member = to_value(value);
  else
    put(member, name.substr(dot + 1), value);
}

void put_fields(json& into, const HasFields auto& object) {
  for_each_field(object, [&](std::string_view name, const auto& value) { put(into, name, value); });
}

template <HasFields Object>
json to_value(const Object& object) {
  json value = json::object();
  put_fields(value, object);
  return value;
}

// sccache's names, computed from our counters
void put_names_of_sccache(json& into, const Snapshot& counts) {
  into["requests_executed"] = counts.hit + counts.partial + counts.miss;
  into["requests_not_cacheable"] = counts.passthrough;
  into["cache_hits"] = counts.hit;
  into["cache_misses"] = counts.miss + counts.partial;
  into["compile_fails"] = counts.failed_compiles;
}

// Reads a value that has a name. A field that is missing keeps its value. Remembers the first value of a wrong type.
class Reader {
 public:
  void read(const std::string& name, const json& value, std::uint64_t& into) {
    if (value.is_number_unsigned())
      into = value.get<std::uint64_t>();
    else
      wrong(name, value, "a count");
  }

  void read(const std::string& name, const json& value, std::string& into) {
    if (value.is_string())
      into = value.get<std::string>();
    else
      wrong(name, value, "a text");
  }

  void read(const std::string& name, const json& value, bool& into) {
    if (value.is_boolean())
      into = value.get<bool>();
    else
      wrong(name, value, "true or false");
  }

  void read(const std::string& name, const json& value, Milliseconds<std::uint64_t> into) {
    std::uint64_t ms = 0;
    read(name, value, ms);
    into.us = ms * 1000;
  }

  template <typename Value>
  void read(const std::string& name, const json& value, std::map<std::string, Value>& into) {
    if (!value.is_object()) return wrong(name, value, "an object");
    for (const auto& [key, one] : value.items()) {
      std::string member = name;
      member.append(".").append(key);
      read(member, one, into[key]);
    }
  }

  template <HasFields Object>
  void read(const std::string& name, const json& value, std::vector<Object>& into) {
    if (!value.is_array()) return wrong(name, value, "a list");
    for (const json& one : value) {
      if (!one.is_object()) return wrong(name, one, "a list of objects");
      read(name, one, into.emplace_back());
    }
  }

  template <HasFields Object>
  void read(const std::string& name, const json& value, Object& into) {
    if (!value.is_object()) return wrong(name, value, "an object");
    for_each_field(into, [&](std::string_view field, auto&& member) { read_member(name, value, field, member); });
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  template <typename Value>
  void read_member(const std::string& parent, const json& from, std::string_view path, Value& into) {
    const std::size_t dot = path.find('.');
    const std::string key(path.substr(0, dot));
    const auto found = from.find(key);
    if (found == from.end()) return;
    const std::string name = parent.empty() ? key : parent + "." + key;
    if (dot == std::string_view::npos) return read(name, *found, into);
    if (!found->is_object()) return wrong(name, *found, "an object");
    read_member(name, *found, path.substr(dot + 1), into);
  }

  void wrong(const std::string& name, const json& value, const char* expected) {
    if (!error_) error_ = Error{"statistics: " + name + " is a JSON " + value.type_name() + ", not " + expected};
  }

  std::optional<Error> error_;
};

Result<json> parse(std::string_view text) {
  json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return Error{"statistics: not a JSON object"};
  return root;
}

template <typename Object>
Result<Object> read_all(const json& root) {
  Reader reader;
  Object object;
  reader.read("", root, object);
  if (reader.error()) return *reader.error();
  return object;
}

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
  json root = to_value(*this);
  put_fields(root, StoreSize{.actions = actions, .blobs = blobs, .bytes = bytes, .bytes_on_disk = bytes_on_disk});
  put_names_of_sccache(root, *this);
  // Reasons contain pieces of command lines, which may not be UTF-8.
  return root.dump(2, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace) + "\n";
}

Result<Snapshot> Snapshot::from_json(std::string_view text) {
  const Result<json> root = parse(text);
  if (!root) return root.error();
  Result<Snapshot> snapshot = read_all<Snapshot>(*root);
  if (!snapshot) return snapshot.error();
  // What an earlier version did not count.
  if (!root->contains("rated_steps")) snapshot->rated = work_of(*snapshot);
  if (!root->contains("processor_saved_ms")) snapshot->processor_saved_us = snapshot->time_saved_us;
  return snapshot;
}

Result<StoreSize> store_size_from_json(std::string_view text) {
  const Result<json> root = parse(text);
  if (!root) return root.error();
  return read_all<StoreSize>(*root);
}

}  // namespace hipcache::stats
