#include "hipcache/inputs/answer_fingerprints.h"

#include <gmock/gmock.h>

#include <random>

#include "inputs/state_fixture.h"

namespace hipcache::inputs {
namespace {

using testing::HasSubstr;

class AnswerFingerprintsTest : public StateFixture {
 protected:
  Answered tell(const PathSet& set) {
    Answered answered;
    file_system_.state(set, here(), nullptr, &answered);
    return answered;
  }
  AnswerFingerprint tell(Question question, const std::string& name) {
    return tell(PathSet({{question, name}})).front();
  }
};

std::string encoded(const Answered& answered) {
  FrameWriter out;
  add_answered(out, answered);
  return std::move(out).bytes();
}

Result<Answered> decoded(const std::string& bytes) {
  FrameReader in(bytes);
  return next_answered(in);
}

Answered some_answers() {
  return {{Answer::digest, 0x0123456789abcdef},
          {Answer::absent, 0},
          {Answer::error, 13},
          {Answer::executable, 0},
          {Answer::unset, 0},
          {Answer::text, ~0ull}};
}

TEST_F(AnswerFingerprintsTest, OfInstalledContentTheFirst16BitsAreKept) {
  const PathSet set(
      {{Question::content, "/opt/rocm/a.h"}, {Question::content, "/src/a.h"}, {Question::tokens, "/usr/b.h"}});
  const Answered whole{
      {Answer::digest, 0x0123456789abcdef}, {Answer::digest, 1}, {Answer::digest, 2}, {Answer::digest, 3}};
  Answered kept = whole;
  shorten(kept, set);
  EXPECT_EQ(kept.front(), (AnswerFingerprint{Answer::digest_start, 0x0123ull << 48}));
  EXPECT_EQ(Answered(kept.begin() + 1, kept.end()), Answered(whole.begin() + 1, whole.end()));
  EXPECT_EQ(encoded(kept).size() + 6, encoded(whole).size());
  EXPECT_EQ(*decoded(encoded(kept)), kept);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(is_same(whole[i], kept[i])) << i;
  EXPECT_FALSE(is_same({Answer::digest, 0x0124ull << 48}, kept.front()));
  EXPECT_FALSE(is_same({Answer::absent, 0}, kept.front()));
  EXPECT_FALSE(is_same({Answer::digest, 1}, whole[2]));
}

TEST_F(AnswerFingerprintsTest, OneAnswerIsToldForEachObservationInItsOrderAndOneForTheTwins) {
  write("a.h", "A");
  directory("d");
  const PathSet set({{Question::presence, at("d")}, {Question::content, at("a.h")}, {Question::variable, "CPATH"}});
  const Answered answered = tell(set);
  ASSERT_EQ(answered.size(), 4u);
  EXPECT_EQ(answered[0].kind, Answer::digest);
  EXPECT_EQ(answered[1].kind, Answer::directory);
  EXPECT_EQ(answered[2].kind, Answer::unset);
}

TEST_F(AnswerFingerprintsTest, TheStateIsTheSameWhetherAnswersAreToldOrNot) {
  write("a.h", "A");
  const PathSet set({{Question::presence, at("b.h")}, {Question::content, at("a.h")}});
  Answered answered;
  EXPECT_EQ(file_system_.state(set, here()), file_system_.state(set, here(), nullptr, &answered));
}

TEST_F(AnswerFingerprintsTest, AFileIsToldByTheBeginningOfItsContentsDigest) {
  write("a.h", "A");
  const AnswerFingerprint answer = tell(Question::content, at("a.h"));
  EXPECT_EQ(answer.fingerprint, digest_of("A").prefix());
}

TEST_F(AnswerFingerprintsTest, OnlyTheAnswerThatChangedDiffers) {
  write("a.h", "A");
  write("b.h", "B");
  const PathSet set({{Question::content, at("a.h")}, {Question::content, at("b.h")}, {Question::presence, at("c.h")}});
  const Answered before = tell(set);
  write("b.h", "other");
  let_stamps_settle();
  const Answered after = tell(set);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NE(after[1], before[1]);
  EXPECT_EQ(after[2], before[2]);
  EXPECT_EQ(after[3], before[3]);
}

TEST_F(AnswerFingerprintsTest, ALinkIsToldByItsTarget) {
  link("l", "one");
  const AnswerFingerprint before = tell(Question::link, at("l"));
  retarget("l", "two");
  EXPECT_EQ(before.kind, Answer::text);
  EXPECT_NE(tell(Question::link, at("l")), before);
}

TEST_F(AnswerFingerprintsTest, OfAVariablesValueSixteenBitsAreTold) {
  environment_ = {"SECRET=hunter2"};
  const AnswerFingerprint answer = tell(Question::variable, "SECRET");
  EXPECT_EQ(answer.kind, Answer::digest);
  EXPECT_EQ(answer.fingerprint, digest_of("hunter2").prefix() >> 48);
  environment_ = {"SECRET=hunter3"};
  EXPECT_NE(tell(Question::variable, "SECRET"), answer);
}

TEST_F(AnswerFingerprintsTest, NamesOfOneFileDifferFromCopiesInTheLastAnswerAlone) {
  write("a.h", "A");
  write("b.h", "A");
  const PathSet set({{Question::content, at("a.h")}, {Question::content, at("b.h")}});
  const Answered copies = tell(set);
  remove("b.h");
  ASSERT_EQ(::link(at("a.h").c_str(), at("b.h").c_str()), 0);
  let_stamps_settle();
  const Answered one_file = tell(set);
  EXPECT_EQ(one_file[0], copies[0]);
  EXPECT_EQ(one_file[1], copies[1]);
  EXPECT_NE(one_file[2], copies[2]);
}

TEST(Answered, ComeBackFromTheirEncodedForm) {
  const Result<Answered> back = decoded(encoded(some_answers()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, some_answers());
  EXPECT_TRUE(decoded(encoded({})).value().empty());
}

TEST(Answered, HaveTheBytesThatAreWrittenDown) {
  EXPECT_EQ(encoded({{Answer::absent, 0}, {Answer::digest, 0x6162636465666768}}),
            "\x02\x01\x08"
            "abcdefgh");
}

TEST(Answered, AreRefusedWhereverTheyAreCutShort) {
  const std::string bytes = encoded(some_answers());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decoded(bytes.substr(0, length))) << "cut to " << length;
}

TEST(Answered, SayWhatIsWrongWithDamagedBytes) {
  EXPECT_THAT(decoded(FrameWriter().number(1'000'002).bytes()).error().message, HasSubstr("more are claimed"));
  EXPECT_THAT(decoded(FrameWriter().number(1).byte(15).bytes()).error().message, HasSubstr("unknown kind"));
}

TEST(Answered, SurviveRandomDamage) {
  const std::string good = encoded(some_answers());
  std::mt19937 random(20240611);
  unsigned refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    bad[random() % bad.size()] = static_cast<char>(random());
    const Result<Answered> answered = decoded(bad);
    if (!answered) {
      ++refused;
    } else {
      EXPECT_LE(encoded(*answered).size(), bad.size());
    }
  }
  EXPECT_GT(refused, 1'000u);
}

}  // namespace
}  // namespace hipcache::inputs
