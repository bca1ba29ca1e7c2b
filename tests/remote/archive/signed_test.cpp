// Archives are signed, and their signatures are checked, as those of shared caches.
#include <gmock/gmock.h>

#include <algorithm>

#include "daemon/remote/remote_cache.h"
#include "hipcache/config/values.h"
#include "remote/archive/transfer_fixture.h"
#include "remote/layout/values.h"
#include "remote/trust/keys.h"
#include "remote/trust/trust.h"

namespace hipcache::remote {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace hipcache::remote
