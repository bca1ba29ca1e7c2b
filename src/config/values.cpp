#include "hipcache/config/values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "hipcache/base/text.h"

namespace hipcache::config {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr std::size_t kTextSize = 44;  // of 32 bytes in base64, with one "=" at the end

// Only the one form that an encoder writes: the bits that are left over are zero.
std::optional<std::string> bytes_in(std::string_view text) {
  if (text.size() != kTextSize || text.back() != '=') return std::nullopt;
  text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char letter : text) {
    const auto digit = kDigits.find(letter);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
    bits &= (1U << count) - 1;
  }
  return bits == 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace

Result<TrustedKey> parse_trusted_key(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::optional<std::string> key =
      colon == std::string_view::npos ? std::nullopt : bytes_in(text.substr(colon + 1));
  if (name.empty() || name.find_first_not_of(kNameLetters) != std::string_view::npos || !key)
    return Error{
        "a part of the value is no public key such as ci:<44 letters of base64>; hipcache --public-key FILE prints the "
        "one of a private key"};
  return TrustedKey{std::string(name), *key};
}

std::optional<Digest> trust_of(const Settings& settings) {
  if (settings.trusted_keys.empty() && settings.signing_key.empty()) return std::nullopt;
  std::set<std::string> keys;
  for (const std::string& text : settings.trusted_keys)
    if (const Result<TrustedKey> parsed = parse_trusted_key(text); parsed) keys.insert(parsed->key);
  Hasher hasher("hipcache.trusted-keys.1");
  for (const std::string& key : keys) hasher.field(key);
  return hasher.finish();
}

namespace {

constexpr double kLargest = 9e18;  // fits a signed 64-bit number with room for rounding

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& letter : lowered)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lowered;
}

struct Quantity {
  double number = 0;
  std::string unit;  // lower case
};

// A non-negative number and the letters after it.
std::optional<Quantity> parse_quantity(std::string_view text) {
  text = trimmed(text);
  Quantity quantity;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), quantity.number, std::chars_format::fixed);
  if (parsed.ec != std::errc() || text.front() == '-' || !std::isfinite(quantity.number)) return std::nullopt;
  quantity.unit = lower(trimmed(text.substr(static_cast<std::size_t>(parsed.ptr - text.data()))));
  return quantity;
}

// 1 for "", 1000 for "k" and "kb", 1024 for "ki" and "kib", and so on up to T.
std::optional<double> size_unit(std::string unit) {
  if (unit.ends_with('b')) unit.pop_back();
  if (unit.empty()) return 1;
  const bool binary = unit.ends_with('i');
  if (binary) unit.pop_back();
  const auto power = std::string_view("kmgt").find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

std::optional<double> duration_unit(std::string_view unit) {
  if (unit.empty() || unit == "s") return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  return std::nullopt;
}

std::vector<std::string> parse_parted(std::string_view text, std::string_view separators) {
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    if (const std::string_view item = trimmed(text.substr(start, end - start)); !item.empty()) items.emplace_back(item);
    start = end + 1;
  }
  return items;
}

std::string joined(const std::vector<std::string>& list, const char* separator) {
  std::string text;
  for (const std::string& item : list) text += (text.empty() ? "" : separator) + item;
  return text;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  const std::optional<Quantity> quantity = parse_quantity(text);
  const std::optional<double> unit = quantity ? size_unit(quantity->unit) : std::nullopt;
  if (!unit || quantity->number * *unit > kLargest)
    return Error{quoted(text) + " is not a size such as 500M, 20G, 1.5GiB or 0"};
  return static_cast<std::uint64_t>(quantity->number * *unit);
}

std::string format_size(std::uint64_t bytes) {
  static constexpr std::array<std::pair<std::uint64_t, std::string_view>, 4> kUnits{
      {{1'000'000'000'000, "T"}, {1'000'000'000, "G"}, {1'000'000, "M"}, {1'000, "k"}}};
  for (const auto& [size, name] : kUnits)
    if (bytes != 0 && bytes % size == 0) return std::to_string(bytes / size) + std::string(name);
  return std::to_string(bytes);
}

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  const std::optional<Quantity> quantity = parse_quantity(text);
  const std::optional<double> unit = quantity ? duration_unit(quantity->unit) : std::nullopt;
  if (!unit || quantity->number * *unit > std::numeric_limits<std::int32_t>::max())
    return Error{quoted(text) + " is not a duration such as 600, 90s, 10m, 2h or 0"};
  return std::chrono::seconds(static_cast<std::int64_t>(quantity->number * *unit));
}

std::string format_duration(std::chrono::seconds duration) { return std::to_string(duration.count()) + "s"; }

Result<bool> parse_boolean(std::string_view text) {
  const std::string value = lower(trimmed(text));
  if (value == "1" || value == "true" || value == "yes" || value == "on") return true;
  if (value == "0" || value == "false" || value == "no" || value == "off") return false;
  return Error{quoted(text) + " is not a boolean such as true, yes, on, 1 or false, no, off, 0"};
}

Result<unsigned> parse_count(std::string_view text) {
  const std::string_view trimmed_text = trimmed(text);
  unsigned count = 0;
  const auto parsed = std::from_chars(trimmed_text.data(), trimmed_text.data() + trimmed_text.size(), count);
  if (trimmed_text.empty() || parsed.ec != std::errc() || parsed.ptr != trimmed_text.data() + trimmed_text.size())
    return Error{quoted(text) + " is not a number such as 0, 4 or 16"};
  return count;
}

Result<double> parse_share(std::string_view text) {
  const std::string_view trimmed_text = trimmed(text);
  double share = 0;
  const auto parsed = std::from_chars(trimmed_text.data(), trimmed_text.data() + trimmed_text.size(), share);
  const bool is_number =
      !trimmed_text.empty() && parsed.ec == std::errc() && parsed.ptr == trimmed_text.data() + trimmed_text.size();
  if (!is_number || !(share >= 0 && share <= 1))
    return Error{quoted(text) + " is not a share from 0 to 1 such as 0.01, or \"auto\""};
  return share;
}

std::string format_share(double share) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), share);
  return {text.data(), written.ptr};
}

Result<unsigned> parse_umask(std::string_view text) {
  const std::string_view trimmed_text = trimmed(text);
  unsigned mask = 0;
  const auto parsed = std::from_chars(trimmed_text.data(), trimmed_text.data() + trimmed_text.size(), mask, 8);
  if (trimmed_text.empty() || parsed.ec != std::errc() || parsed.ptr != trimmed_text.data() + trimmed_text.size() ||
      mask > 0777)
    return Error{quoted(text) + " is not a umask such as 077, 027 or 007"};
  return mask;
}

std::string format_umask(unsigned mask) {
  std::string digits;
  for (const unsigned shift : {6U, 3U, 0U}) digits += static_cast<char>('0' + (mask >> shift & 7U));
  return digits;
}

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while ((start = text.find_first_not_of(", \t", start)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(", \t", start), text.size());
    items.emplace_back(text.substr(start, end - start));
    start = end;
  }
  return items;
}

std::vector<std::string> parse_directories(std::string_view text) { return parse_parted(text, ","); }

std::vector<std::string> parse_path_list(std::string_view text) { return parse_parted(text, ":,"); }

std::string format_list(const std::vector<std::string>& list) { return joined(list, ","); }

std::string format_path_list(const std::vector<std::string>& list) { return joined(list, ":"); }

}  // namespace hipcache::config
