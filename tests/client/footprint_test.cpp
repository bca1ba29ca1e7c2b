// The launcher starts in a fraction of a millisecond and in any chroot because it needs no loader and no library, and
// asks the system for no more than a hit takes; and a build starts many at once. Only of the programs as users have
// them: a sanitizer brings libraries and memory of its own.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "client/fake_daemon.h"
#include "client/launch_fixture.h"
#include "support/system_calls.h"

namespace hipcache::client {
namespace {

using namespace std::chrono_literals;
using support::read_bytes;

constexpr std::uint64_t kMemoryLimitKb = 10240;
constexpr std::uint64_t kLauncherMemoryLimitKb = 1024;
constexpr std::uint64_t kCallLimit = 37;

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

class Footprint : public LaunchTest {
 protected:
  // Replies to a compile, and looks what the asking process has had of memory.
  FakeDaemon::Script finish_and_measure(protocol::Finish finish) {
    return [this, finish = std::move(finish)](protocol::Channel& channel) {
      expect<protocol::CompileRequest>(channel);
      ucred peer{};
      socklen_t size = sizeof peer;
      ASSERT_EQ(getsockopt(channel.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
      const std::string status = read_bytes("/proc/" + std::to_string(peer.pid) + "/status");
      kilobytes = std::stoull(status.substr(status.find("VmHWM:") + 6));
      EXPECT_TRUE(channel.send(finish, 10s));
    };
  }

  std::uint64_t kilobytes = 0;
};

void expect_static(const std::string& program) {
  const auto header = at<Elf64_Ehdr>(program, 0);
  ASSERT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
  ASSERT_GT(header.e_phnum, 0);
  for (unsigned index = 0; index < header.e_phnum; ++index) {
    const auto segment = at<Elf64_Phdr>(program, header.e_phoff + index * sizeof(Elf64_Phdr));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_INTERP));
    if (segment.p_type != PT_DYNAMIC) continue;  // a static program at a random address relocates itself
    for (std::size_t entry = 0; entry < segment.p_filesz; entry += sizeof(Elf64_Dyn))
      EXPECT_NE(at<Elf64_Dyn>(program, segment.p_offset + entry).d_tag, DT_NEEDED);
  }
}

TEST_F(Footprint, NeitherProgramAsksForALoaderOrASharedLibrary) {
  expect_static(read_bytes(hipcache()));
  expect_static(read_bytes(full_client()));
}

TEST_F(Footprint, AServedHitTakesLessThanAMegabyte) {
  const FakeDaemon daemon(cache(), {finish_and_measure({})});
  EXPECT_EQ(compile().exit_code, 0);
  EXPECT_GT(kilobytes, 0u);
  EXPECT_LT(kilobytes, kLauncherMemoryLimitKb);
}

TEST_F(Footprint, TheFullClientTakesLessThanTenMegabytes) {
  const FakeDaemon daemon(cache(), {finish_and_measure({})});
  EXPECT_EQ(run({full_client(), compiler(), "-o", object()}).exit_code, 0);
  EXPECT_GT(kilobytes, 0u);
  EXPECT_LT(kilobytes, kMemoryLimitKb);
}

// The launcher believes a tracer by the name of strace alone, so this program runs again by that name.
bool is_named_strace() { return std::filesystem::read_symlink("/proc/self/exe").filename() == "strace"; }

// Start, who am I and what is asked, one request, who traces me, one reply, one file, end. Nothing else is read but
// the reply, and no memory asked for.
TEST_F(Footprint, AServedHitMakesFewSystemCalls) {
  if (!is_named_strace()) {
    const std::string strace = scratch / "strace";
    std::filesystem::copy_file("/proc/self/exe", strace);
    EXPECT_EQ(run({strace, "--gtest_filter=Footprint.AServedHitMakesFewSystemCalls"}).exit_code, 0);
    return;
  }
  const FakeDaemon daemon(cache(), {finish_and_measure({0, "", "", {{object(), false, false, "cached"}}, {}})});
  const std::string directory = "HIPCACHE_DIR=" + cache();
  const std::string program = hipcache();
  const std::string compiler = this->compiler();
  auto calls = support::system_calls_of([&] {
    const char* const argv[] = {"hipcache", compiler.c_str(), "-o", "a.o", nullptr};
    const char* const environment[] = {directory.c_str(), nullptr};
    execve(program.c_str(), const_cast<char* const*>(argv), const_cast<char* const*>(environment));
  });
  EXPECT_EQ(read_bytes(object()), "cached");
  const std::uint64_t all = std::accumulate(calls.begin(), calls.end(), std::uint64_t{0},
                                            [](std::uint64_t sum, const auto& call) { return sum + call.second; });
  EXPECT_LE(all, kCallLimit);
  EXPECT_EQ(calls[SYS_socket] + calls[SYS_connect], 2u);
  EXPECT_EQ(calls[SYS_open] + calls[SYS_openat], 2u);
  EXPECT_EQ(calls[SYS_read] + calls[SYS_pread64], 1u);
  EXPECT_EQ(calls[SYS_brk] + calls[SYS_mmap], 0u);
}

}  // namespace
}  // namespace hipcache::client
