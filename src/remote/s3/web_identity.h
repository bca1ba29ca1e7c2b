// Credentials for a token of another identity provider, by AWS's Security Token Service: what EKS gives a pod and
// GitHub a job.
//
// The token goes in the body of a POST, because servers log addresses. The request needs no signature. The answer is
// XML of a fixed form whose values hold no markup, so its elements are searched for by name (xml_text.h).
// Source: AssumeRoleWithWebIdentity of the AWS STS manual.
//
// Errors hold no token. Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_S3_WEB_IDENTITY_H
#define HIPCACHE_SRC_REMOTE_S3_WEB_IDENTITY_H

#include <string>

#include "hipcache/base/result.h"
#include "remote/s3/aws_settings.h"
#include "remote/s3/credentials.h"

namespace hipcache::remote {

struct WebIdentity {
  std::string token_file;
  std::string role;     // its ARN
  std::string session;  // a name for AWS's logs; "hipcache" if it is empty
};

Result<AwsCredentials> credentials_of_web_identity(const AwsSettings& settings, const WebIdentity& identity,
                                                   const std::string& region);

}  // namespace hipcache::remote

#endif
