// bazel-remote as a process of the test. tools/test-servers builds it.
#ifndef HIPCACHE_TESTS_REMOTE_REAPI_BAZEL_REMOTE_H
#define HIPCACHE_TESTS_REMOTE_REAPI_BAZEL_REMOTE_H

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/scratch.h"

namespace hipcache::remote {

class BazelRemote {
 public:
  // Empty if the program is not installed.
  static std::string program();

  explicit BazelRemote(const std::vector<std::string>& options = {});
  ~BazelRemote() { stop(); }
  BazelRemote(const BazelRemote&) = delete;
  BazelRemote& operator=(const BazelRemote&) = delete;

  void start();
  void stop();

  // "127.0.0.1:1234"
  std::string place() const { return "127.0.0.1:" + std::to_string(port_); }
  // Where it keeps what it has.
  std::string directory() const { return files_ / "cache"; }

 private:
  support::Scratch files_;
  const std::uint16_t port_;
  std::vector<std::string> command_;
  pid_t pid_ = 0;
};

}  // namespace hipcache::remote

#endif
