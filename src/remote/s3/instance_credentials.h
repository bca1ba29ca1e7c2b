// Credentials from the machine that this process runs on: the server of a container (ECS, EKS Pod Identity) or of an
// EC2 instance (IMDSv2).
//
// These servers are on the machine or its link, so limits are short and no proxy is used. Version 1 of the instance's
// server is not asked: AWS advises against it.
// Source: "Container credential provider" and "IMDS credential provider" of the AWS SDKs and Tools guide.
//
// Errors hold no answer of a server and no token. Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_S3_INSTANCE_CREDENTIALS_H
#define HIPCACHE_SRC_REMOTE_S3_INSTANCE_CREDENTIALS_H

#include "hipcache/base/result.h"
#include "remote/s3/aws_settings.h"
#include "remote/s3/credentials.h"

namespace hipcache::remote {

Result<AwsCredentials> credentials_of_container(const AwsSettings& settings);
Result<AwsCredentials> credentials_of_instance(const AwsSettings& settings);

}  // namespace hipcache::remote

#endif
