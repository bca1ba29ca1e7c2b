// Where a bucket is: server, region, and how requests name the bucket.
//
// The URL's options count first, then AWS's variables, then the profile (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,
// endpoint_url; AWS_REGION, AWS_DEFAULT_REGION, region). Without a region it is us-east-1, which servers that are not
// AWS's mostly take. Pure functions.
#ifndef HIPCACHE_SRC_REMOTE_S3_ADDRESS_H
#define HIPCACHE_SRC_REMOTE_S3_ADDRESS_H

#include <string>

#include "hipcache/base/result.h"
#include "hipcache/config/remote_url.h"
#include "remote/s3/aws_settings.h"

namespace hipcache::remote {

struct S3Address {
  std::string origin;  // "https://bucket.s3.eu-west-1.amazonaws.com"
  std::string host;    // the header Host
  std::string root;    // percent-encoded path before all names; begins and ends with a slash
  std::string region;
};

std::string region_of(const config::RemoteUrl& url, const AwsSettings& settings);

// The server of an AWS service ("s3", "sts"): `named` if it is not empty, else what the settings say, else AWS's own.
Result<std::string> endpoint_of(const std::string& service, const std::string& named, const std::string& region,
                                const AwsSettings& settings);

Result<S3Address> address_of(const config::RemoteUrl& url, const AwsSettings& settings);

}  // namespace hipcache::remote

#endif
