// AWS's Signature Version 4, in the header Authorization.
//
// Source: "Authenticating Requests: Using the Authorization Header" of the Amazon S3 manual. The tests hold AWS's own
// examples and its signature test suite against it.
// Rejected: curl's CURLOPT_AWS_SIGV4, whose signatures were wrong for names with certain letters until 8.x (its issues
// 8810, 10129, 13754, 16927), and Debian 12 has 7.88.
//
// Pure functions. The body is signed too, by its hash: that needs no TLS to be safe, and the server finds a body that
// was damaged on its way.
#ifndef HIPCACHE_SRC_REMOTE_S3_S3_SERVICE_H
#define HIPCACHE_SRC_REMOTE_S3_S3_SERVICE_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/objects/object_service.h"
#include "remote/s3/aws_settings.h"

namespace hipcache::remote {

using Headers = std::vector<std::pair<std::string, std::string>>;  // name and value

// Without a query: hipcache's requests have none.
struct UnsignedRequest {
  std::string method;
  std::string path;     // percent-encoded, as it is sent. S3 neither encodes it again nor resolves dots
  Headers headers;      // those to sign, the host among them
  std::string payload;  // SHA-256 of the body, in hexadecimal digits
};

struct SigningScope {
  std::string region;
  std::string service = "s3";
  SystemTime time;
};

// "20130524T000000Z": the header x-amz-date, which a request must have.
std::string amz_date(SystemTime time);

// The value of the header Authorization.
std::string authorization_of(const UnsignedRequest& request, const SigningScope& scope,
                             const AwsCredentials& credentials);

}  // namespace hipcache::remote

#endif
