#include "hipcache/protocol/remote_messages.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string>
#include <variant>
#include <vector>

namespace hipcache::protocol {
namespace {

using namespace std::chrono_literals;

class RemoteMessages : public ::testing::Test {
 protected:
  RemoteMessages() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }

  std::array<int, 2> ends_{};
};

// Beyond kContentLimit it travels as a memory file.
TEST_F(RemoteMessages, CarryABlobOfAnySize) {
  Channel from((UniqueFd(ends_[0])));
  Channel to((UniqueFd(ends_[1])));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kContentLimit, kContentLimit + 1, 8 * kContentLimit}) {
    const std::string bytes(size, 'x');
    ASSERT_TRUE(send(from, RemoteStage{7, {digest_of(bytes), bytes}}, 10s));
    const Result<RemoteMessage> received = receive_remote(to, 10s);
    ASSERT_TRUE(received) << received.error().message;
    EXPECT_EQ(std::get<RemoteStage>(*received).blob, (RemoteBlob{digest_of(bytes), bytes})) << size;
  }
}

std::vector<RemoteMessage> one_of_each_kind() {
  const Digest digest = digest_of("a");
  const RemotePathSet set{digest, "questions", {1, 0xFEDC'BA98'7654'3210}};
  return {RemoteConfigure{{"http://a", ""}, {"key"}, "/signing", "grpc://e"},
          RemoteQuestions{{{1, RemoteKey::list, digest, 0, 2}, {2, RemoteKey::blob, digest, 300, 0}}},
          RemoteStage{7, {digest, "content"}},
          RemotePublish{8, digest, digest_of("b"), "action", set},
          RemoteAskStatistics{9, true},
          RemoteAnswer{1, true, true, 3, {set, {digest, "", {}}}, {"action", {{digest, ""}}}, "blob"},
          RemotePublished{8, "no room"},
          RemoteStatistics{9, {{"http://a", "ok", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "trouble"}, {}}},
          RemoteNote{true, "note"},
          RemoteSelect{{"gfx906"}, 1'700'000'000},
          RemoteTally{1, 2, 3, "error"},
          RemoteExecute{.id = 3,
                        .argv = {"/cc", "", "-c"},
                        .environment = {"A=1"},
                        .working_directory = "/w",
                        .inputs = {{"/a", ExecuteInputKind::file, "", true, "/b", "", "ab", 12},
                                   {.path = "/l", .kind = ExecuteInputKind::link, .target = "../a"},
                                   {.path = "/c", .contents = "text"}},
                        .outputs = {"a.o"},
                        .platform = {"pool=gfx9"},
                        .deadline_ms = 5'000,
                        .queue_limit_ms = 2'000,
                        .output_directory = "/o"},
          RemoteCancel{3},
          RemoteExecuteEvent{3, ExecuteState::executing},
          RemoteExecuted{.id = 3,
                         .outcome = ExecuteOutcome::overdue,
                         .detail = "late",
                         .exit_code = -1,
                         .stdout_text = "out",
                         .stderr_text = "err",
                         .outputs = {{"a.o", "/o/1", 7, "cd"}},
                         .hashed = {{"/b", "ab", 12}},
                         .worker = "w",
                         .queue_us = 1,
                         .staging_us = 2,
                         .execution_us = 3,
                         .upload_us = 4,
                         .bytes_sent = 5,
                         .bytes_received = 6},
          RemoteEngineQuestion{4},
          RemoteEngineAnswer{4, true, "executes", "2.3"}};
}

TEST(RemoteMessage, OfEachKindComesBackAsItWasSent) {
  for (const RemoteMessage& sent : one_of_each_kind()) {
    const std::string* bulk = nullptr;
    const std::string bytes = encode(sent, &bulk);
    EXPECT_EQ(bulk, nullptr);
    const Result<RemoteMessage> received = decode_remote(bytes, nullptr);
    ASSERT_TRUE(received) << sent.index();
    EXPECT_EQ(received->index(), sent.index());
    EXPECT_EQ(encode(*received, &bulk), bytes) << sent.index();
  }
  EXPECT_EQ(one_of_each_kind().size(), std::variant_size_v<RemoteMessage>);
}

TEST(RemoteMessage, CutAnywhereIsAnError) {
  const std::string* bulk = nullptr;
  for (const RemoteMessage& sent : one_of_each_kind()) {
    const std::string bytes = encode(sent, &bulk);
    for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode_remote(bytes.substr(0, size), nullptr));
  }
}

TEST(RemoteMessage, WithoutItsDigestOrContentIsDamaged) {
  // Of a stage: the publication; an empty blob; a blob that has the content alone.
  for (const char* bytes : {"\x1a\x02\x08\x07", "\x1a\x02\x12\x00", "\x1a\x05\x12\x03\x12\x01x"}) {
    const std::string bulk = "bulk";
    const Result<RemoteMessage> read = decode_remote(std::string(bytes, 2 + static_cast<std::size_t>(bytes[1])), &bulk);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::damaged);
  }
  const std::string* bulk = nullptr;
  const std::string large(kContentLimit + 1, 'x');
  const RemoteMessage sent = RemoteStage{7, {digest_of(large), large}};  // the bulk lies in it
  EXPECT_FALSE(decode_remote(encode(sent, &bulk), nullptr));
  EXPECT_EQ(*bulk, large);
}

}  // namespace
}  // namespace hipcache::protocol
