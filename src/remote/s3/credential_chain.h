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
#include "remote/s3/credentials.h"

namespace hipcache::remote {

// `region`: of the bucket, whose STS is asked.
Result<AwsCredentials> find_credentials(const AwsSettings& settings, const std::string& region);

}  // namespace hipcache::remote

#endif
