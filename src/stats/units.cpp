#include "hipcache/stats/units.h"

#include "hipcache/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "hipcache/stats/counters.h"

namespace hipcache::stats {

double HitRate::percent() const {
  return look_ups == 0 ? 0.0 : 100.0 * static_cast<double>(hits) / static_cast<double>(look_ups);
}

std::string HitRate::counts() const {
  return fmt::format("{} of {} steps, {} of {} requests as a whole", hits, look_ups, whole_hits, requests);
}

void set_requests(HitRate& rate, std::uint64_t hits, std::uint64_t misses, std::uint64_t failed) {
  rate.whole_hits = hits;
  rate.requests = hits + misses - std::min(misses, failed);
}

HitRate hit_rate_of(const Snapshot& counts) {
  HitRate rate{.hits = counts.rated.hit, .look_ups = counts.rated.hit + counts.rated.run};
  set_requests(rate, counts.hit, counts.partial + counts.miss, counts.failed_compiles);
  return rate;
}

Status check_hit_rate(std::string_view json, double percent) {
  const Result<Snapshot> counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  return check_hit_rate(hit_rate_of(*counts), percent, "since the statistics were zeroed");
}

Status check_hit_rate(const HitRate& rate, double percent, std::string_view when) {
  if (rate.look_ups == 0) return Error{fmt::format("nothing was looked up {}; does the build use hipcache?", when)};
  if (rate.percent() >= percent) return done();
  return Error{fmt::format("the hit rate is {:.1f} %, less than {:g} %: {} came from the cache", rate.percent(),
                           percent, rate.counts())};
}

std::string markdown_cell(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]()#+!|~";
  std::string safe;
  for (std::size_t size = 1; !text.empty(); text.remove_prefix(size)) {
    const char letter = text.front();
    size = std::max<std::size_t>(size_of_control(text), 1);
    if (letter == '<') {
      safe += "&lt;";
    } else if (letter == '&') {
      safe += "&amp;";
    } else if (size_of_control(text) > 0) {
      safe += ' ';
    } else {
      if (kMarkup.find(letter) != std::string_view::npos) safe += '\\';
      safe += letter;
    }
  }
  return safe;
}

MarkdownTable::MarkdownTable(std::initializer_list<std::string_view> titles, std::size_t texts) : text_("|") {
  std::string rule = "|";
  std::size_t column = 0;
  for (const std::string_view title : titles) {
    text_ += fmt::format(" {} |", title);
    rule += column++ < texts ? "---|" : "---:|";
  }
  text_ += "\n" + rule + "\n";
}

void MarkdownTable::row(const std::vector<std::string>& values) {
  text_ += "|";
  for (const std::string& value : values) text_ += fmt::format(" {} |", markdown_cell(value));
  text_ += "\n";
  ++rows_;
}

std::string MarkdownTable::under(std::string_view heading) const {
  return rows_ == 0 ? "" : fmt::format("\n#### {}\n\n{}", heading, text_);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "";
  return fmt::format("{:5.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string size(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  auto number = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; number >= 1000 && unit + 1 < kUnits.size(); ++unit) number /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", number, kUnits[unit]);
}

std::string duration(std::uint64_t microseconds) {
  const std::uint64_t seconds = microseconds / 1000000;
  if (seconds < 60) return fmt::format("{:.1f} s", static_cast<double>(microseconds) / 1e6);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string short_duration(std::uint64_t microseconds) {
  if (microseconds >= 1'000'000) return duration(microseconds);
  if (microseconds == 0) return "0";
  return fmt::format("{:.{}f} ms", static_cast<double>(microseconds) / 1000, microseconds < 10'000 ? 1 : 0);
}

std::string date(std::uint64_t seconds) {
  if (seconds == 0) return "the beginning";
  const auto time = static_cast<std::time_t>(seconds);
  std::tm local = {};
  std::array<char, 32> text = {};
  if (localtime_r(&time, &local) == nullptr) return "-";
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return text.data();
}

}  // namespace hipcache::stats
