// Signatures against those that AWS publishes: its signature test suite (the cases without a query and without paths
// that services other than S3 normalize), and the examples of the Amazon S3 manual.
#include "remote/s3/s3_service.h"

#include <gtest/gtest.h>

#include "remote/layout/sha256.h"

namespace hipcache::remote {
namespace {

constexpr const char* kToken =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthA"
    "x7mSEI/qkPpKPi/"
    "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9"
    "q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

struct Case {
  const char* name;
  const char* method;
  const char* path;
  Headers headers;  // beside host and date
  const char* body;
  const char* signed_headers;
  const char* signature;
};

std::string expected(const std::string& scope, const Case& one) {
  return "AWS4-HMAC-SHA256 Credential=" + scope + "/aws4_request, SignedHeaders=" + one.signed_headers +
         ", Signature=" + one.signature;
}

UnsignedRequest request_of(const Case& one, const char* host, const char* date) {
  UnsignedRequest request{.method = one.method, .path = one.path, .headers = one.headers, .payload = {}};
  request.payload = hex_of(sha256(one.body));
  request.headers.emplace_back("Host", host);
  request.headers.emplace_back("X-Amz-Date", date);
  return request;
}

TEST(Signatures, AreThoseOfAwsTestSuite) {
  const Case cases[] = {
      {"get-vanilla",
       "GET",
       "/",
       {},
       "",
       "host;x-amz-date",
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"get-utf8",
       "GET",
       "/%E1%88%B4",
       {},
       "",
       "host;x-amz-date",
       "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
      {"get-unreserved",
       "GET",
       "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
       {},
       "",
       "host;x-amz-date",
       "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
      {"get-header-key-duplicate",
       "GET",
       "/",
       {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
       "",
       "host;my-header1;x-amz-date",
       "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
      {"get-header-value-order",
       "GET",
       "/",
       {{"My-Header1", "value4"}, {"My-Header1", "value1"}, {"My-Header1", "value3"}, {"My-Header1", "value2"}},
       "",
       "host;my-header1;x-amz-date",
       "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
      {"get-header-value-trim",
       "GET",
       "/",
       {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
       "",
       "host;my-header1;my-header2;x-amz-date",
       "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
      {"post-vanilla",
       "POST",
       "/",
       {},
       "",
       "host;x-amz-date",
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"post-x-www-form-urlencoded",
       "POST",
       "/",
       {{"Content-Type", "application/x-www-form-urlencoded"}},
       "Param1=value1",
       "content-type;host;x-amz-date",
       "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
      {"post-sts-header-before",
       "POST",
       "/",
       {{"X-Amz-Security-Token", kToken}},
       "",
       "host;x-amz-date;x-amz-security-token",
       "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"}};
  const AwsCredentials credentials{.access_key = "AKIDEXAMPLE",
                                   .secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                   .session_token = {},
                                   .expires = {}};
  const SigningScope scope{
      .region = "us-east-1", .service = "service", .time = std::chrono::system_clock::from_time_t(1440938160)};
  for (const Case& one : cases)
    EXPECT_EQ(authorization_of(request_of(one, "example.amazonaws.com", "20150830T123600Z"), scope, credentials),
              expected("AKIDEXAMPLE/20150830/us-east-1/service", one))
        << one.name;
}

TEST(Signatures, AreThoseOfTheS3Manual) {
  const char* const welcome = "Welcome to Amazon S3.";
  const Case cases[] = {{"GET Object",
                         "GET",
                         "/test.txt",
                         {{"Range", "bytes=0-9"}, {"x-amz-content-sha256", hex_of(sha256(""))}},
                         "",
                         "host;range;x-amz-content-sha256;x-amz-date",
                         "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
                        {"PUT Object",
                         "PUT",
                         "/test%24file.text",
                         {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                          {"x-amz-content-sha256", hex_of(sha256(welcome))},
                          {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                         welcome,
                         "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                         "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"}};
  const AwsCredentials credentials{.access_key = "AKIAIOSFODNN7EXAMPLE",
                                   .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                   .session_token = {},
                                   .expires = {}};
  const SigningScope scope{.region = "us-east-1", .time = std::chrono::system_clock::from_time_t(1369353600)};
  for (const Case& one : cases)
    EXPECT_EQ(
        authorization_of(request_of(one, "examplebucket.s3.amazonaws.com", "20130524T000000Z"), scope, credentials),
        expected("AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3", one))
        << one.name;
}

TEST(Signatures, HaveTheDateInUniversalTime) {
  EXPECT_EQ(amz_date(std::chrono::system_clock::from_time_t(1369353600)), "20130524T000000Z");
}

}  // namespace
}  // namespace hipcache::remote
