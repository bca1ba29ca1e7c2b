#include "remote/s3/instance_credentials.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "remote/objects/credential_server.h"

namespace hipcache::remote {
namespace {

constexpr const char* kContainerServer = "http://169.254.170.2";
constexpr const char* kInstanceServer = "http://169.254.169.254";
constexpr const char* kRoles = "/latest/meta-data/iam/security-credentials/";
// Whom a container's token is sent to without TLS: this machine, and AWS's servers on its link.
constexpr auto kPlainHosts =
    std::to_array<std::string_view>({"localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"});

Result<AwsCredentials> keys_from(HttpClient& client, const HttpRequest& request, const std::string& whom) {
  const Result<nlohmann::json> answer = json_from(client, request, kLinkLimits, whom);
  if (!answer) return answer.error();
  AwsCredentials credentials{.access_key = text_of(*answer, "AccessKeyId"),
                             .secret_key = text_of(*answer, "SecretAccessKey"),
                             .session_token = text_of(*answer, "Token"),
                             .expires = parse_utc_time(text_of(*answer, "Expiration"))};
  if (credentials.access_key.empty() || credentials.secret_key.empty()) return Error{whom + ": an answer without keys"};
  return credentials;
}

bool may_be_asked(const std::string& url) {
  if (url.starts_with("https://")) return true;
  constexpr std::string_view kPlain = "http://";
  if (!url.starts_with(kPlain)) return false;
  const std::string authority = url.substr(kPlain.size(), url.find('/', kPlain.size()) - kPlain.size());
  if (authority.find('@') != std::string::npos) return false;  // what precedes it would be taken for the host
  const auto bracket = authority.find(']');
  const std::string host = authority.substr(0, authority.find(':', bracket == std::string::npos ? 0 : bracket));
  // "127." and digits: a name such as 127.0.0.1.example is somebody else's.
  const bool is_loopback = host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
  return is_loopback || std::find(kPlainHosts.begin(), kPlainHosts.end(), host) != kPlainHosts.end();
}

Result<std::string> authorization(const AwsSettings& settings) {
  const std::string file = settings.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  std::string token = settings.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (!file.empty()) {
    Result<std::string> read = read_file(file, kTokenLimit);
    if (!read) return read;
    token = std::move(*read);
    while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
  }
  if (token.find_first_of("\r\n") != std::string::npos) return Error{"the container's token holds a line break"};
  return token;
}

}  // namespace

Result<AwsCredentials> credentials_of_container(const AwsSettings& settings) {
  const std::string whom = "the container's server";
  const std::string relative = settings.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string url =
      relative.empty() ? settings.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") : kContainerServer + relative;
  if (!may_be_asked(url))
    return Error{"AWS_CONTAINER_CREDENTIALS_FULL_URI names neither https nor a server of this machine"};
  const Result<std::string> token = authorization(settings);
  if (!token) return token.error();
  HttpClient client({.may_use_proxy = false});
  HttpRequest request{.method = "GET", .url = url, .headers = {"Accept: application/json"}};
  if (!token->empty()) request.headers.push_back("Authorization: " + *token);
  return keys_from(client, request, whom);
}

Result<AwsCredentials> credentials_of_instance(const AwsSettings& settings) {
  const std::string whom = "the instance's server (IMDSv2)";
  std::string base = settings.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (base.empty()) base = kInstanceServer;
  while (base.ends_with('/')) base.pop_back();
  HttpClient client({.may_use_proxy = false});
  const std::string nothing;
  const Result<std::string> token = body_from(client,
                                              {.method = "PUT",
                                               .url = base + "/latest/api/token",
                                               .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"},
                                               .body = &nothing},
                                              kLinkLimits, whom);
  if (!token) return token.error();
  if (token->empty() || token->find_first_of("\r\n") != std::string::npos)
    return Error{whom + ": an answer without a token"};
  const std::vector<std::string> headers{"X-aws-ec2-metadata-token: " + *token};
  const Result<std::string> roles =
      body_from(client, {.method = "GET", .url = base + kRoles, .headers = headers}, kLinkLimits, whom);
  if (!roles) return roles.error();
  const std::string role = roles->substr(0, roles->find_first_of("\r\n"));
  if (role.empty()) return Error{whom + ": the instance has no role"};
  return keys_from(client, {.method = "GET", .url = base + kRoles + url_escaped(role), .headers = headers}, whom);
}

}  // namespace hipcache::remote
