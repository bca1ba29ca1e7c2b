#include "cli/option_values.h"

#include <algorithm>
#include <charconv>

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

}  // namespace

Status take_format(Options& options, const std::string& value) {
  if (value == "text") {
    options.format = Format::text;
  } else if (value == "json") {
    options.format = Format::json;
  } else if (value == "markdown") {
    options.format = Format::markdown;
  } else {
    return Error{"--format is text, json or markdown, not " + value};
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
