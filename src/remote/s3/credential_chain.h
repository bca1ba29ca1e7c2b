// Finds credentials where AWS's tools find them, in their order:
//
//   1. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, unless the URL names a profile
//   2. a web identity (EKS, GitHub's OIDC): AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, or the profile's, by STS
//   3. the profile's keys in the shared files
//   4. a container's server: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI
//   5. the instance's server (IMDSv2), unless AWS_EC2_METADATA_DISABLED is true
//
// What is there and cannot be used is an error and no reason to look further: another identity could write elsewhere.
// Source: "Standardized credential providers" of the AWS SDKs and Tools guide.
//
// Blocks for as long as servers take, at most some 30 seconds. Thread-safe. Errors hold no secret.
#ifndef HIPCACHE_SRC_REMOTE_S3_CREDENTIAL_CHAIN_H
#define HIPCACHE_SRC_REMOTE_S3_CREDENTIAL_CHAIN_H

#include <string>

#include "hipcache/base/result.h"
#include "remote/s3/aws_settings.h"

namespace hipcache::remote {

// Credentials from the machine that this process runs on: the server of a container (ECS, EKS Pod Identity) or of an
// EC2 instance (IMDSv2).
//
// These servers are on the machine or its link, so limits are short and no proxy is used. Version 1 of the instance's
// server is not asked: AWS advises against it.
// Source: "Container credential provider" and "IMDS credential provider" of the AWS SDKs and Tools guide.
//
// Errors hold no answer of a server and no token. Thread-safe.

Result<AwsCredentials> credentials_of_container(const AwsSettings& settings);
Result<AwsCredentials> credentials_of_instance(const AwsSettings& settings);

// Credentials for a token of another identity provider, by AWS's Security Token Service: what EKS gives a pod and
// GitHub a job.
//
// The token goes in the body of a POST, because servers log addresses. The request needs no signature. The answer is
// XML of a fixed form whose values hold no markup, so its elements are searched for by name (credential_server.h).
// Source: AssumeRoleWithWebIdentity of the AWS STS manual.
//
// Errors hold no token. Thread-safe.

struct WebIdentity {
  std::string token_file;
  std::string role;     // its ARN
  std::string session;  // a name for AWS's logs; "hipcache" if it is empty
};

Result<AwsCredentials> credentials_of_web_identity(const AwsSettings& settings, const WebIdentity& identity,
                                                   const std::string& region);

// `region`: of the bucket, whose STS is asked.
Result<AwsCredentials> find_credentials(const AwsSettings& settings, const std::string& region);

}  // namespace hipcache::remote

#endif
