#include "remote/s3/address.h"

#include <initializer_list>

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

}  // namespace hipcache::remote
