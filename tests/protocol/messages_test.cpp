#include "hipcache/protocol/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "hipcache/protocol/channel.h"
#include "protocol/samples.h"
#include "support/scratch.h"

namespace hipcache::protocol {
namespace {

std::string hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    const auto byte = static_cast<unsigned char>(bytes[index]);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
    if (index % 32 == 31) text += '\n';
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

TEST(Messages, HaveTheBytesThatTheFixturesRecordSoAChangedMeaningIsNoticed) {
  ASSERT_EQ(kVersion, 10u) << "a new version has golden bytes of its own";
  for (const Sample& sample : samples())
    EXPECT_EQ(hex(encode(sample.message)), support::read_bytes(HIPCACHE_GOLDEN "/v10/" + sample.name + ".hex"))
        << sample.name;
}

TEST(Messages, ComeBackAsTheyWereSent) {
  for (const Sample& sample : samples()) {
    const Result<Message> decoded = decode(encode(sample.message));
    ASSERT_TRUE(decoded) << sample.name;
    EXPECT_EQ(decoded.value().index(), sample.message.index()) << sample.name;
    EXPECT_EQ(encode(*decoded), encode(sample.message)) << sample.name;
  }
}

TEST(Messages, KeepEveryFieldOfACompile) {
  const Message message = samples().front().message;
  const auto& sent = std::get<CompileRequest>(message);
  const Result<Message> decoded = decode(encode(message));
  ASSERT_TRUE(decoded);
  const auto& received = std::get<CompileRequest>(*decoded);
  EXPECT_EQ(received.build, sent.build);
  EXPECT_EQ(received.argv, sent.argv);
  EXPECT_EQ(received.environment, sent.environment);
  EXPECT_EQ(received.working_directory, sent.working_directory);
  EXPECT_EQ(received.mount_view, sent.mount_view);
  EXPECT_EQ(received.umask, sent.umask);
  EXPECT_EQ(received.streams, sent.streams);
  EXPECT_TRUE(received.pwd_leads_here);
  EXPECT_TRUE(received.plan_only);
  EXPECT_TRUE(received.explain);
}

TEST(Messages, KeepWhetherHeadersAreWanted) {
  const Result<Message> request = decode(encode(CompileRequest{.headers_only = true}));
  ASSERT_TRUE(request);
  EXPECT_TRUE(std::get<CompileRequest>(*request).headers_only);
  const Result<Message> decoded = decode(encode(Finish{.wants_headers = true}));
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(std::get<Finish>(*decoded).wants_headers);
}

TEST(Messages, KeepEveryFieldOfAnExplanation) {
  const std::vector<Sample> all = samples();
  const auto sample = std::find_if(all.begin(), all.end(), [](const Sample& one) { return one.name == "explanation"; });
  ASSERT_NE(sample, all.end());
  const Message& message = sample->message;
  const auto& sent = std::get<Explanation>(message);
  const Result<Message> decoded = decode(encode(message));
  ASSERT_TRUE(decoded);
  const auto& received = std::get<Explanation>(*decoded);
  EXPECT_EQ(received.reason, sent.reason);
  EXPECT_EQ(received.detail, sent.detail);
  EXPECT_EQ(received.compared, sent.compared);
  EXPECT_EQ(received.request.verdict, Verdict::depends);
  EXPECT_EQ(received.request.differences, sent.request.differences);
  ASSERT_EQ(received.steps.size(), 2u);
  EXPECT_EQ(received.steps[0].name, "device gfx906");
  EXPECT_EQ(received.steps[0].verdict, Verdict::runs);
  EXPECT_EQ(received.steps[0].differences, sent.steps[0].differences);
  EXPECT_EQ(received.steps[0].more, 17u);
  EXPECT_EQ(received.steps[0].ties, sent.steps[0].ties);
  EXPECT_EQ(received.steps[1].ties, sent.steps[1].ties);
}

TEST(Messages, AnExplanationOfALaterVersionIsAnErrorThatSaysWhatIsUnknown) {
  Explanation later;
  later.steps = {{"host", static_cast<Verdict>(99), {}, 0}};
  EXPECT_THAT(decode(encode(later)).error().message, testing::HasSubstr("unknown verdict, 99"));
  later.steps = {{"host", Verdict::runs, {{static_cast<Differs>(98), "", "", ""}}, 0}};
  EXPECT_THAT(decode(encode(later)).error().message, testing::HasSubstr("unknown kind 98"));
  later.steps = {{"host", Verdict::stored, {}, 0, {{static_cast<TiedBy>(97), "", "", 0}}}};
  EXPECT_THAT(decode(encode(later)).error().message, testing::HasSubstr("a tie of unknown kind 97"));
}

// Zero is not written, and the struct's own first value is another.
TEST(Messages, KeepAKindWhoseNumberIsZero) {
  Explanation sent;
  sent.request.differences = {{Differs::nothing_stored, "", "", ""}};
  const Result<Message> decoded = decode(encode(sent));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<Explanation>(*decoded).request.differences, sent.request.differences);
}

TEST(Messages, SamplesCoverEveryKind) {
  std::set<std::size_t> kinds;
  for (const Sample& sample : samples()) kinds.insert(sample.message.index());
  EXPECT_EQ(kinds.size(), std::variant_size_v<Message>);
}

TEST(Messages, AnEmptyOneIsAnError) { EXPECT_FALSE(decode("")); }

TEST(Messages, GarbageIsAnErrorThatSaysSo) {
  const Result<Message> decoded = decode("GET / HTTP/1.1\r\n\r\n");
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().message, testing::HasSubstr("garbage"));
}

TEST(Messages, AControlRequestOfALaterVersionIsAnErrorThatNamesItsKind) {
  const Result<Message> decoded = decode(encode(ControlRequest{"", static_cast<ControlKind>(99)}));
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().message, testing::HasSubstr("99"));
}

TEST(Messages, CutAnywhereAreAnErrorOrAnotherMessageButNeverACrash) {
  for (const Sample& sample : samples()) {
    const std::string bytes = encode(sample.message);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const Result<Message> decoded = decode(bytes.substr(0, size));
      if (decoded) {
        EXPECT_LE(encode(*decoded).size(), bytes.size());
      }
    }
  }
}

TEST(Messages, MutatedAnyhowAreAnErrorOrAMessageThatRoundTrips) {
  std::mt19937 random(20240607);
  const std::vector<Sample> all = samples();
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = encode(all[random() % all.size()].message);
    for (unsigned change = 0; change < 1 + random() % 4; ++change) {
      const std::size_t place = random() % (bytes.size() + 1);
      if (random() % 3 == 0)
        bytes.insert(place, 1, static_cast<char>(random()));
      else if (place < bytes.size())
        bytes[place] = static_cast<char>(random());
    }
    const Result<Message> decoded = decode(bytes);
    if (!decoded) {
      ++refused;
      continue;
    }
    const Result<Message> again = decode(encode(*decoded));
    ASSERT_TRUE(again);
    EXPECT_EQ(encode(*again), encode(*decoded));
  }
  EXPECT_GT(refused, 0u);
}

TEST(Messages, BuildIdNamesProgramAndProtocol) { EXPECT_EQ(build_id(), HIPCACHE_EXPECTED_VERSION "/10"); }

}  // namespace
}  // namespace hipcache::protocol
