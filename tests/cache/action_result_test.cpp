#include <gtest/gtest.h>

#include <random>

#include "hipcache/base/step_name.h"
#include "hipcache/cache/action_cache.h"

namespace hipcache::cache {
namespace {

const FoundBy kFoundBy{digest_of("key"), digest_of("path set"), digest_of("result key")};

ActionResult some_result() {
  ActionResult result;
  result.outputs = {{.name = "object", .blob = digest_of("o"), .size = 1, .place = "a.o"},
                    {.name = "depfile", .blob = digest_of("d"), .size = 300, .place = "dir/a.d", .in_place = true},
                    {.name = "program", .blob = digest_of("p"), .size = 7, .executable = true}};
  result.stdout_text = "out";
  result.stderr_text = std::string("warning\0", 8);
  result.duration_us = 1234567;
  result.processor_us = 2345;
  result.steps = {"gfx906", "gfx90a:xnack+", kHostStep};
  return result;
}

TEST(ActionResult, ComesBackFromItsEncodedForm) {
  const ActionResult result = some_result();
  Result<ActionResult> back = ActionResult::decode(result.encode());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->stdout_text, result.stdout_text);
  EXPECT_EQ(back->stderr_text, result.stderr_text);
  EXPECT_EQ(back->duration_us, result.duration_us);
  EXPECT_EQ(back->processor_us, result.processor_us);
  EXPECT_EQ(back->steps, result.steps);
  EXPECT_EQ(back->outputs, result.outputs);
}

TEST(ActionResult, HasTheBytesOfVersion5) {
  ActionResult result;
  result.outputs = {{.name = "object",
                     .blob = *Digest::from_bytes("an output's digest has 32 bytes."),
                     .size = 300,
                     .executable = true,
                     .place = "a.o"}};
  result.stdout_text = "o";
  result.stderr_text = "err";
  result.duration_us = 129;
  result.processor_us = 7;
  result.steps = {"gfx906"};
  const std::string digest = "an output's digest has 32 bytes.";
  EXPECT_EQ(result.encode(), std::string("\x05\x81\x01\x07\x01o\x03") + "err" + "\x01\x06object" + digest +
                                 "\xac\x02\x01\x03" + "a.o" + "\x01\x06gfx906");
}

TEST(ActionResult, OfAnEarlierVersionKeepsItsFormAndCountsItsDurationAsProcessorTime) {
  for (const auto& found_by : {std::optional<FoundBy>(), std::optional(kFoundBy)}) {
    ActionResult earlier = some_result();
    earlier.processor_us.reset();
    earlier.found_by = found_by;
    EXPECT_EQ(earlier.encode().front(), found_by ? '\x04' : '\x03');
    const Result<ActionResult> back = ActionResult::decode(earlier.encode());
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->encode(), earlier.encode());
    EXPECT_EQ(back->processor_time(), 1234567u);
  }
}

TEST(ActionResult, OfOurOwnStoreEndsWithWhatItIsFoundByAsVersion6) {
  ActionResult result = some_result();
  const std::string without = result.encode();
  result.found_by = kFoundBy;
  EXPECT_EQ(result.encode(), "\x06" + without.substr(1) + kFoundBy.key.bytes() + kFoundBy.path_set.bytes() +
                                 kFoundBy.result_key.bytes());
  EXPECT_EQ(ActionResult::decode(result.encode()).value().found_by, result.found_by);
  EXPECT_FALSE(ActionResult::decode(without).value().found_by);
}

TEST(ActionResult, SaysWhatItsRunOverlookedAsVersions9And10) {
  ActionResult result = some_result();
  const std::string without = result.encode();
  result.overlooked = digest_of("bytes");
  EXPECT_EQ(result.encode(), "\x09" + without.substr(1) + result.overlooked->bytes());
  EXPECT_EQ(ActionResult::decode(result.encode()).value().overlooked, result.overlooked);
  EXPECT_FALSE(ActionResult::decode(without).value().overlooked);
  result.found_by = kFoundBy;
  EXPECT_EQ(result.encode().front(), '\x0a');
  const ActionResult back = ActionResult::decode(result.encode()).value();
  EXPECT_EQ(back.overlooked, result.overlooked);
  EXPECT_EQ(back.found_by, result.found_by);
}

TEST(ActionResult, NamesTheWrapperHeadersThatMadeItAsVersions13And14) {
  ActionResult result = some_result();
  const std::string without = result.encode();
  result.preambles = {digest_of("one"), digest_of("two")};
  EXPECT_EQ(result.encode(),
            "\x0d" + without.substr(1) + '\x02' + result.preambles[0].bytes() + result.preambles[1].bytes());
  result.found_by = kFoundBy;
  const ActionResult back = ActionResult::decode(result.encode()).value();
  EXPECT_EQ(back.preambles, result.preambles);
  EXPECT_EQ(back.found_by, result.found_by);
  EXPECT_TRUE(ActionResult::decode(without).value().preambles.empty());
}

TEST(ActionResult, FindsAnOutputByName) {
  const ActionResult result = some_result();
  ASSERT_NE(result.output("depfile"), nullptr);
  EXPECT_EQ(result.output("depfile")->size, 300u);
  EXPECT_EQ(result.output("fatbin"), nullptr);
}

TEST(ActionResult, IsRefusedWhereverItIsCutShortAndWithBytesAfterIt) {
  ActionResult found = some_result();
  found.found_by = kFoundBy;
  found.overlooked = digest_of("bytes");
  found.preambles = {digest_of("header")};
  for (const std::string& bytes : {some_result().encode(), found.encode()}) {
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_FALSE(ActionResult::decode(std::string_view(bytes).substr(0, length)).ok()) << "cut to " << length;
    EXPECT_FALSE(ActionResult::decode(bytes + "x").ok());
  }
}

TEST(ActionResult, SurvivesRandomDamage) {
  const std::string good = some_result().encode();
  std::mt19937 random(42);
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    for (unsigned n = 1 + random() % 3; n > 0; --n) bad[random() % bad.size()] = static_cast<char>(random());
    Result<ActionResult> result = ActionResult::decode(bad);
    if (!result) continue;
    EXPECT_EQ(result->encode(), bad) << "one form for one result";
  }
}

TEST(KeyHasher, TellsDomainsApart) { EXPECT_NE(key_hasher("device").finish(), key_hasher("host").finish()); }

}  // namespace
}  // namespace hipcache::cache
