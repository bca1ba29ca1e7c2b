// What AWS's variables and shared files say: ~/.aws/credentials and ~/.aws/config with their profiles.
//
// Source: "Shared config and credentials files" of the AWS SDKs and Tools guide. A profile is [name] in the first file
// and [profile name] in the second one; both call the first one [default]. Of two values the credentials file's counts.
// Rejected: an SDK of AWS, which Debian 12 does not have.
//
// A value type; reading is the only thing that touches files. Errors name files and lines, and no values.
#ifndef HIPCACHE_SRC_REMOTE_S3_AWS_SETTINGS_H
#define HIPCACHE_SRC_REMOTE_S3_AWS_SETTINGS_H

#include <map>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "remote/objects/world.h"

namespace hipcache::remote {

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

  Status add_file(const std::string& path, bool is_config);

  Variables variables_;
  std::string profile_;
  bool is_of_url_ = false;
  bool exists_ = false;
  Values values_;
};

}  // namespace hipcache::remote

#endif
