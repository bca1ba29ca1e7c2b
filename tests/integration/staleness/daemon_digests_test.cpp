// A daemon's digests of files outlive it. The next daemon does not read the compiler for its first hit, and sees what
// changed meanwhile.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// A compiler is a hundred times larger.
constexpr std::uint64_t kNoCompiler = 2'000'000;

class DaemonDigests : public Staleness {
 protected:
  // The bytes that the daemon has read since it started.
  std::uint64_t read_by_daemon() const {
    std::ifstream io("/proc/" + std::to_string(cache_.daemon()) + "/io");
    std::string name;
    std::uint64_t bytes = 0;
    io >> name >> bytes;
    EXPECT_EQ(name, "rchar:");
    return bytes;
  }
  std::string file() const { return cache_.daemon_directory() + "/digests"; }
};

TEST_P(DaemonDigests, ANewDaemonReadsNoCompiler) {
  warm(command());
  EXPECT_GT(read_by_daemon(), 10 * kNoCompiler);
  cache_.end_daemon(SIGTERM);
  expect_hit(command());
  EXPECT_LT(read_by_daemon(), kNoCompiler);
  cache_.end_daemon(SIGTERM);
  fs::remove(file());
  expect_hit(command());
  EXPECT_GT(read_by_daemon(), 10 * kNoCompiler);
}

TEST_P(DaemonDigests, DamagedOnesAreReadAnew) {
  warm(command());
  cache_.end_daemon(SIGTERM);
  fs::resize_file(file(), fs::file_size(file()) - 1);
  expect_hit(command());
  EXPECT_GT(read_by_daemon(), 10 * kNoCompiler);
  cache_.end_daemon(SIGTERM);
  expect_hit(command());
  EXPECT_LT(read_by_daemon(), kNoCompiler) << "the file was written anew";
}

TEST_P(DaemonDigests, ACompilerThatChangedBetweenDaemonsBehindItsSizeAndTimeIsNoticed) {
  const Toolchain toolchain(GetParam());
  toolchain.append_byte("bin/clang");
  await_settled(toolchain / "bin/clang");
  warm(toolchain.compile());
  cache_.end_daemon(SIGTERM);
  toolchain.change_last_byte("bin/clang");
  expect_runs({.device = 2, .host = 1, .probe = 1}, toolchain.compile());
  expect_hit(toolchain.compile());
}

INSTANTIATE_TEST_SUITE_P(Compilers, DaemonDigests, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
