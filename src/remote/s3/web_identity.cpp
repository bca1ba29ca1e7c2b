#include "remote/s3/web_identity.h"

#include "remote/objects/credential_server.h"
#include "remote/objects/xml_text.h"
#include "remote/s3/address.h"

namespace hipcache::remote {
namespace {

constexpr const char* kWhom = "AWS STS";

}  // namespace

Result<AwsCredentials> credentials_of_web_identity(const AwsSettings& settings, const WebIdentity& identity,
                                                   const std::string& region) {
  if (identity.role.empty()) return Error{"a web identity needs AWS_ROLE_ARN beside its token file"};
  const Result<std::string> token = token_in_file(identity.token_file);
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

}  // namespace hipcache::remote
