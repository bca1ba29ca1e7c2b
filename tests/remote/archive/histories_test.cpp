// Miss histories go with the results of an archive.
#include <gmock/gmock.h>

#include <random>

#include "remote/archive/transfer_fixture.h"
#include "remote/trust/keys.h"

namespace hipcache::remote {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Histories : public TransferTest {
 protected:
  static Digest name_of(const std::string& object) { return digest_of("history of " + object); }

  void record(const std::string& object, const std::string& argument, std::vector<std::string> archs = {},
              std::size_t more = 0) {
    const inputs::PathSet set({{inputs::Question::content, "/src/" + object + ".h"}});
    cache::HistoryEntry entry;
    entry.object = object;
    entry.of_source = digest_of("source of " + object);
    entry.request.arguments = {argument, std::string(more, 'x')};
    std::mt19937 random(static_cast<unsigned>(object.size()));
    for (char& letter : entry.request.arguments.back()) letter = static_cast<char>(random());  // cannot be packed
    entry.request.archs = std::move(archs);
    entry.observed.blob = *from_.put_blob(set.encode());
    entry.observed.answered.resize(2);
    ASSERT_TRUE(cache::MissHistory(from_, log_).record(name_of(object), entry));
  }

  // What a store says of the object: the arguments of its compiles, of those with their questions.
  std::vector<std::string> compiles(const std::string& object, support::MemoryStore& store) {
    std::vector<std::string> all;
    for (const cache::HistoryEntry& entry : cache::MissHistory(store, log_).entries(name_of(object)))
      if (entry.observed.set != nullptr) all.push_back(entry.request.arguments.front());
    return all;
  }
  std::vector<std::string> imported(const std::string& object) { return compiles(object, to_); }

  protocol::RemoteTally carry(const protocol::RemoteSelect& select = {}, std::uint64_t max_bytes = 0) {
    const Result<Imported> done = import(exported(from_, select, max_bytes), to_);
    EXPECT_TRUE(done) << done.error().message;
    return done ? done->tally : protocol::RemoteTally();
  }
};

TEST_F(Histories, GoWithTheResultsAndAreNotCountedAmongThem) {
  put({.name = "a"}, from_);
  record("a.o", "-O1");
  record("a.o", "-O2");
  const Result<Exported> out = export_from(from_, "file");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->results, 1u);
  EXPECT_EQ(out->selected, 1u);
  const protocol::RemoteTally tally = carry();
  EXPECT_EQ(tally.results, 1u);
  EXPECT_EQ(tally.left_out + tally.known, 0u);
  EXPECT_THAT(imported("a.o"), ElementsAre("-O2", "-O1")) << "the newest first, as they were";
  EXPECT_EQ(cache::MissHistory(to_, log_).entries(digest_of("source of a.o")).size(), 2u);
}

TEST_F(Histories, OfAStoreAreOneWithThoseThatAreImported) {
  record("a.o", "-O1");
  const std::string bytes = exported(from_);
  record("a.o", "-O2");
  ASSERT_TRUE(import(bytes, from_));
  EXPECT_THAT(compiles("a.o", from_), ElementsAre("-O2", "-O1"));
}

TEST_F(Histories, OfOtherArchitecturesStayBehind) {
  record("a.o", "-O1", {"gfx906", "gfx1030"});
  record("b.o", "-O1", {"gfx1030"});
  record("c.o", "-O1");
  carry({.archs = {"gfx906"}});
  EXPECT_THAT(imported("a.o"), ElementsAre("-O1"));
  EXPECT_THAT(imported("b.o"), IsEmpty());
  EXPECT_THAT(imported("c.o"), ElementsAre("-O1"));
}

TEST_F(Histories, ThatWereNotUsedSinceThenStayBehind) {
  record("a.o", "-O1");
  record("b.o", "-O1");
  from_.last_uses[name_of("b.o")] = 5;
  carry({.used_since = 5});
  EXPECT_THAT(imported("a.o"), IsEmpty());
  EXPECT_THAT(imported("b.o"), ElementsAre("-O1"));
}

TEST_F(Histories, TakeNoMoreThanTheirShareOfALimit) {
  constexpr std::uint64_t kLimit = 4u << 20;
  put({.name = "a", .size = 1000}, from_);
  for (int at = 0; at < 40; ++at) record(std::to_string(at) + ".o", "-O1", {}, 50'000);
  const Result<Exported> out = export_from(from_, "limited", {}, kLimit);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->results, 1u) << "the result has room";
  EXPECT_FALSE(out->is_limited);
  carry({}, kLimit);
  int carried = 0;
  for (int at = 0; at < 40; ++at) carried += imported(std::to_string(at) + ".o").empty() ? 0 : 1;
  EXPECT_GT(carried, 0);
  EXPECT_LT(carried, 10) << "a sixteenth of the limit holds five";
  carry();
  for (int at = 0; at < 40; ++at) EXPECT_THAT(imported(std::to_string(at) + ".o"), ElementsAre("-O1")) << at;
}

TEST_F(Histories, OfAStrangerAreRefusedAndNotCounted) {
  put({.name = "a"}, from_);
  record("a.o", "-O1");
  const std::string unsigned_ones = exported(from_);
  settings_.trusted_keys = {kFirstKey};
  const Result<Imported> done = import(unsigned_ones, to_);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->not_signed, 1u) << "the result";
  EXPECT_THAT(imported("a.o"), IsEmpty());
}

TEST_F(Histories, OfAFriendAreTaken) {
  record("a.o", "-O1");
  settings_.trusted_keys = {kFirstKey};
  settings_.signing_key = write_key(scratch_, "key.pem", kFirstSeed);
  carry();
  EXPECT_THAT(imported("a.o"), ElementsAre("-O1"));
}

TEST_F(Histories, StayAtHomeIfTheSettingSaysSo) {
  put({.name = "a"}, from_);
  record("a.o", "-O1");
  settings_.share_history = false;
  EXPECT_EQ(carry().results, 1u);
  EXPECT_THAT(imported("a.o"), IsEmpty());
}

}  // namespace
}  // namespace hipcache::remote
