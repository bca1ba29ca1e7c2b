#include "hipcache/cache/miss_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "support/memory_store.h"

namespace hipcache::cache {
namespace {

using inputs::Answer;
using inputs::PathSet;
using inputs::Question;
using testing::HasSubstr;

HistoryEntry some_entry() {
  HistoryEntry entry;
  entry.object = "/build/a.o";
  entry.of_source = digest_of("a.hip");
  entry.request = {.compiler = "/usr/bin/clang++",
                   .arguments = {"clang++", "-c", "", "a\nb.hip"},
                   .archs = {"gfx1030", "gfx906"},
                   .working_directory = "/build",
                   .logical_directory = "/link",
                   .cuid = "0123456789abcdef"};
  entry.steps = {{.label = "probe", .key = {digest_of("probe")}, .set = digest_of("set")},
                 {.label = "device gfx906",
                  .key = {digest_of("device")},
                  .programs = {"/bin/clang", "/bin/lld"},
                  .arguments = {{"-cc1", "-O2"}, {"-shared"}},
                  .inputs = {digest_of("one"), digest_of("two")},
                  .refusal = "clock",
                  .detail = "/a.h"}};
  entry.observed.blob = digest_of("blob");
  entry.observed.answered = {{Answer::digest, 0x1122334455667788}, {Answer::unset, 0}, {Answer::text, 7}};
  return entry;
}

void expect_equal(const HistoryEntry& left, const HistoryEntry& right) {
  EXPECT_EQ(left.object, right.object);
  EXPECT_EQ(left.of_source, right.of_source);
  EXPECT_EQ(left.request, right.request);
  EXPECT_EQ(left.steps, right.steps);
  EXPECT_EQ(left.observed.blob, right.observed.blob);
  EXPECT_EQ(left.observed.answered, right.observed.answered);
}

TEST(HistoryEntry, ComesBackFromItsEncodedForm) {
  const Result<HistoryEntry> back = HistoryEntry::decode(some_entry().encode());
  ASSERT_TRUE(back) << back.error().message;
  expect_equal(*back, some_entry());
  EXPECT_TRUE(HistoryEntry::decode(HistoryEntry().encode()));
}

TEST(HistoryEntry, FindsItsStepsByName) {
  const HistoryEntry entry = some_entry();
  ASSERT_NE(entry.step("device gfx906"), nullptr);
  EXPECT_EQ(entry.step("device gfx906")->refusal, "clock");
  EXPECT_EQ(entry.step("host"), nullptr);
}

TEST(HistoryEntry, IsRefusedWhereverItIsCutShort) {
  const std::string bytes = some_entry().encode();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(HistoryEntry::decode(std::string_view(bytes).substr(0, length))) << "cut to " << length;
  EXPECT_THAT(HistoryEntry::decode("\x01").error().message, HasSubstr("another version"));
}

TEST(HistoryEntry, SurvivesRandomBytes) {
  const std::string good = some_entry().encode();
  std::mt19937 random(20240611);
  unsigned refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    for (unsigned change = 1 + random() % 3; change > 0; --change)
      bad[1 + random() % (bad.size() - 1)] = static_cast<char>(random());
    if (random() % 4 == 0) bad.resize(1 + random() % bad.size());
    const Result<HistoryEntry> entry = HistoryEntry::decode(bad);
    if (!entry) {
      ++refused;
      EXPECT_THAT(entry.error().message, HasSubstr("miss history: "));
    } else {
      expect_equal(*HistoryEntry::decode(entry->encode()), *entry);
    }
  }
  EXPECT_GT(refused, 1'000u);
}

class HistoryTest : public testing::Test {
 protected:
  // With a path set that is stored, asked for with `argument`.
  HistoryEntry entry(const std::string& argument) {
    HistoryEntry entry;
    entry.request.arguments = {argument};
    entry.observed.blob = *store_.put_blob(set_.encode());
    entry.observed.answered.resize(set_.observations().size() + 1);
    return entry;
  }
  void record(const std::string& argument) {
    const Status recorded = history_.record(output_, entry(argument));
    ASSERT_TRUE(recorded) << recorded.error().message;
  }
  // The arguments that tell the entries apart, newest first; read as after a
  // restart.
  std::vector<std::string> recorded() {
    std::vector<std::string> all;
    for (const HistoryEntry& one : MissHistory(store_, log_).entries(output_))
      all.push_back(one.request.arguments.front());
    return all;
  }

  support::MemoryStore store_;
  Log log_;
  MissHistory history_{store_, log_};
  const Digest output_ = digest_of("a.o");
  const PathSet set_{{{Question::content, "a.h"}, {Question::variable, "CPATH"}}};
};

TEST_F(HistoryTest, OfAnUnknownOutputIsEmpty) { EXPECT_TRUE(history_.entries(output_).empty()); }

TEST_F(HistoryTest, GivesTheNewestFirstAndNoMoreThanItsLimit) {
  for (int i = 0; i < 6; ++i) record(std::to_string(i));
  EXPECT_THAT(recorded(), testing::ElementsAre("5", "4", "3", "2"));
  static_assert(kMaxHistoryEntries == 4);
}

TEST_F(HistoryTest, TakesAnEqualEntryForTheSameThatIsNewAgain) {
  for (const char* argument : {"1", "2", "1"}) record(argument);
  EXPECT_THAT(recorded(), testing::ElementsAre("1", "2"));
}

TEST_F(HistoryTest, KeepsOutputsApart) {
  record("1");
  EXPECT_TRUE(history_.entries(digest_of("b.o")).empty());
}

TEST_F(HistoryTest, GivesThePathSetThatTheAnswersBelongTo) {
  record("1");
  const std::vector<HistoryEntry> entries = history_.entries(output_);
  ASSERT_EQ(entries.size(), 1u);
  ASSERT_NE(entries[0].observed.set, nullptr);
  EXPECT_EQ(entries[0].observed.set->id(), set_.id());
}

TEST_F(HistoryTest, GivesNoPathSetThatIsLostOrDoesNotGoWithTheAnswers) {
  record("1");
  store_.blobs.erase(digest_of(set_.encode()));
  EXPECT_EQ(history_.entries(output_).at(0).observed.set, nullptr);
  HistoryEntry other = entry("2");
  other.observed.answered.pop_back();
  ASSERT_TRUE(history_.record(output_, other));
  EXPECT_EQ(history_.entries(output_).at(0).observed.set, nullptr);
}

TEST_F(HistoryTest, GoesOnWithoutAnEntryThatIsLostOrDamaged) {
  for (const char* argument : {"1", "2", "3"}) record(argument);
  store_.blobs.erase(digest_of(entry("2").encode()));
  store_.blobs[digest_of(entry("3").encode())] = "damaged";
  EXPECT_THAT(recorded(), testing::ElementsAre("1"));
}

TEST_F(HistoryTest, IsEmptyOrShorterWhereItsListIsDamaged) {
  for (const char* argument : {"1", "2"}) record(argument);
  const std::string list = store_.actions[output_];
  for (std::size_t length = 0; length < list.size(); ++length) {
    store_.actions[output_] = list.substr(0, length);
    EXPECT_LE(recorded().size(), 1u) << "cut to " << length;
  }
  store_.actions[output_] = "\x01" + list.substr(1);
  EXPECT_TRUE(recorded().empty());
}

TEST_F(HistoryTest, KeepsWhatItHasInsteadOfAnEntryThatNobodyCouldRead) {
  record("1");
  HistoryEntry large = entry("2");
  large.request.arguments.emplace_back(kMaxHistoryBytes, 'x');
  EXPECT_FALSE(HistoryEntry::decode(large.encode()));
  const auto blobs = store_.blobs.size();
  for (std::size_t i = 0; i < kMaxHistoryEntries; ++i) {
    large.request.cuid = std::to_string(i);
    EXPECT_TRUE(history_.record(output_, large));
  }
  EXPECT_EQ(store_.blobs.size(), blobs);
  EXPECT_THAT(recorded(), testing::ElementsAre("1"));
}

// Whatever is kept is read again, up to the limit.
TEST_F(HistoryTest, ReadsTheLargestEntryThatItKeeps) {
  HistoryEntry large = entry("1");
  large.request.cuid.assign(kMaxHistoryBytes - large.encode().size() - 16, 'x');
  const std::size_t left = kMaxHistoryBytes - large.encode().size();
  large.request.cuid.append(left, 'x');
  ASSERT_EQ(large.encode().size(), kMaxHistoryBytes);
  ASSERT_TRUE(history_.record(output_, large));
  EXPECT_THAT(recorded(), testing::ElementsAre("1"));
}

TEST_F(HistoryTest, IsEmptyWhileTheStoreIsBroken) {
  record("1");
  store_.broken = true;
  EXPECT_TRUE(history_.entries(output_).empty());
  EXPECT_FALSE(history_.record(output_, HistoryEntry()));
}

TEST_F(HistoryTest, KeepsItsListWhenOneReadOfItFails) {
  class FailsOnce : public support::MemoryStore {
   public:
    Result<std::optional<std::string>> action(const Digest& key) override {
      if (std::exchange(fails, false)) return Error{"store: a read fails"};
      return MemoryStore::action(key);
    }
    bool fails = false;
  } store;
  MissHistory history(store, log_);
  const auto put = store.put_blob(set_.encode());
  ASSERT_TRUE(put);
  ASSERT_TRUE(history.record(output_, entry("1")));
  store.fails = true;
  EXPECT_FALSE(history.record(output_, entry("2")));
  EXPECT_EQ(history.entries(output_).size(), 1u);
}

}  // namespace
}  // namespace hipcache::cache
