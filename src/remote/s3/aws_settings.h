// What AWS's variables and shared files say: ~/.aws/credentials and ~/.aws/config with their profiles.
//
// Source: "Shared config and credentials files" of the AWS SDKs and Tools guide. A profile is [name] in the first file
// and [profile name] in the second one; both call the first one [default]. Of two values the credentials file's counts.
// Rejected: an SDK of AWS, which Debian 12 does not have.
//
// A value type; reading is the only thing that touches files. Errors name files and lines, and no values.
#ifndef HIPCACHE_SRC_REMOTE_S3_AWS_SETTINGS_H
#define HIPCACHE_SRC_REMOTE_S3_AWS_SETTINGS_H

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "hipcache/config/remote_url.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

// What AWS calls credentials: an access key, and for temporary ones a session token and their end.

struct AwsCredentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;                                     // empty if they are not temporary
  std::optional<std::chrono::system_clock::time_point> expires;  // if their source says so

  bool operator==(const AwsCredentials&) const = default;
};

class AwsSettings {
 public:
  // `profile`: what the tier's URL says, or empty. A file that does not exist is empty.
  static Result<AwsSettings> read(const Variables& variables, const std::string& profile);

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

  Variables variables_;
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

std::string region_of(const config::RemoteUrl& url, const AwsSettings& settings);

// The server of an AWS service ("s3", "sts"): `named` if it is not empty, else what the settings say, else AWS's own.
Result<std::string> endpoint_of(const std::string& service, const std::string& named, const std::string& region,
                                const AwsSettings& settings);

Result<S3Address> address_of(const config::RemoteUrl& url, const AwsSettings& settings);

}  // namespace hipcache::remote

#endif
