// Real REAPI servers, each a process of the test. tools/test-servers builds or installs them.
#ifndef HIPCACHE_TESTS_REMOTE_REAPI_REAPI_SERVER_H
#define HIPCACHE_TESTS_REMOTE_REAPI_REAPI_SERVER_H

#include <sys/types.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "support/scratch.h"

namespace hipcache::remote {

// A kind of server, and how the kinds differ.
struct ReapiKind {
  const char* program;         // as tools/test-servers calls it
  const char* name;            // of tests
  bool keeps_actions;          // over a restart
  const char* blobs;           // the directory of blobs, in its own
  bool knows_blobs_by_memory;  // a blob that is removed from there is known to be gone after a restart only
  bool compresses;             // offers blobs compressed by zstd
  const char* needs;           // what tools/test-servers needs for it
  bool may_be_missing;         // where a machine lacks that: Debian 12 has no Go that is new enough
};

inline constexpr ReapiKind kBazelRemote{.program = "bazel-remote",
                                        .name = "bazel_remote",
                                        .keeps_actions = true,
                                        .blobs = "cas.v2",
                                        .knows_blobs_by_memory = true,
                                        .compresses = true,
                                        .needs = "Go 1.25",
                                        .may_be_missing = true};
inline constexpr ReapiKind kBuildGrid{.program = "buildgrid",
                                      .name = "buildgrid",
                                      .keeps_actions = false,
                                      .blobs = "cas/objects",
                                      .knows_blobs_by_memory = false,
                                      .compresses = false,
                                      .needs = "a package registry for pip",
                                      .may_be_missing = false};

// How googletest prints a kind.
inline void PrintTo(const ReapiKind& kind, std::ostream* out) { *out << kind.program; }

class ReapiServer {
 public:
  static bool is_installed(const ReapiKind& kind);
  // What to do if it is not.
  static std::string mend(const ReapiKind& kind);

  // `options`: of bazel-remote's command line.
  explicit ReapiServer(const ReapiKind& kind, const std::vector<std::string>& options = {});
  ~ReapiServer() { stop(); }
  ReapiServer(const ReapiServer&) = delete;
  ReapiServer& operator=(const ReapiServer&) = delete;

  void start();
  void stop();

  // Loses all blobs, and keeps the actions that name them.
  void lose_blobs();

  // "127.0.0.1:1234"
  std::string place() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  std::string directory() const { return files_ / "cache"; }

  const ReapiKind kind_;
  support::Scratch files_;
  const std::uint16_t port_;
  std::vector<std::string> command_;
  pid_t pid_ = 0;
};

}  // namespace hipcache::remote

#endif
