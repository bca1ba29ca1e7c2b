#include "launcher/reply_decoder.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "hipcache/protocol/channel.h"

namespace hipcache {
namespace {

using namespace std::string_literals;
using protocol::Finish;

std::string text_of(const launch_text_part& part) { return part.size == 0 ? "" : std::string(part.bytes, part.size); }

// As the launcher understands it; which descriptor belongs to which output is told by `files`.
std::optional<Finish> understand(const std::string& message, std::vector<int>* files = nullptr) {
  const std::unique_ptr<char[]> bytes(new char[message.size() + 1]);  // exactly: a sanitizer sees what goes beyond
  message.copy(bytes.get(), message.size());
  launch_finish decoded{};
  if (!launch_decode_finish(bytes.get(), message.size(), &decoded)) return std::nullopt;
  const launch_delivery& delivery = decoded.delivery;
  Finish finish{decoded.exit_code, text_of(delivery.out), text_of(delivery.err), {}, {}};
  for (std::size_t index = 0; index < delivery.output_count; ++index) {
    const launch_output& output = delivery.outputs[index];
    finish.outputs.push_back({output.path, output.in_place, output.executable, std::nullopt, output.in_place_if_empty});
    if (output.file < 0) finish.outputs.back().content = text_of({output.bytes, output.size});
    if (output.file >= 0 && files != nullptr) files->push_back(output.file);
  }
  for (std::size_t index = 0; index < delivery.removed_count; ++index)
    finish.removed.emplace_back(delivery.removed[index]);
  return finish;
}

Finish some_finish() {
  return {-3,
          "out\0put"s,
          "error\n",
          {{"a.o"}, {"a.d", true, false, "a.o: a.hip\n"}, {"app", false, true}, {"empty", false, false, ""}},
          {"b.o", "c.o"}};
}

TEST(ReplyDecoder, ReadsWhatTheDaemonWrote) {
  for (const Finish& sent : {some_finish(), Finish{}, Finish{.exit_code = 255}, Finish{.exit_code = INT32_MIN}}) {
    const std::optional<Finish> read = understand(protocol::encode(sent));
    ASSERT_TRUE(read);
    EXPECT_EQ(protocol::encode(*read), protocol::encode(sent));
  }
}

TEST(ReplyDecoder, CountsTheDescriptorsOfOutputsWithoutContent) {
  std::vector<int> files;
  ASSERT_TRUE(understand(protocol::encode(some_finish()), &files));
  EXPECT_EQ(files, (std::vector<int>{0, 1}));
}

TEST(ReplyDecoder, RefusesOtherMessages) {
  EXPECT_FALSE(understand(""));
  for (const protocol::Message& message :
       {protocol::Message(protocol::PassThrough{"x"}), protocol::Message(protocol::KeepWaiting{}),
        protocol::Message(protocol::RunStep{}), protocol::Message(protocol::VersionMismatch{"1"})}) {
    const std::string bytes = protocol::encode(message);
    EXPECT_FALSE(understand(bytes));
    EXPECT_NE(launch_reply_of(bytes.front()), LAUNCH_FINISH);
  }
  EXPECT_EQ(launch_reply_of(protocol::encode(Finish{}).front()), LAUNCH_FINISH);
}

std::string wrapper_library(std::string bytes) {
  bytes.reserve(bytes.size() + 1);
  char library[PATH_MAX];
  return launch_decode_wrapper(bytes.data(), bytes.size(), library) ? library : "";
}

TEST(ReplyDecoder, ReadsTheLibraryOfAWrapper) {
  const std::string bytes = protocol::encode(protocol::PassThrough{"compiler-is-a-wrapper", "/lib/trace.so"});
  EXPECT_EQ(launch_reply_of(bytes.front()), LAUNCH_PASS_THROUGH);
  EXPECT_EQ(wrapper_library(bytes), "/lib/trace.so");
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_EQ(wrapper_library(bytes.substr(0, size)), "") << size;
  EXPECT_EQ(wrapper_library(protocol::encode(protocol::PassThrough{"not-a-compiler"})), "");
  EXPECT_EQ(wrapper_library(protocol::encode(protocol::PassThrough{"", std::string(PATH_MAX, '/')})), "");
  EXPECT_EQ(wrapper_library(protocol::encode(protocol::PassThrough{"", "/a\0b"s})), "");
  EXPECT_EQ(wrapper_library(protocol::encode(some_finish())), "");
}

TEST(ReplyDecoder, RefusesPathsThatCannotBeNamesAndTooManyPaths) {
  EXPECT_FALSE(understand(protocol::encode(Finish{.outputs = {{"a\0b"s}}})));
  EXPECT_FALSE(understand(protocol::encode(Finish{.outputs = {{""}}})));
  EXPECT_FALSE(understand(protocol::encode(Finish{.removed = {""}})));
  Finish many;
  many.outputs.assign(LAUNCH_OUTPUT_LIMIT, {"a"});
  many.removed.assign(LAUNCH_REMOVED_LIMIT, "b");
  EXPECT_TRUE(understand(protocol::encode(many)));
  many.removed.emplace_back("one more");
  EXPECT_FALSE(understand(protocol::encode(many)));
  many.removed.clear();
  many.outputs.push_back({"one more"});
  EXPECT_FALSE(understand(protocol::encode(many)));
}

TEST(ReplyDecoder, RefusesEveryTruncatedMessage) {
  const std::string whole = protocol::encode(some_finish());
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(understand(whole.substr(0, size))) << size;
}

// If the decoder accepts a message, the full client reads the same from it.
TEST(ReplyDecoder, ReadsDamagedMessagesAsTheFullClientDoesOrRefusesThem) {
  std::mt19937 random(19);
  const std::string whole = protocol::encode(some_finish());
  int understood = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = whole;
    for (unsigned count = 1 + random() % 3; count > 0; --count)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    const std::optional<Finish> read = understand(damaged);
    if (!read) continue;
    ++understood;
    const Result<protocol::Message> reference = protocol::decode(damaged);
    ASSERT_TRUE(reference) << round;
    EXPECT_EQ(protocol::encode(*read), protocol::encode(*reference)) << round;
  }
  EXPECT_GT(understood, 1000);
}

}  // namespace
}  // namespace hipcache
