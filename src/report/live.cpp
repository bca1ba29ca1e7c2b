#include "hipcache/report/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <string_view>
#include <tuple>

#include "hipcache/base/text.h"
#include "hipcache/stats/hit_rate.h"
#include "hipcache/stats/units.h"

namespace hipcache::report {
namespace {

using stats::RunningStep;
using stats::size;

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

std::string hit_rate(const stats::Snapshot& counts) {
  const stats::HitRate rate = stats::hit_rate_of(counts);
  return rate.look_ups == 0 ? "nothing looked up" : fmt::format("{:.1f} % ({})", rate.percent(), rate.counts());
}

// --zero-stats may come in between.
std::uint64_t since(std::uint64_t before, std::uint64_t now) { return now - std::min(before, now); }

double seconds_between(const Moment& before, const Moment& now) {
  return std::max(std::chrono::duration<double>(now.at - before.at).count(), 0.001);
}

std::string store(const Moment& now, std::uint64_t max_size) {
  return size(now.store.bytes_on_disk) + (max_size == 0 ? "" : " of " + size(max_size));
}

std::string age(std::uint64_t milliseconds) {
  return milliseconds < 60'000 ? fmt::format("{}.{} s", milliseconds / 1000, milliseconds / 100 % 10)
                               : stats::duration(milliseconds * 1000);
}

bool is_here(const RunningStep& step) { return !step.is_sent; }

std::ptrdiff_t running_here(const stats::Snapshot& counts) {
  return std::count_if(counts.running.begin(), counts.running.end(), is_here);
}

// "2 now, 10 of 14 sent were taken"; empty without an engine.
std::string with_engine(const stats::Snapshot& counts) {
  const auto now = std::ssize(counts.running) - running_here(counts);
  if (counts.executed.sent == 0 && now == 0) return "";
  return fmt::format("{} now, {} of {} sent were taken", now, counts.executed.won, counts.executed.sent);
}

std::string group_of(const RunningStep& step) { return step.arch.empty() ? step.label : step.arch; }

// "gfx1030 2, host 1", with the most frequent ones first.
std::string by_architecture(const std::vector<RunningStep>& running) {
  std::map<std::string, std::uint64_t> counts;
  for (const RunningStep& step : running)
    if (is_here(step)) ++counts[group_of(step)];
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  std::string text;
  for (const auto& [name, count] : sorted) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

// Of UTF-8.
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

// UTF-8 is not cut within a character.
std::string cut(std::string text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && ++columns > width) {
      text.resize(i);
      break;
    }
  }
  return text;
}

// The end of a path says most: "...blas/gemm.o".
std::string cut_path(const std::string& path, std::size_t width) {
  constexpr std::string_view kLeftOut = "...";
  if (columns_of(path) <= width || width <= kLeftOut.size()) return cut(path, width);
  std::size_t begin = path.size();
  for (std::size_t left = width - kLeftOut.size(); left > 0; --left)
    while (!begins_character(path[--begin])) {
    }
  return std::string(kLeftOut) + path.substr(begin);
}

std::string tier_line(const stats::Tier& tier) {
  return fmt::format("  {}  {}  {} found, {} not found, {} failed, {}", readable(tier.url), readable(tier.state),
                     tier.hits, tier.misses, tier.errors, stats::milliseconds(tier.median_us));
}

std::string step_line(const RunningStep& step, std::size_t width) {
  const std::string line = fmt::format("  {:>9}  {:<12} {:<22} ", age(step.age_ms), readable(step.arch),
                                       readable(step.label) + (step.is_sent ? " (sent)" : ""));
  const std::size_t used = columns_of(line);
  return cut(line + cut_path(readable(step.object), width - std::min(width, used)), width);
}

// The steps in as many columns as they need to fit into `height` lines, and as the width has room for.
std::vector<std::string> step_lines(const std::vector<RunningStep>& steps, std::size_t width, std::size_t height) {
  constexpr std::size_t kColumn = 80;
  const std::size_t rows_at_most = std::max<std::size_t>(height, 1);
  const std::size_t needed = (steps.size() + rows_at_most - 1) / rows_at_most;
  const std::size_t columns = std::clamp<std::size_t>(needed, 1, std::max<std::size_t>(width / kColumn, 1));
  const std::size_t rows = (steps.size() + columns - 1) / columns;
  std::vector<std::string> lines(rows);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::string& line = lines[i % rows];
    line.append(i / rows * (width / columns) - columns_of(line), ' ');
    line += step_line(steps[i], width / columns - (columns == 1 ? 0 : 1));
  }
  return lines;
}

// The running steps, those with the engine last, by architecture and then by age, the oldest first.
std::vector<RunningStep> sorted(std::vector<RunningStep> running) {
  std::stable_sort(running.begin(), running.end(), [](const RunningStep& one, const RunningStep& other) {
    return std::tuple(one.is_sent, one.arch.empty(), one.arch) <
           std::tuple(other.is_sent, other.arch.empty(), other.arch);
  });
  return running;
}

}  // namespace

std::string live_line(const Moment& before, const Moment& now, std::uint64_t max_size) {
  const stats::Snapshot& counts = now.counts;
  std::string line =
      fmt::format("{}  {}, {} requests (+{}), {} running", time_of_day(), hit_rate(counts), counts.compile_requests,
                  since(before.counts.compile_requests, counts.compile_requests), running_here(counts));
  if (const auto oldest = std::find_if(counts.running.begin(), counts.running.end(), is_here);
      oldest != counts.running.end())
    line += fmt::format(": {}; oldest {} {}", by_architecture(counts.running), age(oldest->age_ms), oldest->object);
  if (const std::string engine = with_engine(counts); !engine.empty()) line += "; with the engine " + engine;
  line += ", store " + store(now, max_size);
  for (const stats::Tier& tier : counts.remote.tiers) line += fmt::format(", {} {}", tier.url, tier.state);
  return readable(line);
}

std::vector<std::string> live_screen(const Moment& before, const Moment& now, std::uint64_t max_size, std::size_t width,
                                     std::size_t height) {
  const stats::Snapshot& counts = now.counts;
  const double rate = static_cast<double>(since(before.counts.compile_requests, counts.compile_requests)) /
                      seconds_between(before, now);
  std::vector<std::string> lines{
      "hipcache  " + time_of_day() + "  Ctrl-C ends",
      "",
      "hit rate  " + hit_rate(counts),
      fmt::format("requests  {} hits, {} in part, {} missed, {} passed through; {:.1f} each second", counts.hit,
                  counts.partial, counts.miss, counts.passthrough, rate),
      fmt::format("saved     {} of processor time", stats::duration(counts.processor_saved_us)),
      fmt::format("store     {}, {} results, {} evicted since the daemon started", store(now, max_size),
                  now.store.actions, counts.evicted)};
  if (const std::string engine = with_engine(counts); !engine.empty())
    lines.push_back(fmt::format("engine    {}; {} faster here, {} in vain, {} saved here", engine, counts.executed.lost,
                                counts.executed.not_proved + counts.executed.failed,
                                stats::duration(counts.executed.execution_us)));
  if (!counts.remote.tiers.empty()) lines.emplace_back("shared");
  for (const stats::Tier& tier : counts.remote.tiers) lines.push_back(tier_line(tier));
  lines.emplace_back();
  const auto here = running_here(counts);
  lines.push_back(here == 0 ? "running   nothing"
                            : fmt::format("running   {}: {}", here, readable(by_architecture(counts.running))));
  const std::size_t room = height - std::min(height, lines.size());
  for (std::string& line : step_lines(sorted(counts.running), width, room)) lines.push_back(std::move(line));
  if (lines.size() > height && height > 0) {
    const std::size_t hidden = lines.size() - height + 1;
    lines.resize(height - 1);
    lines.push_back(fmt::format("  and {} more lines", hidden));
  }
  for (std::string& line : lines) line = cut(std::move(line), width);
  return lines;
}

}  // namespace hipcache::report
