#include "hipcache/config/execute_url.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/remote_options.h"
#include "hipcache/config/shown.h"
#include "hipcache/config/values.h"

namespace hipcache::config {
namespace {

// How the server is reached: of a tier's options, those that make sense here.
constexpr auto kServerOptions = std::to_array<std::string_view>(
    {"connect_timeout", "timeout", "token", "token_file", "ca_file", "client_certificate", "client_key"});

constexpr std::string_view kPropertyLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr std::size_t kMostProperties = 32;
constexpr std::string_view kToolchain = "hipcache-toolchain";  // without a value: each step's own

// "pool:gfx9,OSFamily:linux,hipcache-toolchain". Commas stand between properties as written, so a value may hold one as
// %2C.
Status add_properties(ExecuteUrl& url, std::string_view value) {
  while (!value.empty()) {
    const std::string_view one = value.substr(0, value.find(','));
    value.remove_prefix(std::min(value.size(), one.size() + 1));
    const std::string text = percent_decoded(one).value_or("");
    if (text == kToolchain) {
      url.sends_toolchain = true;
      continue;
    }
    const auto colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const bool is_printable = std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' '; });
    if (colon == std::string::npos || name.empty() || !is_printable ||
        name.find_first_not_of(kPropertyLetters) != std::string::npos)
      return Error{"is no list of properties such as pool:gfx9,OSFamily:linux"};
    url.properties.push_back(name + "=" + text.substr(colon + 1));
  }
  if (url.properties.size() > kMostProperties) return Error{"makes more than 32 properties"};
  return done();
}

Status set_trusted(ExecuteUrl& url, std::string_view value) {
  const Result<bool> is_trusted = parse_boolean(value);
  if (!is_trusted) return Error{"is not true or false"};
  url.is_trusted = *is_trusted;
  return done();
}

Status set_min_cost(ExecuteUrl& url, std::string_view value) {
  const std::optional<std::chrono::milliseconds> cost = parse_wait(value);
  if (!cost) return Error{"is no time from 1ms to 60s, such as 1s"};
  url.min_cost = *cost;
  return done();
}

Status set_audit(ExecuteUrl& url, std::string_view value) {
  const Result<double> share = parse_share(value);
  if (!share) return Error{"is no share from 0 to 1, such as 0.01"};
  url.audit = *share;
  return done();
}

struct Option {
  std::string_view name;
  Status (*set)(ExecuteUrl& url, std::string_view value);
};

constexpr auto kOwnOptions = std::to_array<Option>(
    {{"property", add_properties}, {"trusted", set_trusted}, {"min_cost", set_min_cost}, {"audit", set_audit}});

std::string all_options() {
  std::string names;
  for (const Option& option : kOwnOptions) names.append(option.name).append(", ");
  for (const std::string_view name : kServerOptions) names.append(name).append(", ");
  return names.substr(0, names.size() - 2);
}

bool is_of_server(std::string_view name) {
  return std::find(kServerOptions.begin(), kServerOptions.end(), name) != kServerOptions.end();
}

}  // namespace

bool is_engine_option(std::string_view name) {
  return std::any_of(kOwnOptions.begin(), kOwnOptions.end(), [&](const Option& known) { return known.name == name; });
}

Result<ExecuteUrl> parse_execute_url(std::string_view text) {
  ExecuteUrl url;
  url.text = text;
  const std::string shown = shown_url(text);
  unsigned number = 0;
  const auto query = text.find('?');
  std::string server(text.substr(0, query));  // and the options that are the server's
  if (server.find("://") != std::string::npos && !server.starts_with("grpc://") && !server.starts_with("grpcs://"))
    return Error{shown + ": is no engine of remote execution such as grpcs://engine.example:8980/"};
  char before = '?';
  const auto take = [&](std::string_view name, std::string_view value) -> Status {
    ++number;
    if (is_of_server(name)) {
      ((server += std::exchange(before, '&')).append(name) += '=').append(value);
      return done();
    }
    const auto* option =
        std::find_if(kOwnOptions.begin(), kOwnOptions.end(), [&](const Option& known) { return known.name == name; });
    if (option == kOwnOptions.end()) return unknown_option(shown, name, number, all_options());
    if (Status set = option->set(url, value); !set)
      return Error{shown + ": " + std::string(name) + " " + set.error().message};
    return done();
  };
  if (query != std::string_view::npos)
    if (Status taken = for_each_option(text.substr(query + 1), take); !taken) return taken.error();
  Result<RemoteUrl> parsed = parse_remote_url(server);
  if (!parsed) return parsed.error();
  url.server = std::move(*parsed);
  url.server.shown = shown;
  return url;
}

}  // namespace hipcache::config
