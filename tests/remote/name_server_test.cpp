// A name server that says nothing: what a look-up of each kind of server costs then.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "hipcache/base/files.h"
#include "remote/support.h"
#include "support/own_mounts.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;

TEST(SilentNameServer, IsGivenUpWithinTheLimitOfTheConnection) {
  const UniqueFd server(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(53), .sin_addr = {}, .sin_zero = {}};
  inet_pton(AF_INET, "127.53.53.53", &address.sin_addr);
  if (!support::enter_own_mounts() || bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    GTEST_SKIP() << "needs root: a mount namespace, and the port of name servers";
  const support::Scratch scratch;
  const support::BindMount names(scratch.write("resolv.conf", "nameserver 127.53.53.53\n"), "/etc/resolv.conf");
  ASSERT_TRUE(names.is_mounted());
  Limits limits = kPatient;
  limits.connect = 50ms;
  for (const char* url :
       {"http://cache.example/x", "redis://cache.example", "s3://bucket?credentials=none&endpoint=http://s3.example"}) {
    const Answer<List> answer = backend_at(url)->list(digest_of("key"), limits);
    ASSERT_TRUE(answer.failure) << url;
    EXPECT_EQ(answer.failure->message, "cannot connect: the host's name was not resolved in time") << url;
    EXPECT_TRUE(answer.failure->is_late) << url;
  }
}

}  // namespace
}  // namespace hipcache::remote
