#include "hipcache/launcher/request.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hipcache/client/own_request.h"
#include "hipcache/launcher/frame.h"
#include "hipcache/protocol/channel.h"

namespace hipcache {
namespace {

using protocol::CompileRequest;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What the launcher says of this request; "" where it does not fit.
std::string encode(const CompileRequest& request, std::size_t room) {
  std::vector<std::string> argv = request.argv;
  std::vector<std::string> environment = request.environment;
  const std::vector<char*> words = pointers_to(argv);
  const std::vector<char*> variables = pointers_to(environment);
  launch_request said{
      .build = request.build.c_str(),
      .argv = words.data(),
      .environment = variables.data(),
      .directory = request.working_directory.c_str(),
      .view = {request.mount_view.mount_namespace, request.mount_view.root_device, request.mount_view.root_inode},
      .umask = request.umask,
      .pwd_leads_here = request.pwd_leads_here};
  request.streams.copy(said.streams, sizeof said.streams - 1);
  std::vector<char> frame(room);  // of exactly that size: a sanitizer sees what goes beyond
  return {frame.data(), launch_encode_request(&said, frame.data(), room)};
}

CompileRequest some_request() {
  return {.build = "1.2.3/4",
          .argv = {"clang++", "", "-DNAME=\xff\xfe", std::string(300, 'x'), std::string(20000, 'y')},
          .environment = {"PATH=/bin", "EMPTY=", "no-equals-sign"},
          .working_directory = "/home/user/a b",
          .mount_view = {4026531841, ~std::uint64_t{0}, 2},
          .umask = 077,
          .streams = "65535x65535,65535x65535,65535x65535=",
          .pwd_leads_here = true};
}

std::string message_of(const std::string& frame) { return frame.substr(HIPCACHE_FRAME_HEADER); }

TEST(LaunchRequest, HasTheBytesThatTheFullClientWrites) {
  CompileRequest of_zeros = some_request();
  of_zeros.mount_view = {};
  of_zeros.umask = 0;
  of_zeros.streams.clear();
  of_zeros.pwd_leads_here = false;
  for (const CompileRequest& sent : {some_request(), of_zeros, CompileRequest{}}) {
    const std::string frame = encode(sent, 1u << 16);
    ASSERT_GT(frame.size(), HIPCACHE_FRAME_HEADER);
    EXPECT_EQ(message_of(frame), protocol::encode(sent));
  }
}

TEST(LaunchRequest, GrowsAsTheFullClientsDoesWhereALengthTakesAnotherByte) {
  for (std::size_t size = 0; size < 20000; size = size * 2 + 1)
    for (std::size_t more = 0; more < 3; ++more) {
      const CompileRequest request{.build = "b", .argv = {std::string(size + more, 'x')}, .working_directory = "/"};
      EXPECT_EQ(message_of(encode(request, 1u << 16)), protocol::encode(request)) << size + more;
    }
}

// The launcher describes itself by launch_own_request(), the full client by own_request().
TEST(LaunchRequest, OfThisProcessIsTheSameForLauncherAndClient) {
  std::vector<std::string> argv{"cc", "-c", "a.c"};
  const std::vector<char*> words = pointers_to(argv);
  char directory[PATH_MAX];
  launch_request own{};
  ASSERT_TRUE(launch_own_request(words.data(), directory, &own));
  std::vector<char> frame(1u << 20);
  const std::size_t size = launch_encode_request(&own, frame.data(), frame.size());
  ASSERT_GT(size, HIPCACHE_FRAME_HEADER);
  const Result<CompileRequest> request = client::own_request(argv);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->build, protocol::build_id());
  EXPECT_EQ(message_of({frame.data(), size}), protocol::encode(*request));
}

TEST(LaunchRequest, HasTheHeaderOfAMessageWithoutDescriptors) {
  const std::string frame = encode(some_request(), 1u << 16);
  ASSERT_GT(frame.size(), HIPCACHE_FRAME_HEADER);
  const std::size_t length = frame.size() - HIPCACHE_FRAME_HEADER;
  const std::string expected{'H', 'C', 'C', '1', static_cast<char>(length), static_cast<char>(length >> 8), 0, 0,
                             0,   0,   0,   0};
  EXPECT_EQ(frame.substr(0, HIPCACHE_FRAME_HEADER), expected);
}

TEST(LaunchRequest, FitsOrIsNone) {
  const CompileRequest small{.argv = {"cc", "-c"}, .environment = {"A=b"}, .working_directory = "/"};
  const std::size_t size = encode(small, 4096).size();
  ASSERT_GT(size, 0u);
  for (std::size_t room = 0; room < size; ++room) EXPECT_EQ(encode(small, room), "") << room;
  EXPECT_EQ(encode(small, size).size(), size);
}

}  // namespace
}  // namespace hipcache
