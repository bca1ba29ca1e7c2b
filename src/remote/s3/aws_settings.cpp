#include "remote/s3/aws_settings.h"

#include <cstdint>
#include <initializer_list>
#include <tuple>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/config/shown.h"
#include "remote/http/http_client.h"

namespace hipcache::remote {

namespace {

constexpr const char* kRegionLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr const char* kDefaultRegion = "us-east-1";

std::string first_set(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts)
    if (!text.empty()) return text;
  return "";
}

std::string configured_endpoint(const std::string& service, const AwsSettings& settings) {
  if (settings.variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") == "true") return "";
  const std::string own = service == "s3" ? "AWS_ENDPOINT_URL_S3" : "AWS_ENDPOINT_URL_STS";
  return first_set(
      {settings.variable(own.c_str()), settings.variable("AWS_ENDPOINT_URL"), settings.value("endpoint_url")});
}

}  // namespace

std::string region_of(const config::RemoteUrl& url, const AwsSettings& settings) {
  return first_set({url.s3.region, settings.variable("AWS_REGION"), settings.variable("AWS_DEFAULT_REGION"),
                    settings.value("region"), kDefaultRegion});
}

Result<std::string> endpoint_of(const std::string& service, const std::string& named, const std::string& region,
                                const AwsSettings& settings) {
  if (!named.empty()) return named;
  const std::string configured = configured_endpoint(service, settings);
  if (configured.empty())
    return "https://" + service + "." + region + ".amazonaws.com" + (region.starts_with("cn-") ? ".cn" : "");
  Result<std::string> origin = config::parse_origin(configured);
  if (!origin) return Error{"AWS's setting of the endpoint of " + service + " " + origin.error().message};
  return origin;
}

Result<S3Address> address_of(const config::RemoteUrl& url, const AwsSettings& settings) {
  using Addressing = config::S3Options::Addressing;
  const std::string region = region_of(url, settings);
  if (region.find_first_not_of(kRegionLetters) != std::string::npos)
    return Error{"AWS's region is no name of a region"};
  const Result<std::string> endpoint = endpoint_of("s3", url.endpoint, region, settings);
  if (!endpoint) return endpoint.error();
  const std::string scheme = endpoint->substr(0, endpoint->find("://") + 3);
  const std::string server = endpoint->substr(scheme.size());
  const bool is_aws = url.endpoint.empty() && configured_endpoint("s3", settings).empty();
  // The wildcard in the certificate of AWS's servers covers no dot.
  const bool is_in_host = url.s3.addressing == Addressing::host || (url.s3.addressing == Addressing::automatic &&
                                                                    is_aws && url.host.find('.') == std::string::npos);
  const std::string host = is_in_host ? url.host + "." + server : server;
  return S3Address{.origin = scheme + host,
                   .host = host,
                   .root = (is_in_host ? "" : "/" + url.host) + url_escaped(url.path) + "/",
                   .region = region};
}

namespace {

constexpr std::uint64_t kFileLimit = 1u << 20;
// "profile name" -> "name" in the configuration file; other sections there (sso-session, services) are no profiles.
std::string_view profile_of_section(std::string_view section, bool is_config) {
  if (!is_config || section == "default") return section;
  constexpr std::string_view kWord = "profile";
  if (!section.starts_with(kWord)) return "";
  const std::string_view name = trimmed(section.substr(kWord.size()));
  return name.size() >= 2 && name.front() == '"' && name.back() == '"' ? name.substr(1, name.size() - 2) : name;
}

std::string first_of(const std::string& one, const std::string& other) { return one.empty() ? other : one; }

}  // namespace

Result<AwsSettings> AwsSettings::read(const Variables& variables, const std::string& profile) {
  AwsSettings settings;
  settings.variables_ = variables;
  settings.is_of_url_ = !profile.empty();
  settings.profile_ = first_of(first_of(profile, variables("AWS_PROFILE")), "default");
  const std::string home = variables("HOME") + "/.aws/";
  for (const auto& [variable, own, is_config] : {std::tuple("AWS_SHARED_CREDENTIALS_FILE", "credentials", false),
                                                 std::tuple("AWS_CONFIG_FILE", "config", true)}) {
    const std::string named = variables(variable);
    const std::string path = first_of(named, home + own);
    const std::string name = named.empty() ? path : config::file_of(variable);
    if (Status added = settings.add_file(path, name, is_config); !added) return added.error();
  }
  return settings;
}

std::string AwsSettings::value(const std::string& key) const {
  const auto known = values_.find(key);
  return known == values_.end() ? "" : known->second;
}

Status AwsSettings::add_file(const std::string& path, const std::string& name, bool is_config) {
  const Result<std::string> text = read_file(path, kFileLimit, name);
  if (!text && text.error().code == ErrorCode::gone) return done();
  if (!text) return text.error();
  bool is_inside = false;
  int number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    ++number;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (content.front() == '[') {
      is_inside = profile_of_section(trimmed(content.substr(1, content.find(']') - 1)), is_config) == profile_;
      exists_ = exists_ || is_inside;
      continue;
    }
    const auto equals = content.find('=');
    // A line that begins with a blank belongs to a value of several lines, of which none is needed here.
    if (!is_inside || kBlanks.find(line.front()) != std::string_view::npos) continue;
    if (equals == std::string_view::npos)
      return Error{name + ":" + std::to_string(number) + ": neither a [section] nor key = value"};
    values_.try_emplace(std::string(trimmed(content.substr(0, equals))), trimmed(content.substr(equals + 1)));
  }
  return done();
}

}  // namespace hipcache::remote
