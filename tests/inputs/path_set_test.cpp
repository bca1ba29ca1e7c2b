#include "hipcache/inputs/path_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "hipcache/inputs/frames.h"

namespace hipcache::inputs {
namespace {

using testing::HasSubstr;

PathSet some_set() {
  return PathSet({{Question::content, "/usr/include/stdio.h"},
                  {Question::content, "/usr/include/stdlib.h"},
                  {Question::content, "a.hip"},
                  {Question::presence, "/usr/include/x86_64-linux-gnu/stdio.h"},
                  {Question::listing, "/usr/lib/gcc"},
                  {Question::link, "/lib"},
                  {Question::real_path, "."},
                  {Question::variable, "CPATH"},
                  {Question::working_directory, ""}});
}

// Encoded as version 1 does, whatever the raw form says.
std::string wrapped(const std::string& raw) { return "HCPS\x05" + raw; }

std::string error_of(const std::string& bytes) {
  Result<PathSet> set = PathSet::decode(bytes);
  return set ? "decoded" : set.error().message;
}

TEST(PathSet, KeepsNoAnswersSoEqualQuestionsHaveEqualIds) {
  const PathSet one({{Question::presence, "b"}, {Question::content, "a"}, {Question::presence, "b"}});
  const PathSet other({{Question::content, "a"}, {Question::presence, "b"}});
  EXPECT_EQ(one.id(), other.id());
  EXPECT_EQ(one.observations(), other.observations());
}

TEST(PathSet, HasAnotherIdForAnotherQuestionOfTheSameName) {
  EXPECT_NE(PathSet({{Question::presence, "a"}}).id(), PathSet({{Question::content, "a"}}).id());
  EXPECT_NE(PathSet({{Question::presence, "a"}}).id(), PathSet({{Question::presence, "b"}}).id());
  EXPECT_NE(PathSet({}).id(), PathSet({{Question::presence, ""}}).id());
}

TEST(PathSet, ComesBackFromItsEncodedForm) {
  const PathSet set = some_set();
  Result<PathSet> back = PathSet::decode(set.encode());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->observations(), set.observations());
  EXPECT_EQ(back->id(), set.id());
}

TEST(PathSet, ComesBackWhenItIsEmpty) {
  Result<PathSet> back = PathSet::decode(PathSet({}).encode());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_TRUE(back->observations().empty());
}

TEST(PathSet, KeepsItsIdFromVersionToVersion) {
  EXPECT_EQ(some_set().id().hex(), "9a0e5fbe559d804b0587eb3962f8b2632acc0e85fe7c30daeea721a7ca074218");
}

TEST(PathSet, KeepsTheLastKindOfQuestion) {
  const PathSet set({{Question::bitcode_listing, "/usr/lib"}, {Question::variable, "CPATH"}});
  const Result<PathSet> decoded = PathSet::decode(set.encode());
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->observations(), set.observations());
}

TEST(PathSet, MergesIntoTheUnion) {
  auto left = std::make_shared<const PathSet>(PathSet({{Question::content, "a"}, {Question::content, "b"}}));
  auto right = std::make_shared<const PathSet>(PathSet({{Question::content, "b"}, {Question::content, "c"}}));
  EXPECT_EQ(PathSet::merge({left, right}).id(),
            PathSet({{Question::content, "a"}, {Question::content, "b"}, {Question::content, "c"}}).id());
}

TEST(PathSet, IsRefusedWhereverItIsCutShort) {
  const std::string bytes = some_set().encode();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(PathSet::decode(std::string_view(bytes).substr(0, length)).ok()) << "cut to " << length;
}

// Damage may go unseen only if it yields a set that is whole in itself; its id is then another, which its finder
// compares.
TEST(PathSet, SurvivesRandomDamageWithAnErrorOrAWholeSet) {
  const std::string good = some_set().encode();
  std::mt19937 random(20240611);
  unsigned refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
      bad[random() % bad.size()] ^= static_cast<char>(1u << random() % 8);
    Result<PathSet> set = PathSet::decode(bad);
    if (!set) {
      ++refused;
      EXPECT_THAT(set.error().message, HasSubstr("path set: "));
    } else {
      EXPECT_EQ(PathSet(set->observations()).id(), set->id());
    }
  }
  EXPECT_GT(refused, 5'000u);
}

TEST(PathSet, SurvivesRandomRawForms) {
  std::mt19937 random(7);
  for (int i = 0; i < 5'000; ++i) {
    std::string raw(random() % 64, '\0');
    for (char& byte : raw) byte = static_cast<char>(random() % 14);
    Result<PathSet> set = PathSet::decode(wrapped(raw));
    if (!set) continue;
    EXPECT_EQ(set->encode(), PathSet::decode(set->encode())->encode());
  }
}

TEST(PathSet, SaysWhatIsWrongWithDamagedBytes) {
  EXPECT_THAT(error_of("garbage"), HasSubstr("does not begin"));
  EXPECT_THAT(error_of("HCPS\x01rest"), HasSubstr("another version"));
  EXPECT_THAT(error_of(wrapped(FrameWriter().number(1'000'001).bytes())), HasSubstr("more observations"));
  EXPECT_THAT(error_of(wrapped(FrameWriter().number(1).byte(255).number(0).text("a").bytes())),
              HasSubstr("unknown question"));
  EXPECT_THAT(error_of(wrapped(FrameWriter().number(1).byte(1).number(3).text("a").bytes())), HasSubstr("shares more"));
  EXPECT_THAT(error_of(wrapped(FrameWriter().number(0).byte(0).bytes())), HasSubstr("after its end"));
  EXPECT_THAT(error_of(wrapped(FrameWriter().number(1).byte(1).number(0).text(std::string(1, '\0')).bytes())),
              HasSubstr("zero byte"));
  const std::string unordered = FrameWriter().number(2).byte(1).number(0).text("b").byte(1).number(0).text("a").bytes();
  EXPECT_THAT(error_of(wrapped(unordered)), HasSubstr("not in order"));
  const std::string wasteful =
      FrameWriter().number(2).byte(1).number(0).text("ab").byte(1).number(0).text("ac").bytes();
  EXPECT_THAT(error_of(wrapped(wasteful)), HasSubstr("shortest form"));
}

TEST(PathSet, RefusesWhatIsPastTheLimit) {
  EXPECT_THAT(error_of(wrapped(std::string(PathSet::kMaxRawBytes + 1, 'x'))), HasSubstr("longer than a set may be"));
}

TEST(PathSet, RefusesNamesThatFrontCodingUnfoldsPastTheLimit) {
  FrameWriter out;
  const std::string name(1u << 20, 'x');
  out.number(100).byte(1).number(0).text(name);
  std::size_t length = name.size();
  for (int i = 1; i < 100; ++i) out.byte(1).number(length++).text("x");
  EXPECT_THAT(error_of(wrapped(out.bytes())), HasSubstr("longer than a set may have"));
}

TEST(PathSet, TakesLittleRoomWhenEncoded) {
  std::vector<Observation> many;
  for (int i = 0; i < 1200; ++i)
    many.push_back({Question::presence,
                    "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/header_" + std::to_string(i)});
  EXPECT_LT(PathSet(many).encode().size(), 8u * 1200);
}

// The probe's look decides the options of the steps, which their keys lack.
TEST(PathSet, OfARequestAsksForTheTerminalOnlyIfAStepPrintedSomething) {
  const auto probe = std::make_shared<const PathSet>(
      std::vector<Observation>{{Question::look, "2"}, {Question::look, "TERM"}, {Question::content, "/bin/clang"}});
  const auto silent = std::make_shared<const PathSet>(std::vector<Observation>{{Question::content, "a.hip"}});
  const auto printing = std::make_shared<const PathSet>(
      std::vector<Observation>{{Question::content, "a.hip"}, {Question::look_options, ""}});
  EXPECT_EQ(PathSet::of_request({probe, silent}).id(),
            PathSet({{Question::content, "/bin/clang"}, {Question::content, "a.hip"}}).id());
  EXPECT_EQ(PathSet::of_request({probe, silent, printing}).id(), PathSet({{Question::look, "2"},
                                                                          {Question::look, "TERM"},
                                                                          {Question::content, "/bin/clang"},
                                                                          {Question::content, "a.hip"}})
                                                                     .id());
}

}  // namespace
}  // namespace hipcache::inputs
