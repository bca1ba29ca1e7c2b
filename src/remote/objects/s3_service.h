// S3: what AWS's variables and files say, the credentials of requests, and their signatures. Errors hold no secret.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_S3_SERVICE_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_S3_SERVICE_H

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/config/remote_url.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

// What AWS's variables and shared files say: ~/.aws/credentials and ~/.aws/config with their profiles.
//
// Source: "Shared config and credentials files" of the AWS SDKs and Tools guide. A profile is [name] in the first file
// and [profile name] in the second one; both call the first one [default]. Of two values the credentials file's counts.
// Rejected: an SDK of AWS, which Debian 12 does not have.
//
// A value type; reading is the only thing that touches files. Errors name files and lines, and no values.
class AwsSettings {
 public:
  // `profile`: what the tier's URL says, or empty. A file that does not exist is empty.
  static Result<AwsSettings> read(const VariableOf& variables, const std::string& profile);

  std::string variable(const char* name) const { return variables_(name); }
  // A value of the profile; empty if it has none.
  std::string value(const std::string& key) const;

  const std::string& profile() const { return profile_; }
  bool has_profile() const { return exists_; }
  // Whether the URL names the profile. Then keys in variables do not count: who writes a name means it.
  bool is_profile_of_url() const { return is_of_url_; }

 private:
  using Values = std::map<std::string, std::string>;

  Status add_file(const std::string& path, const std::string& name, bool is_config);

  VariableOf variables_;
  std::string profile_;
  bool is_of_url_ = false;
  bool exists_ = false;
  Values values_;
};

// Where a bucket is: server, region, and how requests name the bucket.
//
// The URL's options count first, then AWS's variables, then the profile (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,
// endpoint_url; AWS_REGION, AWS_DEFAULT_REGION, region). Without a region it is us-east-1, which servers that are not
// AWS's mostly take. Pure functions.
struct S3Address {
  std::string origin;  // "https://bucket.s3.eu-west-1.amazonaws.com"
  std::string host;    // the header Host
  std::string root;    // percent-encoded path before all names; begins and ends with a slash
  std::string region;
};

Result<S3Address> address_of(const config::RemoteUrl& url, const AwsSettings& settings);

// What AWS calls credentials: an access key, and for temporary ones a session token and their end.
struct AwsCredentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;                                     // empty if they are not temporary
  std::optional<std::chrono::system_clock::time_point> expires;  // if their source says so

  bool operator==(const AwsCredentials&) const = default;
};

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
//
// `region`: of the bucket, whose STS is asked.
Result<AwsCredentials> find_credentials(const AwsSettings& settings, const std::string& region);

// AWS's Signature Version 4, in the header Authorization.
//
// Source: "Authenticating Requests: Using the Authorization Header" of the Amazon S3 manual. The tests hold AWS's own
// examples and its signature test suite against it.
// Rejected: curl's CURLOPT_AWS_SIGV4, whose signatures were wrong for names with certain letters until 8.x (its issues
// 8810, 10129, 13754, 16927), and Debian 12 has 7.88.
//
// Pure functions. The body is signed too, by its hash: that needs no TLS to be safe, and the server finds a body that
// was damaged on its way.

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
