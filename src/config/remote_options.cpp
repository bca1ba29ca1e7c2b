#include "config/remote_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "hipcache/base/text.h"
#include "hipcache/config/values.h"

namespace hipcache::config {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortest{1};
constexpr milliseconds kLongest{60'000};
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr std::string_view kPlainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";

Error expected(const std::string& what) { return Error{what}; }

template <milliseconds RemoteUrl::* member>
Status set_wait(RemoteUrl& url, const std::string& text) {
  const std::optional<milliseconds> wait = parse_wait(text);
  if (!wait) return expected("is no time from 1ms to 60s, such as 300ms");
  url.*member = *wait;
  return done();
}

template <std::string RemoteUrl::* member>
Status set_text(RemoteUrl& url, const std::string& text) {
  // A line break would end a header.
  if (text.empty() || text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
    return expected("is empty, or holds a line break");
  url.*member = text;
  return done();
}

template <std::string RemoteUrl::* member>
Status set_file(RemoteUrl& url, const std::string& text) {
  if (!text.starts_with('/')) return expected("is no absolute path");
  url.*member = text;
  return done();
}

Status set_mode(RemoteUrl& url, const std::string& text) {
  if (text != "ro" && text != "rw" && text != "wo") return expected("is not ro, rw or wo");
  url.reads = text != "wo";
  url.writes = text != "ro";
  return done();
}

Status set_prefix(RemoteUrl& url, const std::string& text) {
  std::string_view prefix = text;
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  const bool climbs = ("/" + std::string(prefix) + "/").find("/../") != std::string::npos;
  if (prefix.empty() || prefix.starts_with('/') || climbs ||
      prefix.find_first_not_of(kPlainLetters) != std::string_view::npos)
    return expected("is no relative path of letters, digits and ._-/");
  url.prefix = prefix;
  return done();
}

Status set_max_bytes(RemoteUrl& url, const std::string& text) {
  const Result<std::uint64_t> size = parse_size(text);
  if (!size || *size == 0) return expected("is no size such as 64M");
  url.max_bytes = *size;
  return done();
}

Status set_database(RemoteUrl& url, const std::string& text) {
  const Result<unsigned> number = parse_count(text);
  if (!number) return expected("is no number of a database such as 0");
  url.database = *number;
  return done();
}

template <std::string S3Options::* member>
Status set_name(RemoteUrl& url, const std::string& text) {
  if (text.empty() || text.find_first_not_of(kNameLetters) != std::string::npos)
    return expected("is no name of letters, digits and ._-");
  url.s3.*member = text;
  return done();
}

Status set_endpoint(RemoteUrl& url, const std::string& text) {
  const Result<std::string> origin = parse_origin(text);
  if (!origin) return origin.error();
  url.endpoint = *origin;
  return done();
}

// Profiles may have blanks in their names.
Status set_profile(RemoteUrl& url, const std::string& text) {
  if (text.empty() || text.find_first_of(std::string_view("]\r\n\0", 4)) != std::string::npos)
    return expected("is no name of a profile");
  url.s3.profile = text;
  return done();
}

Status set_addressing(RemoteUrl& url, const std::string& text) {
  if (text != "path" && text != "virtual") return expected("is not path or virtual");
  url.s3.addressing = text == "path" ? S3Options::Addressing::path : S3Options::Addressing::host;
  return done();
}

Status set_credentials(RemoteUrl& url, const std::string& text) {
  const std::string own = url.kind == RemoteKind::s3 ? "aws" : url.kind == RemoteKind::google ? "google" : "azure";
  if (text != "none" && text != own) return expected("is not " + own + " or none");
  url.is_signed = text == own;
  return done();
}

constexpr unsigned kFile = 1U << static_cast<unsigned>(RemoteKind::file);
constexpr unsigned kHttp = 1U << static_cast<unsigned>(RemoteKind::http);
constexpr unsigned kRedis = 1U << static_cast<unsigned>(RemoteKind::redis);
constexpr unsigned kGrpc = 1U << static_cast<unsigned>(RemoteKind::grpc);
constexpr unsigned kS3 = 1U << static_cast<unsigned>(RemoteKind::s3);
constexpr unsigned kVendors =
    1U << static_cast<unsigned>(RemoteKind::google) | 1U << static_cast<unsigned>(RemoteKind::azure);
constexpr unsigned kObjects = kS3 | kVendors;
constexpr unsigned kWeb = kHttp | kGrpc;             // HTTP/1 and HTTP/2
constexpr unsigned kNet = kRedis | kWeb | kObjects;  // TLS, too
constexpr unsigned kAny = kFile | kNet;

struct Option {
  std::string_view name;
  unsigned kinds;  // of tiers that have it
  Status (*set)(RemoteUrl& url, const std::string& text);
};

constexpr auto kOptions = std::to_array<Option>({
    {"mode", kAny, set_mode},
    {"prefix", kAny, set_prefix},
    {"max_bytes", kAny, set_max_bytes},
    {"connect_timeout", kNet, set_wait<&RemoteUrl::connect_timeout>},
    {"timeout", kNet, set_wait<&RemoteUrl::timeout>},
    {"token", kWeb, set_text<&RemoteUrl::token>},
    {"token_file", kWeb, set_file<&RemoteUrl::token_file>},
    {"ca_file", kNet, set_file<&RemoteUrl::ca_file>},
    {"client_certificate", kNet, set_file<&RemoteUrl::client_certificate>},
    {"client_key", kNet, set_file<&RemoteUrl::client_key>},
    {"password", kRedis, set_text<&RemoteUrl::password>},
    {"user", kRedis, set_text<&RemoteUrl::user>},
    {"database", kRedis, set_database},
    {"endpoint", kObjects, set_endpoint},
    {"region", kS3, set_name<&S3Options::region>},
    {"profile", kS3, set_profile},
    {"addressing", kS3, set_addressing},
    {"credentials", kObjects, set_credentials},
    {"credentials_file", kVendors, set_file<&RemoteUrl::credentials_file>},
});

std::string options_of(unsigned kind) {
  std::string names;
  for (const Option& option : kOptions)
    if ((option.kinds & kind) != 0) names.append(names.empty() ? "" : ", ").append(option.name);
  return names;
}

int digit_of(char letter) {
  const std::string_view digits = "0123456789abcdef";
  const auto at = digits.find(letter >= 'A' && letter <= 'F' ? static_cast<char>(letter - 'A' + 'a') : letter);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    const int high = at + 2 < text.size() ? digit_of(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? digit_of(text[at + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return decoded;
}

std::optional<milliseconds> parse_wait(std::string_view text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  if (parsed.ec != std::errc() || (unit != "ms" && unit != "s" && !unit.empty())) return std::nullopt;
  const double wait = unit == "ms" ? number : number * 1000;
  if (!(wait >= static_cast<double>(kShortest.count()) && wait <= static_cast<double>(kLongest.count())))
    return std::nullopt;
  return milliseconds(static_cast<milliseconds::rep>(wait));
}

bool is_remote_option(std::string_view name) {
  return std::any_of(kOptions.begin(), kOptions.end(), [&](const Option& known) { return known.name == name; });
}

Error unknown_option(const std::string& shown, std::string_view name, unsigned number, const std::string& all) {
  std::string what = "unknown option, number " + std::to_string(number);
  if (is_remote_option(name) || is_engine_option(name)) what = "unknown option \"" + std::string(name) + "\"";
  const std::string meant = nearest(name, parse_list(all));
  if (!meant.empty()) what += " (is " + meant + " meant?)";
  return Error{shown + ": " + what + "; the options are " + all};
}

Status set_remote_option(RemoteUrl& url, std::string_view name, std::string_view value, unsigned number) {
  const unsigned kind = 1U << static_cast<unsigned>(url.kind);
  const auto* option =
      std::find_if(kOptions.begin(), kOptions.end(), [&](const Option& known) { return known.name == name; });
  if (option == kOptions.end() || (option->kinds & kind) == 0)
    return unknown_option(url.shown, name, number, options_of(kind));
  const std::optional<std::string> text = percent_decoded(value);
  const std::string named = url.shown + ": " + std::string(name);
  if (!text) return Error{named + " holds a % without two hexadecimal digits; write %25 for %"};
  if (Status set = option->set(url, *text); !set) return Error{named + " " + set.error().message};
  return done();
}

}  // namespace hipcache::config
