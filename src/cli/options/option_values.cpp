#include "cli/options/option_values.h"

#include <algorithm>
#include <charconv>
#include <ctime>

#include "hipcache/config/values.h"

namespace hipcache::cli {
namespace {

constexpr double kAll = 100;

// As target ids are written: letters, digits, and "gfx90a:sramecc+:xnack-", "gfx9-4-generic".
bool is_arch(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == ':' || letter == '+' ||
           letter == '-' || letter == '_';
  });
}

// A time as ISO 8601 writes it, without the second or the time of day: local, or with a Z of UTC.
std::optional<std::time_t> time_of(std::string text) {
  const bool is_utc = text.ends_with('Z');
  if (is_utc) text.pop_back();
  std::replace(text.begin(), text.end(), 'T', ' ');
  for (const char* form : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    std::tm parts{};
    parts.tm_isdst = -1;
    const char* end = strptime(text.c_str(), form, &parts);
    if (end != nullptr && *end == '\0') return is_utc ? timegm(&parts) : std::mktime(&parts);
  }
  return std::nullopt;
}

}  // namespace

Status take_format(Options& options, const std::string& value) {
  if (value == "text") {
    options.format = Format::text;
  } else if (value == "json") {
    options.format = Format::json;
  } else if (value == "markdown") {
    options.format = Format::markdown;
  } else if (value == "html") {
    options.format = Format::html;
  } else if (value == "trace") {
    options.format = Format::trace;
  } else {
    return Error{"--format is text, json, markdown, html or trace, not " + value};
  }
  return done();
}

Status take_fail_under(Options& options, const std::string& value) {
  double percent = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), percent, std::chars_format::fixed);
  const bool is_number = read.ec == std::errc() && read.ptr == value.data() + value.size();
  const bool is_share = percent >= 0 && percent <= kAll;  // "nan" is a number, and no share
  if (!is_number || !is_share) return Error{"--fail-under is a number from 0 to 100, not " + value};
  options.fail_under = percent;
  return done();
}

Status take_since(Options& options, const std::string& value) {
  const auto now = std::time(nullptr);
  std::optional<std::time_t> since = time_of(value);
  if (const Result<std::chrono::seconds> age = config::parse_duration(value); !since && age)
    since = now - std::min<std::time_t>(now, age->count());
  if (!since || *since < 0)
    return Error{"--since is an age such as 90m, or a time such as 2026-01-31T14:00, not " + value};
  options.since_us = static_cast<std::uint64_t>(*since) * 1'000'000;
  return done();
}

Status take_archs(Options& options, const std::string& value) {
  const std::vector<std::string> archs = config::parse_list(value);
  if (archs.empty() || !std::all_of(archs.begin(), archs.end(), is_arch))
    return Error{"--arch is a list of architectures such as gfx906,gfx90a, not " + value};
  options.archs.insert(options.archs.end(), archs.begin(), archs.end());
  return done();
}

Status take_max_size(Options& options, const std::string& value) {
  const Result<std::uint64_t> size = config::parse_size(value);
  if (!size) return Error{"--max-size: " + size.error().message};
  options.max_size = *size;
  return done();
}

Status take_newer_than(Options& options, const std::string& value) {
  const Result<std::chrono::seconds> age = config::parse_duration(value);
  if (!age) return Error{"--newer-than: " + age.error().message};
  options.newer_than = *age;
  return done();
}

}  // namespace hipcache::cli
