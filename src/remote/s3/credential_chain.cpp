#include "remote/s3/credential_chain.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "remote/objects/credential_server.h"
#include "remote/s3/aws_settings.h"

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
    Result<std::string> read = read_file(file, kTokenLimit, config::file_of("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"));
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

namespace {

constexpr const char* kWhom = "AWS STS";

}  // namespace

Result<AwsCredentials> credentials_of_web_identity(const AwsSettings& settings, const WebIdentity& identity,
                                                   const std::string& region) {
  if (identity.role.empty()) return Error{"a web identity needs AWS_ROLE_ARN beside its token file"};
  const Result<std::string> token =
      token_in_file(identity.token_file, "AWS_WEB_IDENTITY_TOKEN_FILE or web_identity_token_file");
  if (!token) return token.error();
  const Result<std::string> server = endpoint_of("sts", "", region, settings);
  if (!server) return server.error();
  const std::string body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + form_value(identity.role) +
                           "&RoleSessionName=" + form_value(identity.session.empty() ? "hipcache" : identity.session) +
                           "&WebIdentityToken=" + form_value(*token);
  HttpClient client({.ca_file = settings.variable("AWS_CA_BUNDLE")});
  const Result<std::string> answer = body_from(client,
                                               {.method = "POST",
                                                .url = *server + "/",
                                                .headers = {"Content-Type: application/x-www-form-urlencoded"},
                                                .body = &body},
                                               kNetLimits, kWhom);
  if (!answer) return answer.error();
  AwsCredentials credentials{.access_key = xml_text(*answer, "AccessKeyId"),
                             .secret_key = xml_text(*answer, "SecretAccessKey"),
                             .session_token = xml_text(*answer, "SessionToken"),
                             .expires = parse_utc_time(xml_text(*answer, "Expiration"))};
  if (credentials.access_key.empty() || credentials.secret_key.empty() || credentials.session_token.empty())
    return Error{std::string(kWhom) + ": an answer without keys"};
  return credentials;
}

namespace {

// Nothing if this place does not apply.
using Place = std::optional<Result<AwsCredentials>>;

// A line break in a key would end a header.
Result<AwsCredentials> checked(const std::string& from, AwsCredentials credentials) {
  if (credentials.access_key.empty() || credentials.secret_key.empty())
    return Error{from + ": one of access key and secret key is missing"};
  if (!is_printable(credentials.access_key) || !is_printable(credentials.session_token))
    return Error{from + ": a key or token holds a blank or a letter that is not ASCII"};
  return credentials;
}

Place from_variables(const AwsSettings& settings) {
  AwsCredentials found{.access_key = settings.variable("AWS_ACCESS_KEY_ID"),
                       .secret_key = settings.variable("AWS_SECRET_ACCESS_KEY"),
                       .session_token = settings.variable("AWS_SESSION_TOKEN"),
                       .expires = {}};
  if (settings.is_profile_of_url() || (found.access_key + found.secret_key).empty()) return std::nullopt;
  return checked("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", std::move(found));
}

Place from_web_identity(const AwsSettings& settings, const std::string& region) {
  WebIdentity identity;
  if (!settings.is_profile_of_url())
    identity = {.token_file = settings.variable("AWS_WEB_IDENTITY_TOKEN_FILE"),
                .role = settings.variable("AWS_ROLE_ARN"),
                .session = settings.variable("AWS_ROLE_SESSION_NAME")};
  if (identity.token_file.empty())
    identity = {.token_file = settings.value("web_identity_token_file"),
                .role = settings.value("role_arn"),
                .session = settings.value("role_session_name")};
  if (identity.token_file.empty()) return std::nullopt;
  return credentials_of_web_identity(settings, identity, region);
}

Place from_profile(const AwsSettings& settings) {
  const std::string name = "profile " + settings.profile();
  AwsCredentials found{.access_key = settings.value("aws_access_key_id"),
                       .secret_key = settings.value("aws_secret_access_key"),
                       .session_token = settings.value("aws_session_token"),
                       .expires = {}};
  if (!(found.access_key + found.secret_key).empty()) return checked(name, std::move(found));
  for (const char* key : {"credential_process", "sso_session", "sso_start_url", "source_profile", "credential_source"})
    if (!settings.value(key).empty())
      return Error{name + " has " + key + ", which hipcache does not use; put keys into variables with " +
                   "\"aws configure export-credentials\""};
  const bool is_named = settings.is_profile_of_url() || !settings.variable("AWS_PROFILE").empty();
  if (is_named && !settings.has_profile()) return Error{name + " is in neither of AWS's shared files"};
  return std::nullopt;
}

}  // namespace

Result<AwsCredentials> find_credentials(const AwsSettings& settings, const std::string& region) {
  if (Place found = from_variables(settings)) return *found;
  if (Place found = from_web_identity(settings, region)) return *found;
  if (Place found = from_profile(settings)) return *found;
  const bool is_container = !settings.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").empty() ||
                            !settings.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI").empty();
  if (is_container) return credentials_of_container(settings);
  const std::string disabled = settings.variable("AWS_EC2_METADATA_DISABLED");
  const std::string nowhere = "no credentials in AWS's variables and files";
  if (disabled == "true" || disabled == "TRUE") return Error{nowhere};
  Result<AwsCredentials> found = credentials_of_instance(settings);
  if (!found) return Error{nowhere + "; " + found.error().message};
  return found;
}

}  // namespace hipcache::remote
