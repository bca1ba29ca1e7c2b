// Trusted keys: how they are written, and which settings trust the same.
#include "hipcache/config/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipcache::config {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Of RFC 8032, section 7.1.
constexpr const char* kFirst = "first:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
constexpr const char* kSecond = "second:PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";

Result<Settings> load_with(std::vector<std::string> variables) {
  variables.emplace_back("HIPCACHE_DIR=/c");
  return load(lookup_in(variables));
}

std::string error_with(const std::string& variable) {
  const Result<Settings> settings = load_with({variable});
  return settings ? "no error" : settings.error().message;
}

TEST(TrustedKeys, AreANameAndThirtyTwoBytesInBase64) {
  const Result<TrustedKey> key = parse_trusted_key(kFirst);
  ASSERT_TRUE(key);
  EXPECT_EQ(key->name, "first");
  ASSERT_EQ(key->key.size(), TrustedKey::kSize);
  EXPECT_EQ(key->key.substr(0, 4), "\xd7\x5a\x98\x01");
  EXPECT_EQ(key->key.substr(28), "\xf7\x07\x51\x1a");
}

TEST(TrustedKeys, OfAnyOtherFormAreRefused) {
  const std::string key = std::string(kFirst).substr(6);
  for (const std::string& text :
       {std::string("first"), std::string("first:"), ":" + key, "a b:" + key, "a/b:" + key, key, "first:" + key + "=",
        "first:" + key.substr(0, 43), "first:" + key.substr(4), "first:!" + key.substr(1), "first:" + key + "AAAA",
        "first:" + key.substr(0, 43) + "A", "first: " + key, "first:" + key.substr(0, 42) + "p="}) {
    const Result<TrustedKey> parsed = parse_trusted_key(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message,
                AllOf(HasSubstr("is no public key such as"), Not(HasSubstr("\"" + text + "\""))));
  }
}

TEST(TrustedKeys, AreSettings) {
  const Result<Settings> settings =
      load_with({std::string("HIPCACHE_TRUSTED_KEYS=") + kFirst + ", " + kSecond, "HIPCACHE_SIGNING_KEY=/etc/key.pem"});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(settings->trusted_keys, testing::ElementsAre(kFirst, kSecond));
  EXPECT_EQ(settings->signing_key, "/etc/key.pem");
  EXPECT_THAT(error_with("HIPCACHE_TRUSTED_KEYS=ci"),
              HasSubstr("HIPCACHE_TRUSTED_KEYS: a part of the value is no public key"));
  EXPECT_THAT(error_with("HIPCACHE_SIGNING_KEY=secret"),
              AllOf(HasSubstr("HIPCACHE_SIGNING_KEY: the value is not the absolute path"), Not(HasSubstr("secret"))));
}

TEST(TrustedKeys, AreTheSameTrustInAnyOrderAndUnderAnyName) {
  Settings settings;
  EXPECT_EQ(trust_of(settings), std::nullopt);
  settings.trusted_keys = {kFirst, kSecond};
  const std::optional<Digest> both = trust_of(settings);
  ASSERT_TRUE(both);
  settings.trusted_keys = {kSecond, "renamed" + std::string(kFirst).substr(5), kSecond};
  EXPECT_EQ(trust_of(settings), both);
  settings.signing_key = "/etc/key.pem";
  EXPECT_EQ(trust_of(settings), both) << "a signer trusts the same keys; that it signs is told apart elsewhere";
  settings.trusted_keys = {kFirst};
  EXPECT_NE(trust_of(settings), both);
  settings.trusted_keys = {};
  EXPECT_NE(trust_of(settings), std::nullopt) << "a signer never takes everything";
}

}  // namespace
}  // namespace hipcache::config
