// Miss histories that other machines read in shared caches.
#include "hipcache/cache/miss_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

#include "hipcache/inputs/frames.h"
#include "support/memory_store.h"

namespace hipcache::cache {
namespace {

using inputs::PathSet;
using inputs::Question;
using testing::ElementsAre;

// Keeps what is published as a server does, with the blobs of the machine that published it.
class Server : public RemoteResults {
 public:
  std::vector<std::shared_ptr<const RemoteList>> lists(std::span<const ListName> names) override {
    std::vector<std::shared_ptr<const RemoteList>> all;
    for (const ListName& name : names) {
      ++round_trips;
      const auto found = known.find(name.key);
      all.push_back(found == known.end() ? nullptr : std::make_shared<const RemoteList>(found->second));
    }
    return all;
  }
  std::vector<std::optional<RemoteResult>> results(std::span<const Digest> keys) override {
    round_trips += keys.empty() ? 0 : 1;
    std::vector<std::optional<RemoteResult>> all;
    for (const Digest& key : keys) all.push_back(values.contains(key) ? std::optional(values.at(key)) : std::nullopt);
    return all;
  }
  std::vector<std::optional<std::string>> blobs(std::span<const RemoteBlobName> names) override {
    std::vector<std::optional<std::string>> all;
    for (const RemoteBlobName& name : names)
      all.push_back(large.contains(name.digest) ? std::optional(large.at(name.digest)) : std::nullopt);
    return all;
  }
  void publish(Publication publication) override {
    RemoteList& list = known[publication.key];
    std::erase_if(list.sets, [&](const RemotePathSet& set) { return set.id == publication.set; });
    list.sets.insert(list.sets.begin(),
                     {publication.set, publication.questions(), {remote_tag(publication.result_key)}});
    RemoteResult& value = values[publication.result_key];
    value = {.tier = "server", .action = publication.action, .blobs = {}};
    for (const RemoteBlobName& blob : publication.blobs) {
      const std::string bytes = *machine->blob(blob.digest).value();
      EXPECT_EQ(bytes.size(), blob.size);
      if (keeps_blobs_apart)
        large[blob.digest] = bytes;
      else
        value.blobs.emplace_back(blob.digest, bytes);
    }
  }

  support::MemoryStore* machine = nullptr;
  bool keeps_blobs_apart = false;
  std::map<Digest, RemoteList> known;
  std::map<Digest, RemoteResult> values;
  std::map<Digest, std::string> large;
  int round_trips = 0;
};

class SharedHistoryTest : public testing::Test {
 protected:
  SharedHistoryTest() { server_.machine = &store_; }

  HistoryEntry entry(const std::string& argument) {
    HistoryEntry entry;
    entry.object = "/build/a.o";
    entry.of_source = digest_of("a.cpp");
    entry.request.arguments = {argument};
    entry.request.archs = {"gfx906"};
    entry.observed.set = std::make_shared<const PathSet>(set_);
    entry.observed.blob = *store_.put_blob(set_.encode());
    entry.observed.answered.resize(set_.observations().size() + 1);
    return entry;
  }
  void record(const HistoryEntry& entry) { ASSERT_TRUE(MissHistory(store_, log_, &server_).record(output_, entry)); }
  void record(const std::string& argument) { record(entry(argument)); }

  // As a machine with an empty store reads them.
  std::vector<HistoryEntry> fetched() {
    support::MemoryStore empty;
    return MissHistory(empty, log_, &server_).shared_entries(output_);
  }
  std::vector<std::string> arguments() {
    std::vector<std::string> all;
    for (const HistoryEntry& one : fetched()) all.push_back(one.request.arguments.front());
    return all;
  }

  support::MemoryStore store_;
  Log log_;
  Server server_;
  const Digest output_ = digest_of("a.o");
  const PathSet set_{{{Question::content, "a.h"}, {Question::variable, "CPATH"}}};
};

TEST_F(SharedHistoryTest, IsReadByAMachineThatNeverCompiledTheOutput) {
  record("-O2");
  const std::vector<HistoryEntry> entries = fetched();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].encode(), entry("-O2").encode());
  ASSERT_NE(entries[0].observed.set, nullptr);
  EXPECT_EQ(entries[0].observed.set->id(), set_.id());
}

TEST_F(SharedHistoryTest, CostsOneRoundTripWhereThereIsNoneAndTwoElse) {
  EXPECT_TRUE(fetched().empty());
  EXPECT_EQ(server_.round_trips, 1);
  record("-O2");
  EXPECT_EQ(fetched().size(), 1u);
  EXPECT_EQ(server_.round_trips, 3);
}

TEST_F(SharedHistoryTest, HasTheNewestCompileOfEachCommandTheNewestCommandFirst) {
  record("-O1");
  record("-O2");
  HistoryEntry again = entry("-O1");
  again.request.cuid = "another";
  record(again);
  EXPECT_THAT(arguments(), ElementsAre("-O1", "-O2"));
  EXPECT_EQ(fetched().front().request.cuid, "another");
  for (const char* more : {"-O3", "-Os", "-Oz"}) record(more);
  EXPECT_THAT(arguments(), ElementsAre("-Oz", "-Os", "-O3", "-O1"));
}

TEST_F(SharedHistoryTest, KeepsJobsOfTwoArchitecturesApart) {
  record("-O2");
  HistoryEntry other = entry("-O2");
  other.request.archs = {"gfx90a"};
  record(other);
  EXPECT_EQ(fetched().size(), 2u);
}

TEST_F(SharedHistoryTest, IsReadWhereTheServerKeepsLargeBlobsApart) {
  server_.keeps_blobs_apart = true;
  record("-O2");
  ASSERT_EQ(fetched().size(), 1u);
  EXPECT_NE(fetched().front().observed.set, nullptr);
}

TEST_F(SharedHistoryTest, OfARunThatCouldNotBeStoredHasNoQuestions) {
  HistoryEntry refused = entry("-O2");
  refused.observed = {};
  refused.steps = {{.label = "compile", .refusal = "clock"}};
  record(refused);
  ASSERT_EQ(fetched().size(), 1u);
  EXPECT_EQ(fetched().front().steps, refused.steps);
}

TEST_F(SharedHistoryTest, StaysAtHomeWhereItIsTooLarge) {
  HistoryEntry large = entry("-O2");
  large.request.arguments.emplace_back(kMaxSharedHistoryBytes, 'x');
  record(large);
  EXPECT_TRUE(server_.values.empty());
  EXPECT_EQ(MissHistory(store_, log_).entries(output_).size(), 1u) << "the machine itself keeps it";
}

TEST_F(SharedHistoryTest, LeavesOutWhatIsDamaged) {
  record("-O1");
  record("-O2");
  const Digest damaged = history_publication(output_, entry("-O2"), {digest_of("entry"), 1})->result_key;
  ASSERT_TRUE(server_.values.contains(damaged));
  server_.values[damaged].blobs.front().second += "x";
  EXPECT_THAT(arguments(), ElementsAre("-O1"));
  server_.values[damaged].action = "HCMH and more";
  EXPECT_THAT(arguments(), ElementsAre("-O1"));
  server_.values.clear();
  EXPECT_TRUE(arguments().empty());
}

TEST_F(SharedHistoryTest, RefusesAnythingButTheExactForm) {
  const std::string good = history_publication(output_, entry("-O2"), {digest_of("entry"), 1})->action;
  ASSERT_TRUE(decode_shared_history(good));
  EXPECT_FALSE(decode_shared_history(good + "x"));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(decode_shared_history(good.substr(0, length))) << "cut to " << length;
  inputs::FrameWriter claims;
  claims.raw(good.substr(0, 5)).raw(digest_of("entry").bytes()).number(kMaxSharedHistoryBytes + 1);
  claims.raw(digest_of("set").bytes()).number(0);
  EXPECT_FALSE(decode_shared_history(claims.bytes())) << "a blob larger than the limit is never asked for";
}

TEST_F(SharedHistoryTest, ComesOutOfAnArchiveForTheOutputAndForTheSource) {
  record("-O2");
  const Publication shared = *history_publication(output_, entry("-O2"), {digest_of(entry("-O2").encode()), 1});
  support::MemoryStore other;
  MissHistory imported(other, log_);
  EXPECT_FALSE(*imported.accept(output_, shared.action)) << "its blobs are not there";
  other.blobs = store_.blobs;
  EXPECT_TRUE(*imported.accept(output_, shared.action));
  EXPECT_EQ(imported.entries(output_).size(), 1u);
  EXPECT_EQ(imported.entries(digest_of("a.cpp")).size(), 1u);
  const unsigned writes = other.action_writes;
  EXPECT_TRUE(*imported.accept(output_, shared.action));
  EXPECT_EQ(other.action_writes, writes) << "what is there already is not written again";
  EXPECT_FALSE(*imported.accept(output_, "HCMH"));
}

}  // namespace
}  // namespace hipcache::cache
