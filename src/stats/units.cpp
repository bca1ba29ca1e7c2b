#include "hipcache/stats/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "hipcache/base/text.h"

namespace hipcache::stats {

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

std::string milliseconds(std::uint64_t microseconds) {
  return fmt::format("{:.1f} ms", static_cast<double>(microseconds) / 1000);
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
