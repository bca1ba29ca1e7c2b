#include "remote/s3/credential_chain.h"

#include <optional>

#include "remote/objects/credential_server.h"
#include "remote/s3/instance_credentials.h"
#include "remote/s3/web_identity.h"

namespace hipcache::remote {
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
