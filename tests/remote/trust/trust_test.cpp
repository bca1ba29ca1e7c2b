// What the settings trusted_keys and signing_key allow, in all their combinations.
#include "remote/trust/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "remote/trust/keys.h"

namespace hipcache::remote {
namespace {

using testing::HasSubstr;

class TrustTest : public testing::Test {
 protected:
  std::string file(const char* seed = kFirstSeed) { return write_key(scratch_, "key.pem", seed); }
  RemoteResult signed_by(const char* seed) {
    RemoteResult made{.action = "an action", .blobs = {}};
    EXPECT_TRUE(Trust({kFirstKey}, file(seed)).sign(under_, made));
    return made;
  }

  support::Scratch scratch_;
  const Digest under_ = digest_of("result key");
};

TEST_F(TrustTest, WithoutSettingsEveryResultIsTakenAndNoneIsSigned) {
  const Trust trust;
  RemoteResult plain{.action = "an action", .blobs = {}};
  EXPECT_EQ(trust.judge(under_, plain), Verdict::trusted);
  EXPECT_EQ(trust.judge(under_, signed_by(kSecondSeed)), Verdict::trusted);
  EXPECT_TRUE(trust.sign(under_, plain));
  EXPECT_FALSE(plain.signature);
  EXPECT_EQ(trust.why_not_read() + trust.why_not_written(), "");
}

TEST_F(TrustTest, TrustedKeysTakeWhatTheySignedAndNothingElse) {
  const Trust first({kFirstKey}, "");
  EXPECT_EQ(first.judge(under_, signed_by(kFirstSeed)), Verdict::trusted);
  EXPECT_EQ(first.judge(under_, signed_by(kSecondSeed)), Verdict::untrusted);
  EXPECT_EQ(first.judge(digest_of("another"), signed_by(kFirstSeed)), Verdict::untrusted);
  EXPECT_EQ(first.judge(under_, {.action = "an action", .blobs = {}}), Verdict::not_signed);
  RemoteResult changed = signed_by(kFirstSeed);
  changed.action += "!";
  EXPECT_EQ(first.judge(under_, changed), Verdict::untrusted);
  EXPECT_EQ(Trust({kSecondKey, kFirstKey}, "").judge(under_, signed_by(kFirstSeed)), Verdict::trusted);
}

TEST_F(TrustTest, WithoutASigningKeyNothingNewIsWrittenAndThatIsNoTrouble) {
  const Trust trust({kFirstKey}, "");
  EXPECT_EQ(trust.why_not_read(), "");
  EXPECT_THAT(trust.why_not_written(), HasSubstr("signing_key is not"));
  EXPECT_FALSE(trust.is_in_trouble());
}

TEST_F(TrustTest, ASigningKeyAloneTakesNothing) {
  const Trust trust({}, file());
  EXPECT_EQ(trust.why_not_written(), "");
  EXPECT_THAT(trust.why_not_read(), HasSubstr("trusted_keys is empty"));
  EXPECT_TRUE(trust.is_in_trouble());
  EXPECT_EQ(trust.judge(under_, signed_by(kFirstSeed)), Verdict::untrusted) << "its own key is not in the list";
  EXPECT_EQ(trust.judge(under_, {.action = "an action", .blobs = {}}), Verdict::not_signed);
}

TEST_F(TrustTest, ASigningKeyThatCannotBeUsedEndsWritingAndLeavesReading) {
  const Trust trust({kFirstKey}, scratch_ / "missing.pem");
  EXPECT_THAT(trust.why_not_written(), HasSubstr("signing_key: cannot read"));
  EXPECT_TRUE(trust.is_in_trouble());
  EXPECT_EQ(trust.why_not_read(), "");
  EXPECT_EQ(trust.judge(under_, signed_by(kFirstSeed)), Verdict::trusted);
}

}  // namespace
}  // namespace hipcache::remote
