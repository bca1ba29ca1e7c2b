// Archives that are damaged, cut short, foreign, newer or malicious.
#include <gmock/gmock.h>

#include <random>

#include "remote/archive/transfer_fixture.h"
#include "remote/layout/values.h"

namespace hipcache::remote {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Damage : public TransferTest {
 protected:
  Damage() {
    put({.name = "device", .steps = {"gfx906"}, .size = 90'000}, from_);
    put({.name = "host", .steps = {"host"}}, from_);
    put({.name = "host", .steps = {"host"}, .state = "another state"}, from_);
    put({.name = "request", .steps = {"gfx906", "host"}, .place = "a.o"}, from_);
    good_ = exported(from_);
  }

  // What is in the store after an import, however it ended, is a part of what was exported.
  void expect_nothing_wrong(const support::MemoryStore& store) {
    for (const auto& [digest, bytes] : store.blobs) EXPECT_EQ(digest_of(bytes), digest);
    for (const auto& [key, value] : store.actions) {
      ASSERT_TRUE(from_.actions.contains(key));
      const bool is_result = cache::ActionResult::decode(value).ok();
      EXPECT_TRUE(!is_result || value == from_.actions[key]);
    }
  }

  // A success brings everything; anything else is an error of one line.
  void expect_whole_or_error(const std::string& bytes, const std::string& what) {
    support::MemoryStore store;
    const Result<Imported> done = import(bytes, store);
    expect_nothing_wrong(store);
    if (done) {
      EXPECT_EQ(store.actions, from_.actions) << what;
    } else {
      EXPECT_EQ(done.error().message.find('\n'), std::string::npos) << what;
    }
  }

  // The error of an archive with these entries.
  std::string error_of(const std::vector<std::pair<std::string, std::string>>& entries) {
    {
      const UniqueFd fd(open((scratch_ / "made").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      Result<ArchiveWriter> writer = ArchiveWriter::open(fd.get());
      EXPECT_TRUE(writer);
      for (const auto& [name, bytes] : entries) EXPECT_TRUE(writer->add(name, bytes));
      EXPECT_TRUE(writer->close());
    }
    const Result<Imported> done = import(support::read_bytes(scratch_ / "made"), to_);
    return done ? "no error" : done.error().message;
  }

  std::string good_;
};

TEST_F(Damage, OfASingleBitIsAnErrorOrHarmless) {
  std::mt19937 random(1);
  for (int round = 0; round < 1'500; ++round) {
    std::string bad = good_;
    const std::size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1u << random() % 8));
    expect_whole_or_error(bad, "bit at " + std::to_string(at));
  }
}

TEST_F(Damage, OfWholePiecesIsAnErrorOrHarmless) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    std::string bad = good_;
    const std::size_t at = random() % bad.size();
    const std::size_t length = 1 + random() % 600;
    if (round % 3 == 0) bad.erase(at, length);
    if (round % 3 == 1) bad.insert(at, std::string(length, static_cast<char>(random())));
    if (round % 3 == 2) bad.replace(at, length, bad.substr(random() % bad.size(), length));
    expect_whole_or_error(bad, "piece at " + std::to_string(at));
  }
}

TEST_F(Damage, ByCuttingItShortIsAnErrorWhereverItIs) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    support::MemoryStore store;
    const std::size_t length = round < 50 ? static_cast<std::size_t>(round) : random() % good_.size();
    const Result<Imported> done = import(good_.substr(0, length), store);
    // The last bytes may be a checksum or padding that says nothing.
    EXPECT_TRUE(!done || store.actions == from_.actions) << length;
    EXPECT_FALSE(done && length < good_.size() * 9 / 10) << length;
    expect_nothing_wrong(store);
  }
}

TEST_F(Damage, SaysWhatIsWrongAndWhatToDo) {
  const Result<Imported> cut = import(good_.substr(0, good_.size() / 2), to_);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, StartsWith("it is damaged"));
  EXPECT_THAT(cut.error().message, HasSubstr("; hipcache --export writes one"));
  const std::string value = encode_blob("x");
  EXPECT_EQ(error_of({{kFormatEntry, "1\n"}, {name_of_value({kBlobTable, digest_of("y")}), value}}),
            "it is damaged: a value is damaged: it does not match its digest; export it again");
}

TEST_F(Damage, ForeignFilesAreNamedAsSuch) {
  for (const std::string& bytes : {std::string(), std::string("hello"), std::string(100'000, '\0')}) {
    const Result<Imported> done = import(bytes, to_);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "it is damaged, or no archive of hipcache; hipcache --export writes one");
  }
  EXPECT_THAT(error_of({{"readme.txt", "hello"}}), HasSubstr("it is no archive of hipcache"));
  EXPECT_THAT(error_of({{kFormatEntry, "one\n"}}), HasSubstr("it is no archive of hipcache"));
}

TEST_F(Damage, ANewerFormatIsNamedWithTheMend) {
  EXPECT_EQ(error_of({{kFormatEntry, "2\n"}}),
            "it has format 2, and this hipcache reads format 1; use the hipcache that wrote it, or a newer one");
}

TEST_F(Damage, NoNameLeadsOutOfTheLayout) {
  const std::string hex = digest_of("x").hex();
  for (const std::string& name :
       {std::string("../../etc/passwd"), std::string("/etc/passwd"), "v1/b/../" + hex, "v1/b/zz/" + hex,
        "v1/x/" + hex.substr(0, 2) + "/" + hex, "v2/b/" + hex.substr(0, 2) + "/" + hex, "v1/b/00/" + hex + "0"})
    EXPECT_THAT(error_of({{kFormatEntry, "1\n"}, {name, "bytes"}}), HasSubstr("it has an entry that is no value"))
        << name;
  EXPECT_TRUE(to_.actions.empty() && to_.blobs.empty());
}

TEST_F(Damage, AnEndThatCountsOtherwiseIsAnError) {
  EXPECT_THAT(error_of({{kFormatEntry, "1\n"}, {kEndEntry, "1\n"}}), HasSubstr("it lacks values"));
  EXPECT_THAT(error_of({{kFormatEntry, "1\n"}}), HasSubstr("it ends early"));
  EXPECT_EQ(error_of({{kFormatEntry, "1\n"}, {kEndEntry, "0\n"}}), "no error");
}

TEST_F(Damage, AValueUnderAnotherKeyIsNotTaken) {
  const std::string value = encode_result(digest_of("right"), {.action = "action", .blobs = {}});
  EXPECT_THAT(error_of({{kFormatEntry, "1\n"}, {name_of_value({kResultTable, digest_of("wrong")}), value}}),
              HasSubstr("it does not match its digest"));
  EXPECT_THAT(error_of({{kFormatEntry, "1\n"}, {name_of_value({kBlobTable, digest_of("wrong")}), encode_blob("x")}}),
              HasSubstr("it does not match its digest"));
}

TEST_F(Damage, AResultThatNamesAPlaceOutsideOfARequestIsLeftOut) {
  const inputs::PathSet set(std::vector<inputs::Observation>{{inputs::Question::content, "/a.h"}});
  cache::ActionResult result;
  result.outputs = {{.name = "object", .blob = digest_of("x"), .size = 1, .place = "../../.profile"}};
  const Digest key = digest_of("key");
  const Digest result_key = digest_of("result");
  EXPECT_EQ(error_of({{kFormatEntry, "1\n"},
                      {name_of_value({kResultTable, result_key}),
                       encode_result(result_key, {.action = result.encode(), .blobs = {{digest_of("x"), "x"}}})},
                      {name_of_value({kListTable, key}),
                       encode_list(key, {{set.id(), set.encode(), {protocol::remote_tag(result_key)}}})},
                      {kEndEntry, "2\n"}}),
            "no error");
  EXPECT_TRUE(to_.actions.empty());
}

TEST_F(Damage, ResultsWithoutAListAreAnErrorWithinBounds) {
  std::vector<std::pair<std::string, std::string>> entries{{kFormatEntry, "1\n"}};
  for (int at = 0; at < 200; ++at) {
    const Digest key = digest_of(std::to_string(at));
    entries.emplace_back(name_of_value({kResultTable, key}), encode_result(key, {.action = "action", .blobs = {}}));
  }
  EXPECT_THAT(error_of(entries), HasSubstr("it has more results than a list names"));
}

}  // namespace
}  // namespace hipcache::remote
