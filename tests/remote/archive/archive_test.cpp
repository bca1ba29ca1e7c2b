// Results and miss histories go from one store to another through an archive. Archives are signed, and their signatures
// are checked, as those of shared caches. Archives that are damaged, cut short, foreign, newer or malicious harm
// nothing.
#include "remote/archive/archive.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "daemon/remote/archive_sessions.h"
#include "daemon/remote/remote_cache.h"
#include "hipcache/base/files.h"
#include "hipcache/cache/exchange.h"
#include "hipcache/config/values.h"
#include "hipcache/inputs/path_set.h"
#include "remote/archive/archive_file.h"
#include "remote/layout/values.h"
#include "remote/trust/keys.h"
#include "remote/trust/trust.h"
#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Two stores in memory, an archive between them, and the daemon's and the program's real code on a socket pair.
class TransferTest : public testing::Test {
 protected:
  using Serve = void (*)(protocol::Channel&, const daemon::Exchange&);

  // Runs the program's side against a daemon that has the store and was started with `settings_`.
  template <typename Program>
  auto with_daemon(Serve serve, store::LocalStore& store, const Program& program) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    std::thread daemon([&] {
      protocol::Channel channel((UniqueFd(ends[0])));
      cache::MissHistory history(store, log_);
      serve(channel, {store, history, settings_, log_});
    });
    auto result = [&] {
      protocol::Channel channel((UniqueFd(ends[1])));
      return program(channel);
    }();
    daemon.join();
    return result;
  }

  Result<Exported> export_from(store::LocalStore& store, const std::string& file,
                               const protocol::RemoteSelect& select = {}, std::uint64_t max_bytes = 0) {
    const UniqueFd fd(open((scratch_ / file).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    return with_daemon(daemon::serve_export, store,
                       [&](protocol::Channel& channel) { return write_archive(channel, select, fd.get(), max_bytes); });
  }

  // The bytes of the archive; the export must succeed.
  std::string exported(store::LocalStore& store, const protocol::RemoteSelect& select = {},
                       std::uint64_t max_bytes = 0) {
    const Result<Exported> done = export_from(store, "exported", select, max_bytes);
    EXPECT_TRUE(done) << done.error().message;
    return support::read_bytes(scratch_ / "exported");
  }

  Result<Imported> import(const std::string& bytes, store::LocalStore& store) {
    const UniqueFd fd(open(scratch_.write("imported", bytes).c_str(), O_RDONLY | O_CLOEXEC));
    return with_daemon(daemon::serve_import, store,
                       [&](protocol::Channel& channel) { return read_archive(channel, fd.get()); });
  }

  struct Made {
    std::string name;                // of the action, and in all its bytes
    std::vector<std::string> steps;  // architectures and others
    std::size_t size = 100;          // of its object
    std::string place;               // where the object goes
    std::uint32_t last_use = 1;
    std::string state = "state";
    std::string header = "a.h";
    std::optional<cache::Trust> trust{};  // under which the store keeps it
  };

  // Puts a result as a compile would. Returns its key.
  Digest put(const Made& made, support::MemoryStore& store) {
    std::string object(made.size, 'x');
    for (std::size_t at = 0; at < object.size(); ++at)
      object[at] = static_cast<char>((at * 2654435761u >> 7) ^ made.name[at % made.name.size()] ^ made.state.back());
    object.insert(0, made.name + made.state);
    const auto set = std::make_shared<const inputs::PathSet>(
        std::vector<inputs::Observation>{{inputs::Question::content, "/src/" + made.header}});
    cache::ActionResult result;
    result.outputs = {{.name = "object", .blob = digest_of(object), .size = object.size(), .place = made.place}};
    result.steps = made.steps;
    const std::unique_ptr<store::Lease> lease = store.lease();
    EXPECT_TRUE(cache::accept_blob(digest_of(object), object, store, *lease));
    const Digest key = digest_of(made.name);
    const Digest result_key = digest_of(made.name + made.state + made.header);
    const Result<cache::Accepted> accepted =
        cache::accept({key, result_key, set->id(), set->encode(), result.encode()}, made.trust, store, *lease);
    EXPECT_TRUE(accepted && *accepted == cache::Accepted::stored);
    store.last_uses[result_key] = made.last_use;
    return result_key;
  }

  support::Scratch scratch_;
  support::MemoryStore from_, to_;
  config::Settings settings_;  // of the daemons
  Log log_;
};

constexpr std::size_t kLarge = 100'000;  // has a value of its own

class Transfer : public TransferTest {
 protected:
  void fill() {
    put({.name = "device a", .steps = {"gfx906"}, .size = kLarge}, from_);
    put({.name = "device b", .steps = {"gfx90a:xnack+"}}, from_);
    put({.name = "request", .steps = {"gfx906", "gfx90a:xnack+", "bundle", "host"}, .place = "dir/a.o"}, from_);
    put({.name = "host", .steps = {"host"}, .size = kLarge + 1}, from_);
    put({.name = "opaque"}, from_);
    put({.name = "host", .steps = {"host"}, .last_use = 2, .state = "another state"}, from_);
    put({.name = "host", .steps = {"host"}, .last_use = 3, .state = "third state", .header = "b.h"}, from_);
  }

  Imported imported(const std::string& bytes) {
    const Result<Imported> done = import(bytes, to_);
    EXPECT_TRUE(done) << done.error().message;
    return done ? *done : Imported();
  }
};

TEST_F(Transfer, CarriesEveryResultAndListAndBlob) {
  fill();
  const Imported done = imported(exported(from_));
  EXPECT_EQ(done.tally.results, 7u);
  EXPECT_EQ(done.tally.known + done.tally.left_out, 0u);
  EXPECT_EQ(to_.actions, from_.actions);
  EXPECT_EQ(to_.blobs, from_.blobs);
}

TEST_F(Transfer, MakesTheSameArchiveOfWhatWasImported) {
  fill();
  const std::string bytes = exported(from_);
  imported(bytes);
  to_.last_uses = from_.last_uses;
  EXPECT_EQ(exported(to_), bytes);
}

TEST_F(Transfer, IntoASmallerStoreKeepsWhatWasUsedLastAndSaysHowMuchFitted) {
  for (std::uint32_t at = 1; at <= 10; ++at)
    put({.name = "result " + std::to_string(at), .size = kLarge, .last_use = at}, from_);
  settings_.max_size = 5 * kLarge;
  const Imported done = imported(exported(from_));
  EXPECT_EQ(done.tally.results, 4u) << "four fifths of the limit are values";
  EXPECT_EQ(done.tally.error, "6 did not fit into max_size; those that were used last were taken");
  EXPECT_FALSE(to_.actions.contains(digest_of("result 1statea.h")));
  EXPECT_TRUE(to_.actions.contains(digest_of("result 10statea.h")));
}

TEST_F(Transfer, OfAnEmptyStoreIsAnArchiveWithoutResults) {
  EXPECT_EQ(imported(exported(from_)).tally.results, 0u);
  EXPECT_TRUE(to_.actions.empty());
}

TEST_F(Transfer, LeavesAloneWhatTheStoreHas) {
  fill();
  const std::string bytes = exported(from_);
  const unsigned writes = from_.action_writes;
  const Result<Imported> again = import(bytes, from_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->tally.known, 7u);
  EXPECT_EQ(from_.action_writes, writes);
}

TEST_F(Transfer, ByArchitectureLeavesOutWhatNamesAnotherOne) {
  fill();
  const Imported done = imported(exported(from_, {.archs = {"gfx90a"}}));
  EXPECT_EQ(done.tally.results, 5u) << "all but gfx906's and the request's for both";
  EXPECT_TRUE(to_.actions.contains(digest_of("device bstatea.h")));
  EXPECT_TRUE(to_.actions.contains(digest_of("opaquestatea.h")));
  EXPECT_FALSE(to_.actions.contains(digest_of("device a")));
  EXPECT_FALSE(to_.actions.contains(digest_of("device astatea.h")));
  EXPECT_FALSE(to_.actions.contains(digest_of("requeststatea.h")));
}

TEST_F(Transfer, ByArchitectureWithFeaturesMeansThoseFeatures) {
  fill();
  imported(exported(from_, {.archs = {"gfx90a:xnack-"}}));
  EXPECT_FALSE(to_.actions.contains(digest_of("device bstatea.h")));
  imported(exported(from_, {.archs = {"gfx906", "gfx90a:xnack+"}}));
  EXPECT_EQ(to_.actions, from_.actions);
}

TEST_F(Transfer, WithinASizeTakesTheLastUsedFirst) {
  std::vector<Digest> oldest_first;
  for (unsigned at = 0; at < 40; ++at)
    oldest_first.push_back(put({.name = "n" + std::to_string(at), .size = 50'000 + 1000 * at, .last_use = at}, from_));
  for (const std::uint64_t limit : {20'000u, 100'000u, 500'000u, 1'000'000u, 1'500'000u, 5'000'000u}) {
    const Result<Exported> done = export_from(from_, "limited", {}, limit);
    ASSERT_TRUE(done) << done.error().message;
    const std::string bytes = support::read_bytes(scratch_ / "limited");
    EXPECT_LE(bytes.size(), limit);
    EXPECT_EQ(done->bytes, bytes.size());
    EXPECT_EQ(done->is_limited, done->results < 40);
    support::MemoryStore store;
    ASSERT_TRUE(import(bytes, store));
    for (unsigned at = 0; at < 40; ++at)
      EXPECT_EQ(store.actions.contains(oldest_first[at]), at >= 40 - done->results) << at << " of " << done->results;
  }
  EXPECT_EQ(export_from(from_, "all", {}, 5'000'000)->results, 40u);
  EXPECT_GT(export_from(from_, "half", {}, 1'000'000)->results, 8u) << "the limit is used";
}

TEST_F(Transfer, SinceATimeTakesWhatWasUsedThenOrLater) {
  put({.name = "old", .last_use = 99}, from_);
  put({.name = "new", .last_use = 100}, from_);
  EXPECT_EQ(imported(exported(from_, {.used_since = 100})).tally.results, 1u);
  EXPECT_TRUE(to_.actions.contains(digest_of("newstatea.h")));
}

TEST_F(Transfer, HasALargeBlobOnceHoweverManyResultsNameIt) {
  put({.name = "same", .steps = {"gfx906"}, .size = 3 * kLarge}, from_);
  const std::size_t one = exported(from_).size();
  put({.name = "same", .steps = {"gfx906"}, .size = 3 * kLarge, .header = "b.h"}, from_);
  EXPECT_LT(exported(from_).size(), one + kLarge / 2);
  EXPECT_EQ(imported(exported(from_)).tally.results, 2u);
}

TEST_F(Transfer, LeavesOutAResultThatLostABlob) {
  fill();
  std::erase_if(from_.blobs, [](const auto& blob) { return blob.second.starts_with("device a"); });
  EXPECT_EQ(imported(exported(from_)).tally.results, 6u);
}

TEST_F(Transfer, NeverCarriesAResultThatNamesAPlaceOutsideOfARequest) {
  fill();
  // accept() refuses such a result, so it is put as a compile would.
  cache::ActionResult result = *cache::ActionResult::decode(from_.actions[digest_of("requeststatea.h")]);
  result.outputs.front().place = "/home/user/.profile";
  from_.actions[digest_of("requeststatea.h")] = result.encode();
  EXPECT_EQ(imported(exported(from_)).tally.results, 6u);
}

TEST_F(Transfer, OfATroubledStoreIsOneError) {
  fill();
  const std::string bytes = exported(from_);
  from_.broken = to_.broken = true;
  const Result<Exported> out = export_from(from_, "broken");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message, "store: broken on purpose");
  const Result<Imported> in = import(bytes, to_);
  ASSERT_FALSE(in);
  EXPECT_THAT(in.error().message, HasSubstr("the store takes no results: store: broken on purpose"));
}

TEST_F(Transfer, LeavesOutAResultThatSaysNotWhatLeadsToIt) {
  const Digest key = put({.name = "old"}, from_);
  cache::ActionResult result = *cache::ActionResult::decode(from_.actions[key]);
  result.found_by.reset();
  from_.actions[key] = result.encode();
  EXPECT_EQ(imported(exported(from_)).tally.results, 0u);
}

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

class Signed : public TransferTest {
 protected:
  // Whom the daemons trust, and how they sign.
  void set(std::vector<std::string> trusted, const char* seed = nullptr) {
    settings_.trusted_keys = std::move(trusted);
    settings_.signing_key = seed == nullptr ? "" : write_key(scratch_, "key.pem", seed);
  }

  // An archive of two results, one with a value of its own for its object, made with those settings.
  std::string archive() {
    EXPECT_TRUE(from_.clear());
    const std::optional<cache::Trust> trust = daemon::result_trust(settings_);
    put({.name = "device", .steps = {"gfx906"}, .size = 100'000, .trust = trust}, from_);
    put({.name = "host", .steps = {"host"}, .trust = trust}, from_);
    return exported(from_);
  }

  Imported imported(const std::string& bytes) {
    EXPECT_TRUE(to_.clear());
    const Result<Imported> done = import(bytes, to_);
    EXPECT_TRUE(done) << done.error().message;
    return done ? *done : Imported();
  }

  // The results of an archive, as they are in it.
  std::vector<std::pair<Digest, RemoteResult>> results_in(const std::string& bytes) {
    const UniqueFd fd(open(scratch_.write("read", bytes).c_str(), O_RDONLY | O_CLOEXEC));
    Result<ArchiveReader> reader = ArchiveReader::open(fd.get());
    std::vector<std::pair<Digest, RemoteResult>> results;
    for (;;) {
      const auto entry = reader->next();
      if (!entry || !*entry) return results;
      const std::optional<ValueName> name = parse_value_name((*entry)->name);
      if (!name || name->table != kResultTable) continue;
      const Result<std::string> value = reader->bytes(kResultLimit);
      EXPECT_TRUE(value);
      results.emplace_back(name->key, *decode_result(name->key, *value));
    }
  }

  // The archive with each of its results changed by `change`, which returns the new one.
  template <typename Change>
  std::string changed(const std::string& bytes, const Change& change) {
    const UniqueFd from(open(scratch_.write("before", bytes).c_str(), O_RDONLY | O_CLOEXEC));
    Result<ArchiveReader> reader = ArchiveReader::open(from.get());
    const UniqueFd to(open((scratch_ / "after").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    Result<ArchiveWriter> writer = ArchiveWriter::open(to.get());
    for (;;) {
      const auto entry = reader->next();
      if (!entry || !*entry) break;
      const std::string name = (*entry)->name;
      std::string value = *reader->bytes(protocol::kLargestBlob);
      const std::optional<ValueName> parsed = parse_value_name(name);
      if (parsed && parsed->table == kResultTable)
        value = encode_result(parsed->key, change(*decode_result(parsed->key, value)));
      EXPECT_TRUE(writer->add(name, value));
    }
    EXPECT_TRUE(writer->close());
    return support::read_bytes(scratch_ / "after");
  }

  void expect_refused(const Imported& done, std::uint64_t not_signed, std::uint64_t untrusted) {
    EXPECT_EQ(done.offered, 0u);
    EXPECT_EQ(done.tally.results, 0u);
    EXPECT_EQ(done.not_signed, not_signed);
    EXPECT_EQ(done.untrusted, untrusted);
    EXPECT_TRUE(to_.actions.empty());
  }
};

TEST_F(Signed, ByATrustedKeyAreTakenWhole) {
  set({kFirstKey}, kFirstSeed);
  const std::string bytes = archive();
  const auto results = results_in(bytes);
  ASSERT_EQ(results.size(), 2u);
  for (const auto& [key, result] : results) {
    ASSERT_TRUE(result.signature);
    EXPECT_EQ(result.signature->key, config::parse_trusted_key(kFirstKey)->key);
    EXPECT_TRUE(has_valid_signature(key, result));
  }
  const Imported done = imported(bytes);
  EXPECT_EQ(done.tally.results, 2u);
  EXPECT_EQ(done.not_signed + done.untrusted, 0u);
  EXPECT_EQ(to_.actions, from_.actions) << "where a signing daemon keeps them";
  EXPECT_EQ(to_.blobs, from_.blobs);
}

TEST_F(Signed, AreTakenByThoseWhoTrustOrDoNotAsk) {
  set({kFirstKey}, kFirstSeed);
  const std::string bytes = archive();
  set({kSecondKey, kFirstKey});
  EXPECT_EQ(imported(bytes).tally.results, 2u);
  set({});
  EXPECT_EQ(imported(bytes).tally.results, 2u);
  EXPECT_NE(to_.actions, from_.actions) << "not under the trusted keys";
}

TEST_F(Signed, ByAnotherKeyAreRefused) {
  set({kSecondKey}, kSecondSeed);
  const std::string bytes = archive();
  set({kFirstKey});
  expect_refused(imported(bytes), 0, 2);
}

TEST_F(Signed, ThatAreNotAreRefusedWhereKeysAreTrusted) {
  const std::string bytes = archive();
  for (const auto& [key, result] : results_in(bytes)) EXPECT_FALSE(result.signature);
  set({kFirstKey});
  expect_refused(imported(bytes), 2, 0);
  set({});
  EXPECT_EQ(imported(bytes).tally.results, 2u);
}

TEST_F(Signed, AndChangedAreRefused) {
  set({kFirstKey}, kFirstSeed);
  const std::string bytes = archive();
  expect_refused(imported(changed(bytes,
                                  [](RemoteResult result) {
                                    cache::ActionResult action = *cache::ActionResult::decode(result.action);
                                    action.stderr_text = "forged";
                                    result.action = action.encode();
                                    return result;
                                  })),
                 0, 2);
  expect_refused(imported(changed(bytes,
                                  [](RemoteResult result) {
                                    result.signature.reset();
                                    return result;
                                  })),
                 2, 0);
  EXPECT_EQ(imported(changed(bytes, [](RemoteResult result) { return result; })).tally.results, 2u);
}

TEST_F(Signed, WithoutASigningKeyAreNotExportedWhereKeysAreTrusted) {
  set({kFirstKey});
  put({.name = "host", .trust = daemon::result_trust(settings_)}, from_);
  const Result<Exported> done = export_from(from_, "refused");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "trusted_keys is set and signing_key is not; results are not written without a signature");
  EXPECT_EQ(support::read_bytes(scratch_ / "refused"), "");
}

TEST_F(Signed, WithAKeyThatCannotBeReadAreNotExported) {
  set({kFirstKey}, kFirstSeed);
  settings_.signing_key = scratch_ / "missing.pem";
  EXPECT_TRUE(daemon::result_trust(settings_)->signs) << "the key may be there later, and the results with it";
  put({.name = "host", .trust = daemon::result_trust(settings_)}, from_);
  const Result<Exported> done = export_from(from_, "refused");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("signing_key: cannot read"));
}

TEST_F(Signed, AreNotTakenByASignerThatTrustsNobody) {
  set({kFirstKey}, kFirstSeed);
  const std::string bytes = archive();
  set({}, kFirstSeed);
  const Result<Imported> done = import(bytes, to_);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message,
              HasSubstr("signing_key is set and trusted_keys is empty, so no result can be taken"));
  EXPECT_TRUE(to_.actions.empty());
}

TEST_F(Signed, IsNothingThatCameBeforeTheKeysWereTrusted) {
  put({.name = "unsigned before"}, from_);
  set({kFirstKey}, kFirstSeed);
  put({.name = "trusted", .trust = daemon::result_trust(settings_)}, from_);
  const auto results = results_in(exported(from_));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results.front().first, digest_of("trustedstatea.h"));
}

TEST_F(Signed, IsNothingThatCameWithoutTheSigningKey) {
  set({kFirstKey});
  put({.name = "from a seed", .trust = daemon::result_trust(settings_)}, from_);
  set({kFirstKey}, kFirstSeed);
  EXPECT_TRUE(results_in(exported(from_)).empty());
  put({.name = "from a seed", .trust = daemon::result_trust(settings_)}, from_);
  EXPECT_EQ(results_in(exported(from_)).size(), 1u) << "made anew, or taken with a signature";
}

TEST_F(Signed, AreKnownToOneThatDoesNotSignIfOneThatSignsHasThem) {
  set({kFirstKey}, kFirstSeed);
  const std::string bytes = archive();
  EXPECT_EQ(imported(bytes).tally.results, 2u);
  set({kFirstKey});
  const Result<Imported> again = import(bytes, to_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->tally.known, 2u);
  EXPECT_EQ(again->tally.results, 0u);
}

TEST_F(Signed, AreTakenAgainOnceTheSigningKeyIsSet) {
  set({kFirstKey}, kFirstSeed);
  const std::string bytes = archive();
  set({kFirstKey});
  EXPECT_EQ(imported(bytes).tally.results, 2u);
  set({kFirstKey}, kFirstSeed);
  const Result<Imported> again = import(bytes, to_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->tally.results, 2u) << "a signing daemon does not find the first ones";
  EXPECT_EQ(results_in(exported(to_)).size(), 2u);
}

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
