// Signatures: what they cover, and which files hold a key. What the settings trusted_keys and signing_key allow, in all
// their combinations.
#include "remote/trust/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "remote/trust/keys.h"

namespace hipcache::remote {
namespace {

using testing::HasSubstr;

class Signatures : public testing::Test {
 protected:
  SigningKey key_of(const char* seed) { return SigningKey::read(write_key(scratch_, "key.pem", seed)).value(); }
  RemoteResult result() const { return {.action = "an action", .blobs = {{digest_of("object"), "object"}}}; }
  RemoteResult signed_result() {
    RemoteResult made = result();
    made.signature = key_of(kFirstSeed).sign(under_, made).value();
    return made;
  }
  std::string refusal(const std::string& path) {
    const Result<SigningKey> key = SigningKey::read(path);
    return key ? "none" : key.error().message;
  }

  support::Scratch scratch_;
  const Digest under_ = digest_of("result key");
};

std::string hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 15U];
  }
  return text;
}

TEST_F(Signatures, AreValidForWhatWasSigned) {
  const RemoteResult made = signed_result();
  EXPECT_TRUE(has_valid_signature(under_, made));
  const Result<RemoteResult> read = decode_result(under_, encode_result(under_, made));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, made);
  EXPECT_TRUE(has_valid_signature(under_, *read));
}

// By: openssl pkeyutl -sign -rawin -inkey FILE -in BYTES.
TEST_F(Signatures, AreThoseThatOpensslMakesOfTheDocumentedBytes) {
  Digest under;
  for (std::size_t at = 0; at < under.octets.size(); ++at) under.octets[at] = static_cast<unsigned char>(at);
  const Result<Signature> signature = key_of(kFirstSeed).sign(under, result());
  ASSERT_TRUE(signature);
  EXPECT_EQ(hex(signature->bytes),
            "68eccaaf29efb1c0bf5e3a57fe73df8818ee5c35b551c81c79c608967d691dda"
            "66b2cb073650a35df6c6e7992b4934389f2730604724bdbe3f35099e0b5e8802");
}

TEST_F(Signatures, AreNotValidAfterAnyBitOfAnyFieldHasFlipped) {
  const RemoteResult good = signed_result();
  using Field = std::string& (*)(RemoteResult&);
  const Field fields[] = {[](RemoteResult& one) -> std::string& { return one.action; },
                          [](RemoteResult& one) -> std::string& { return one.signature->key; },
                          [](RemoteResult& one) -> std::string& { return one.signature->bytes; }};
  for (const Field field : fields) {
    RemoteResult bad = good;
    for (std::size_t bit = 0; bit < field(bad).size() * 8; ++bit) {
      bad = good;
      char& byte = field(bad)[bit / 8];
      byte = static_cast<char>(byte ^ (1 << bit % 8));
      EXPECT_FALSE(has_valid_signature(under_, bad)) << bit;
    }
  }
}

TEST_F(Signatures, OfOneResultKeyAreNotValidForAnother) {
  const RemoteResult made = signed_result();
  EXPECT_FALSE(has_valid_signature(digest_of("another result key"), made));
  for (std::size_t bit = 0; bit < Digest::kSize * 8; ++bit) {
    Digest near = under_;
    near.octets[bit / 8] = static_cast<unsigned char>(near.octets[bit / 8] ^ (1U << bit % 8));
    EXPECT_FALSE(has_valid_signature(near, made)) << bit;
  }
}

TEST_F(Signatures, OfOneKeyAreNotValidForAnother) {
  RemoteResult made = signed_result();
  made.signature->key = key_of(kSecondSeed).public_key();
  EXPECT_FALSE(has_valid_signature(under_, made));
}

TEST_F(Signatures, ThatAreMissingEmptyOrCutAreNotValid) {
  const RemoteResult good = signed_result();
  RemoteResult bad = good;
  bad.signature = std::nullopt;
  EXPECT_FALSE(has_valid_signature(under_, bad));
  bad.signature = Signature();
  EXPECT_FALSE(has_valid_signature(under_, bad));
  for (std::size_t size = 0; size < Signature::kSize; ++size) {
    bad = good;
    bad.signature->bytes.resize(size);
    EXPECT_FALSE(has_valid_signature(under_, bad)) << size;
  }
  bad = good;
  bad.signature->bytes += '\0';
  EXPECT_FALSE(has_valid_signature(under_, bad));
}

// An attacker can make the value's digest fit. Then the end of the value decides.
TEST_F(Signatures, ThatAreCutInAValueMakeItDamaged) {
  RemoteResult bad = signed_result();
  const std::size_t whole = bad.signature->bytes.size();
  for (std::size_t size = 0; size < whole; ++size) {
    bad.signature->bytes.resize(size);
    EXPECT_FALSE(decode_result(under_, encode_result(under_, bad))) << size;
  }
  bad.signature->bytes.resize(whole + 1);
  EXPECT_FALSE(decode_result(under_, encode_result(under_, bad)));
  EXPECT_FALSE(decode_result(under_, encode_result(under_, result()))->signature) << "as before there were signatures";
}

TEST_F(Signatures, ThePublicKeyIsShownAsTrustedKeysHasIt) {
  EXPECT_EQ(shown_public_key("/etc/first.pem", key_of(kFirstSeed)), kFirstKey);
  EXPECT_EQ(shown_public_key("second", key_of(kSecondSeed)), kSecondKey);
  EXPECT_THAT(shown_public_key("/a b:c,d.pem", key_of(kSecondSeed)), testing::StartsWith("a-b-c-d:"));
}

TEST_F(Signatures, KeyFilesThatCannotBeUsedSayWhyAndWhatToDo) {
  EXPECT_THAT(refusal(scratch_ / "missing.pem"), HasSubstr("cannot read"));
  EXPECT_THAT(refusal(scratch_ / "missing.pem"), HasSubstr("openssl genpkey -algorithm ed25519"));
  EXPECT_THAT(refusal(scratch_.path()), HasSubstr("is no file"));
  const std::string empty = scratch_.write("empty.pem", "");
  chmod(empty.c_str(), 0600);
  EXPECT_THAT(refusal(empty), HasSubstr("holds no private key in PEM"));
  for (const mode_t mode : {0644, 0640, 0604, 0622}) {
    const std::string open = write_key(scratch_, "open.pem", kFirstSeed, mode);
    EXPECT_EQ(refusal(open), open + " is a private key that others may read or write; chmod 600 " + open) << mode;
  }
  EXPECT_EQ(refusal(write_key(scratch_, "good.pem", kFirstSeed, 0400)), "none");
  // X25519: for key agreement, not for signatures.
  const std::string other =
      write_key(scratch_, "other.pem", "MC4CAQAwBQYDK2VuBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g");
  EXPECT_THAT(refusal(other), HasSubstr("is no ed25519 key"));
}

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
