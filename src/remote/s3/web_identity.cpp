#include "remote/s3/web_identity.h"

#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/config/remote_url.h"
#include "remote/http/http_client.h"
#include "remote/s3/address.h"
#include "remote/s3/instance_credentials.h"
#include "remote/s3/xml_text.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;

constexpr Limits kLimits{.connect = 5s, .answer = 10s, .stall = 5s, .total = 20s};
constexpr std::uint64_t kTokenLimit = 64u << 10;
constexpr const char* kWhom = "AWS STS";

// One value of a form: slashes are escaped as well.
std::string form_value(const std::string& text) {
  std::string escaped;
  for (const char letter : url_escaped(text)) escaped += letter == '/' ? "%2F" : std::string(1, letter);
  return escaped;
}

}  // namespace

Result<AwsCredentials> credentials_of_web_identity(const AwsSettings& settings, const WebIdentity& identity,
                                                   const std::string& region) {
  if (identity.role.empty()) return Error{"a web identity needs AWS_ROLE_ARN beside its token file"};
  const Result<std::string> token = read_file(identity.token_file, kTokenLimit);
  if (!token) return token.error();
  const Result<std::string> server = endpoint_of("sts", "", region, settings);
  if (!server) return server.error();
  const std::string body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + form_value(identity.role) +
                           "&RoleSessionName=" + form_value(identity.session.empty() ? "hipcache" : identity.session) +
                           "&WebIdentityToken=" + form_value(token->substr(0, token->find_first_of("\r\n")));
  HttpClient client({.ca_file = settings.variable("AWS_CA_BUNDLE")});
  auto sent = client.send({.method = "POST",
                           .url = *server + "/",
                           .headers = {"Content-Type: application/x-www-form-urlencoded"},
                           .body = &body},
                          kLimits);
  if (const auto* failure = std::get_if<Failure>(&sent)) return Error{std::string(kWhom) + ": " + failure->message};
  const auto& response = std::get<HttpResponse>(sent);
  if (response.status != 200) {
    const std::string code = error_code_of(response.body);
    return Error{std::string(kWhom) + ": HTTP status " + std::to_string(response.status) +
                 (code.empty() ? "" : " (" + code + ")")};
  }
  AwsCredentials credentials{.access_key = xml_text(response.body, "AccessKeyId"),
                             .secret_key = xml_text(response.body, "SecretAccessKey"),
                             .session_token = xml_text(response.body, "SessionToken"),
                             .expires = parse_aws_time(xml_text(response.body, "Expiration"))};
  if (credentials.access_key.empty() || credentials.secret_key.empty() || credentials.session_token.empty())
    return Error{std::string(kWhom) + ": an answer without keys"};
  return credentials;
}

}  // namespace hipcache::remote
