#include "hipcache/stats/other_tools.h"

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"
#include "hipcache/stats/units.h"
#include "stats/summary.h"

namespace hipcache::stats {
namespace {

using nlohmann::ordered_json;

constexpr const char* kLanguage = "C/C++";  // hits and misses are not counted by language

struct Read {
  Snapshot counts;
  StoreSize store;

  std::uint64_t misses() const { return counts.miss + counts.partial; }
  std::uint64_t looked_up() const { return counts.hit + misses(); }
};

Result<Read> read(std::string_view json) {
  Result<Snapshot> counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  const Result<StoreSize> store = store_size_from_json(json);
  if (!store) return store.error();
  return Read{std::move(*counts), *store};
}

// "/ 204 (95.10%)"
std::string of_whole(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("/ {} ({:5.2f}%)", whole, share);
}

double gigabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e9; }

// Times that hipcache does not count.
ordered_json no_time() { return {{"secs", 0}, {"nanos", 0}}; }

ordered_json by_language(std::uint64_t count) {
  ordered_json counts = ordered_json::object();
  if (count > 0) counts[kLanguage] = count;
  return {{"counts", counts}, {"adv_counts", counts}};
}

std::uint64_t runs(const Snapshot& counts) { return sum_of(counts.device).run + counts.host.run; }

std::uint64_t write_errors(const Remote& remote) {
  std::uint64_t all = 0;
  for (const Tier& tier : remote.tiers) all += tier.write_errors;
  return all;
}

}  // namespace

Result<std::string> as_ccache_text(std::string_view json, TextStyle style) {
  const Result<Read> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  const std::uint64_t calls = counts.compile_requests;
  Lines lines;
  lines.count("Cacheable calls:", all->looked_up(), of_whole(all->looked_up(), calls));
  lines.count("  Hits:", counts.hit, of_whole(counts.hit, all->looked_up()), tone_if(counts.hit, Tone::good));
  lines.count("    Direct:", counts.hit, of_whole(counts.hit, counts.hit));
  lines.count("    Preprocessed:", 0, of_whole(0, counts.hit));
  lines.count("  Misses:", all->misses(), of_whole(all->misses(), all->looked_up()));
  lines.count("Uncacheable calls:", counts.passthrough, of_whole(counts.passthrough, calls),
              tone_if(counts.passthrough, Tone::doubtful));
  lines.title("Local storage:");
  const std::uint64_t used = all->store.bytes_on_disk;
  const double share = counts.max_bytes == 0 ? 0 : 100 * gigabytes(used) / gigabytes(counts.max_bytes);
  lines.add("  Cache size (GB):", fmt::format("{:.2f}", gigabytes(used)),
            fmt::format("/ {:.2f} ({:5.2f}%)", gigabytes(counts.max_bytes), share));
  add_hit_rate(lines, counts);
  add_outcome_of_steps(lines, counts);
  return lines.text(style.colour);
}

Result<std::string> as_ccache_counters(std::string_view json, CounterForm form) {
  const Result<Read> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  const ordered_json counters = {
      {"cache_miss", all->misses() - std::min(all->misses(), counts.failed_compiles)},
      {"cache_size_kibibyte", all->store.bytes_on_disk / 1024},
      {"compile_failed", counts.failed_compiles},
      {"direct_cache_hit", counts.hit},
      {"files_in_cache", all->store.blobs},
      {"internal_error", counts.errors},
      {"max_cache_size_kibibyte", counts.max_bytes / 1024},
      {"preprocessed_cache_hit", 0},
      {"stats_updated_timestamp", static_cast<std::uint64_t>(std::time(nullptr))},
      {"stats_zeroed_timestamp", counts.since},
      {"unsupported_compiler_option", counts.passthrough},
  };
  if (form == CounterForm::json) return counters.dump(2) + "\n";
  std::string text;
  for (const auto& [name, value] : counters.items()) text += fmt::format("{}\t{}\n", name, value.dump());
  return text;
}

Result<std::string> as_sccache_text(std::string_view json, TextStyle style) {
  const Result<Read> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  Lines lines;
  lines.count("Compile requests", counts.compile_requests);
  lines.count("Compile requests executed", all->looked_up());
  lines.count("Cache hits", counts.hit, "", tone_if(counts.hit, Tone::good));
  lines.count("Cache misses", all->misses());
  lines.add("Cache hits rate", fmt::format("{:.2f}", hit_rate_of(counts).percent()), "%");
  lines.count("Cache errors", counts.errors, "", tone_if(counts.errors, Tone::trouble));
  lines.count("Cache write errors", write_errors(counts.remote));
  lines.count("Compilations", runs(counts));
  lines.count("Compilation failures", counts.failed_compiles);
  lines.count("Non-cacheable compilations", sum_of(counts.not_stored));
  lines.count("Non-cacheable calls", counts.passthrough, "", tone_if(counts.passthrough, Tone::doubtful));
  lines.add("Cache location", "Local", "disk: \"" + counts.directory + "\"");
  lines.add("Cache size", size_text(all->store.bytes_on_disk));
  lines.add("Max cache size", counts.max_bytes == 0 ? "no limit" : size_text(counts.max_bytes));
  add_hit_rate(lines, counts);
  add_outcome_of_steps(lines, counts);
  return lines.text(style.colour);
}

Result<std::string> as_sccache_json(std::string_view json, std::string_view version) {
  const Result<Read> all = read(json);
  if (!all) return all.error();
  const Snapshot& counts = all->counts;
  const ordered_json root = {
      {"stats",
       {{"compile_requests", counts.compile_requests},
        {"requests_unsupported_compiler", 0},
        {"requests_not_compile", 0},
        {"requests_not_cacheable", counts.passthrough},
        {"requests_executed", all->looked_up()},
        {"cache_errors", by_language(counts.errors)},
        {"cache_hits", by_language(counts.hit)},
        {"cache_misses", by_language(all->misses())},
        {"cache_timeouts", 0},
        {"cache_read_errors", counts.corrupt},
        {"non_cacheable_compilations", sum_of(counts.not_stored)},
        {"forced_recaches", 0},
        {"cache_write_errors", write_errors(counts.remote)},
        {"cache_writes", counts.remote.written},
        {"cache_write_duration", no_time()},
        {"cache_read_hit_duration", no_time()},
        {"compilations", runs(counts)},
        {"compiler_write_duration", no_time()},
        {"compile_fails", counts.failed_compiles},
        {"not_cached", counts.not_cached},
        {"dist_compiles", ordered_json::object()},
        {"dist_errors", 0}}},
      {"cache_location", "Local disk: \"" + counts.directory + "\""},
      {"cache_size", all->store.bytes_on_disk},
      {"max_cache_size", counts.max_bytes},
      {"use_preprocessor_cache_mode", false},
      {"version", version},
  };
  // Reasons may hold bytes that are not UTF-8.
  return root.dump(2, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hipcache::stats
