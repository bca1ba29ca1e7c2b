// What AWS calls credentials: an access key, and for temporary ones a session token and their end.
#ifndef HIPCACHE_SRC_REMOTE_S3_CREDENTIALS_H
#define HIPCACHE_SRC_REMOTE_S3_CREDENTIALS_H

#include <chrono>
#include <optional>
#include <string>

namespace hipcache::remote {

struct AwsCredentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;                                     // empty if they are not temporary
  std::optional<std::chrono::system_clock::time_point> expires;  // if their source says so

  bool operator==(const AwsCredentials&) const = default;
};

}  // namespace hipcache::remote

#endif
