// The client starts in a third of a millisecond and in any chroot because it needs no loader and no library; and a
// build starts many at once. Only of the client as users have it: a sanitizer brings libraries and memory of its own.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>

#include "client/fake_daemon.h"
#include "client/launch_fixture.h"

namespace hipcache::client {
namespace {

using namespace std::chrono_literals;
using support::read_bytes;

constexpr std::uint64_t kMemoryLimitKb = 10240;

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

class Footprint : public LaunchTest {};

TEST_F(Footprint, TheClientAsksForNoLoaderAndNoSharedLibrary) {
  const std::string program = read_bytes(hipcache());
  const auto header = at<Elf64_Ehdr>(program, 0);
  ASSERT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
  ASSERT_GT(header.e_phnum, 0);
  for (unsigned index = 0; index < header.e_phnum; ++index) {
    const auto segment = at<Elf64_Phdr>(program, header.e_phoff + index * sizeof(Elf64_Phdr));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_INTERP));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_DYNAMIC));
  }
}

TEST_F(Footprint, AServedHitTakesLessThanTenMegabytes) {
  std::uint64_t kilobytes = 0;
  const FakeDaemon daemon(cache(), {[&](protocol::Channel& channel) {
                            expect<protocol::CompileRequest>(channel);
                            ucred peer{};
                            socklen_t size = sizeof peer;
                            ASSERT_EQ(getsockopt(channel.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
                            const std::string status = read_bytes("/proc/" + std::to_string(peer.pid) + "/status");
                            kilobytes = std::stoull(status.substr(status.find("VmHWM:") + 6));
                            EXPECT_TRUE(channel.send(protocol::Finish{}, 10s));
                          }});
  EXPECT_EQ(compile().exit_code, 0);
  EXPECT_GT(kilobytes, 0u);
  EXPECT_LT(kilobytes, kMemoryLimitKb);
}

}  // namespace
}  // namespace hipcache::client
