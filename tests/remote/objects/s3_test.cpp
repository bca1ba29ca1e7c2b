// S3. Signatures against those that AWS publishes: its signature test suite (the cases without a query and without
// paths that services other than S3 normalize), and the examples of the Amazon S3 manual. Addresses and credentials
// from each place where AWS's tools find them, and what servers answer when something is wrong, by servers within the
// test.
#include "remote/objects/s3_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "remote/layout/sha256.h"
#include "remote/objects/access_source.h"
#include "remote/objects/credential_server.h"
#include "remote/objects/local_web_server.h"
#include "remote/objects/object_service.h"
#include "remote/objects/variables_of_test.h"
#include "remote/support.h"
#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

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

class S3Addresses : public VariablesOfTest {
 protected:
  S3Address address(const std::string& text) {
    const Result<config::RemoteUrl> url = config::parse_remote_url(text);
    EXPECT_TRUE(url) << url.error().message;
    const Result<AwsSettings> settings = AwsSettings::read(variables(), url->s3.profile);
    EXPECT_TRUE(settings) << settings.error().message;
    const Result<S3Address> found = address_of(*url, *settings);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : S3Address();
  }
};

TEST_F(S3Addresses, OfAwsHaveTheBucketInTheHost) {
  const S3Address one = address("s3://our-bucket/some%20path/?region=eu-west-1");
  EXPECT_EQ(one.origin, "https://our-bucket.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(one.host, "our-bucket.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(one.root, "/some%20path/");
  EXPECT_EQ(one.region, "eu-west-1");
  EXPECT_EQ(address("s3://our-bucket?region=cn-north-1").host, "our-bucket.s3.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(address("s3://our.bucket").origin, "https://s3.us-east-1.amazonaws.com") << "its certificate covers no dot";
  EXPECT_EQ(address("s3://our.bucket").root, "/our.bucket/");
  EXPECT_EQ(address("s3://our-bucket?addressing=path").root, "/our-bucket/");
}

TEST_F(S3Addresses, OfOtherServersHaveTheBucketInThePath) {
  const S3Address one = address("s3://bucket/p?endpoint=http://Minio.example:9000/");
  EXPECT_EQ(one.origin, "http://minio.example:9000");
  EXPECT_EQ(one.host, "minio.example:9000");
  EXPECT_EQ(one.root, "/bucket/p/");
  EXPECT_EQ(address("s3://bucket?endpoint=https://minio:443&addressing=virtual").host, "bucket.minio")
      << "clients leave out the scheme's own port";
}

TEST_F(S3Addresses, ComeFromTheUrlThenFromVariablesThenFromTheProfile) {
  home_.write(".aws/config",
              "[default]\nregion = eu-north-1\n"
              "[profile other]\n# a comment\nregion=eu-south-1\nendpoint_url = http://files:1\ns3 =\n  a = b\n");
  EXPECT_EQ(address("s3://bucket").region, "eu-north-1");
  EXPECT_EQ(address("s3://bucket?profile=other").region, "eu-south-1");
  EXPECT_EQ(address("s3://bucket?profile=other").host, "files:1");
  set_["AWS_PROFILE"] = "other";
  EXPECT_EQ(address("s3://bucket").region, "eu-south-1");
  set_["AWS_DEFAULT_REGION"] = "ap-east-1";
  EXPECT_EQ(address("s3://bucket").region, "ap-east-1");
  set_["AWS_REGION"] = "sa-east-1";
  EXPECT_EQ(address("s3://bucket").region, "sa-east-1");
  EXPECT_EQ(address("s3://bucket?region=us-west-2").region, "us-west-2");
  set_["AWS_ENDPOINT_URL"] = "http://all:2";
  EXPECT_EQ(address("s3://bucket").host, "all:2");
  set_["AWS_ENDPOINT_URL_S3"] = "http://s3only:3";
  EXPECT_EQ(address("s3://bucket").host, "s3only:3");
  EXPECT_EQ(address("s3://bucket?endpoint=http://url:4").host, "url:4");
  set_["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
  EXPECT_EQ(address("s3://bucket").host, "bucket.s3.sa-east-1.amazonaws.com");
}

TEST_F(S3Addresses, OfFilesThatCannotBeReadAreErrorsThatNameTheLine) {
  home_.write(".aws/credentials", "[default]\naws_access_key_id\n");
  const Result<AwsSettings> settings = AwsSettings::read(variables(), "");
  ASSERT_FALSE(settings);
  EXPECT_THAT(settings.error().message, HasSubstr("/.aws/credentials:2: neither a [section] nor key = value"));
}

TEST(XmlText, IsTheFirstElementOfThatNameIfItIsPlain) {
  EXPECT_EQ(xml_text("<a><Key> x</Key></a>", "Key"), "");
  EXPECT_EQ(xml_text("<a><Key>x+/=</Key><Key>y</Key></a>", "Key"), "x+/=");
  EXPECT_EQ(xml_text("<Key>x<b/></Key>", "Key"), "");
  EXPECT_EQ(xml_text("<Key>a&amp;b</Key>", "Key"), "");
  EXPECT_EQ(xml_text("<Key>", "Key"), "");
  EXPECT_EQ(error_code_of("<Error><Code>SlowDown</Code></Error>"), "SlowDown");
  EXPECT_EQ(error_code_of("<Code>no;code</Code>"), "");
  EXPECT_EQ(error_code_of("<Code>" + std::string(100, 'x') + "</Code>"), "");
}

class Credentials : public VariablesOfTest {
 protected:
  Credentials() { set_["AWS_EC2_METADATA_DISABLED"] = "true"; }

  Result<AwsCredentials> found(const std::string& profile = "") {
    const Result<AwsSettings> settings = AwsSettings::read(variables(), profile);
    EXPECT_TRUE(settings) << settings.error().message;
    return find_credentials(*settings, "eu-west-1");
  }

  // Access key, secret key and token; or the error.
  std::string keys(const std::string& profile = "") {
    const Result<AwsCredentials> credentials = found(profile);
    if (!credentials) return "error: " + credentials.error().message;
    return credentials->access_key + " " + credentials->secret_key + " " + credentials->session_token;
  }
};

TEST_F(Credentials, ComeFromVariables) {
  set_["AWS_ACCESS_KEY_ID"] = "AKIA";
  EXPECT_THAT(keys(), HasSubstr("is missing"));
  set_["AWS_SECRET_ACCESS_KEY"] = "secret";
  EXPECT_EQ(keys(), "AKIA secret ");
  set_["AWS_SESSION_TOKEN"] = "token";
  EXPECT_EQ(keys(), "AKIA secret token");
  set_["AWS_SESSION_TOKEN"] = "token\r\nX-Other: header";
  EXPECT_THAT(keys(), HasSubstr("holds a blank"));
}

TEST_F(Credentials, ComeFromTheProfileOfTheSharedFiles) {
  home_.write(".aws/credentials",
              "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = one\n\n"
              "[ci]\naws_access_key_id=AKIA2\naws_secret_access_key=two\naws_session_token=token\n");
  home_.write(".aws/config",
              "[profile config]\naws_access_key_id = AKIA3\naws_secret_access_key = three\n"
              "[profile sso]\nsso_session = x\n");
  EXPECT_EQ(keys(), "AKIA1 one ");
  EXPECT_EQ(keys("ci"), "AKIA2 two token");
  EXPECT_EQ(keys("config"), "AKIA3 three ");
  EXPECT_THAT(keys("absent"), HasSubstr("profile absent is in neither"));
  EXPECT_THAT(keys("sso"), HasSubstr("export-credentials"));
  set_["AWS_PROFILE"] = "config";
  EXPECT_EQ(keys(), "AKIA3 three ");
  set_["AWS_SHARED_CREDENTIALS_FILE"] = home_.write("other", "[config]\naws_access_key_id=A\naws_secret_access_key=b");
  EXPECT_EQ(keys(), "A b ");
}

TEST_F(Credentials, OfVariablesCountUnlessTheUrlNamesAProfile) {
  home_.write(".aws/credentials", "[ci]\naws_access_key_id = FILE\naws_secret_access_key = file\n");
  set_["AWS_ACCESS_KEY_ID"] = "VARIABLE";
  set_["AWS_SECRET_ACCESS_KEY"] = "variable";
  set_["AWS_PROFILE"] = "ci";
  EXPECT_EQ(keys(), "VARIABLE variable ");
  EXPECT_EQ(keys("ci"), "FILE file ");
}

TEST_F(Credentials, ThatAreNowhereAreAnError) { EXPECT_THAT(keys(), HasSubstr("no credentials in AWS's variables")); }

TEST_F(Credentials, OfAContainerComeFromItsServerWithItsToken) {
  LocalWebServer server([](const LocalWebServer::Request& request) -> LocalWebServer::Reply {
    const auto token = request.headers.find("authorization");
    if (request.path != "/role" || token == request.headers.end() || token->second != "Bearer word")
      return {.status = 401, .body = "secret of the server"};
    return {.body = R"({"AccessKeyId":"ASIA","SecretAccessKey":"s","Token":"t","Expiration":"2030-01-01T00:00:00Z"})"};
  });
  set_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url() + "/role";
  EXPECT_EQ(keys(), "error: the container's server: HTTP status 401");
  set_["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "Bearer word";
  EXPECT_EQ(keys(), "ASIA s t");
  EXPECT_EQ(found()->expires, std::chrono::system_clock::from_time_t(kStart2030));
  const std::string file = home_.write("token", "wrong\n");
  set_["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = file;
  EXPECT_THAT(keys(), HasSubstr("401")) << "the file counts";
  home_.write("token", "Bearer word\n");
  EXPECT_EQ(keys(), "ASIA s t");
}

TEST_F(Credentials, OfAContainerAreNotAskedOfOtherHostsWithoutTls) {
  for (const char* url : {"http://example.com/", "http://127.0.0.1.example.com/", "http://127.0.0.1:80@example.com/",
                          "ftp://127.0.0.1/", "http://169.254.170.3/"}) {
    set_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url;
    EXPECT_THAT(keys(), HasSubstr("neither https nor a server of this machine")) << url;
  }
}

TEST_F(Credentials, OfAContainerThatAreNoKeysAreAnError) {
  std::string body;
  LocalWebServer server([&](const LocalWebServer::Request&) { return LocalWebServer::Reply{.body = body}; });
  set_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url();
  for (const char* answer :
       {"", "no json", "[1]", R"({"AccessKeyId":"a"})", R"({"AccessKeyId":1,"SecretAccessKey":2})"}) {
    body = answer;
    EXPECT_THAT(keys(), HasSubstr("error: the container's server: an answer")) << answer;
  }
}

TEST_F(Credentials, OfAnInstanceNeedASessionOfItsServer) {
  LocalWebServer server([](const LocalWebServer::Request& request) -> LocalWebServer::Reply {
    if (request.method == "PUT" && request.path == "/latest/api/token") return {.body = "session"};
    const auto token = request.headers.find("x-aws-ec2-metadata-token");
    if (token == request.headers.end() || token->second != "session") return {.status = 401};
    if (request.path == "/latest/meta-data/iam/security-credentials/") return {.body = "the role\n"};
    if (request.path == "/latest/meta-data/iam/security-credentials/the%20role")
      return {.body = R"({"Code":"Success","AccessKeyId":"ASIA","SecretAccessKey":"s","Token":"t",)"
                      R"("Expiration":"2030-01-01T00:00:00Z"})"};
    return {.status = 404};
  });
  set_["AWS_EC2_METADATA_DISABLED"] = "";
  set_["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = server.url() + "/";
  EXPECT_EQ(keys(), "ASIA s t");
  EXPECT_EQ(server.requests().front().headers.at("x-aws-ec2-metadata-token-ttl-seconds"), "21600");
}

TEST_F(Credentials, OfAWebIdentityComeFromSts) {
  LocalWebServer server([](const LocalWebServer::Request& request) -> LocalWebServer::Reply {
    if (request.body.find("WebIdentityToken=to.ken%2F1&") == std::string::npos &&
        !request.body.ends_with("WebIdentityToken=to.ken%2F1"))
      return coded_error(400, "InvalidIdentityToken");
    return {.body =
                "<AssumeRoleWithWebIdentityResponse><Credentials><AccessKeyId>ASIA</AccessKeyId>"
                "<SecretAccessKey>s/+=</SecretAccessKey><SessionToken>t</SessionToken>"
                "<Expiration>2030-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResponse>"};
  });
  set_["AWS_ENDPOINT_URL_STS"] = server.url();
  set_["AWS_WEB_IDENTITY_TOKEN_FILE"] = home_.write("token", "old.token\n");
  EXPECT_THAT(keys(), HasSubstr("AWS_ROLE_ARN"));
  set_["AWS_ROLE_ARN"] = "arn:aws:iam::123456789012:role/ci";
  EXPECT_EQ(keys(), "error: AWS STS: HTTP status 400 (InvalidIdentityToken)");
  home_.write("token", "to.ken/1\n");
  EXPECT_EQ(keys(), "ASIA s/+= t");
  EXPECT_EQ(found()->expires, std::chrono::system_clock::from_time_t(kStart2030));
  const LocalWebServer::Request asked = server.requests().back();
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.path, "/") << "servers log addresses";
  EXPECT_THAT(asked.body, HasSubstr("RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fci"));
}

class AccessSources : public Credentials {
 protected:
  AccessSources() { now_ = kStart2030 - 3600; }

  const ObjectService& service(const std::string& options = "") {
    service_ = make_s3_service(*config::parse_remote_url("s3://bucket/?region=eu-west-1" + options), variables());
    return *service_;
  }
  void use_container(const LocalWebServer& server) { set_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url(); }

  static std::string answer(const std::string& key, const std::string& end) {
    return R"({"AccessKeyId":")" + key + R"(","SecretAccessKey":"s","Token":"t","Expiration":")" + end + "\"}";
  }

  std::unique_ptr<const ObjectService> service_;
};

TEST_F(AccessSources, KeepWhatTheyFoundUntilItEnds) {
  LocalWebServer server([&](const LocalWebServer::Request&) {
    return LocalWebServer::Reply{.body = answer("A", "2030-01-01T00:00:00Z")};
  });
  use_container(server);
  AccessSource source(service(), world().now);
  for (int i = 0; i < 10; ++i) EXPECT_EQ((*source.get(20s))->identity(), "A s t");
  EXPECT_EQ(server.count(), 1u);
  now_ = kStart2030 + 1;
  EXPECT_FALSE(source.get(0ms)) << "what has ended is not used";
}

TEST_F(AccessSources, DoNotLetALookUpWaitForASlowSearch) {
  std::atomic<bool> may_answer = false;
  LocalWebServer server([&](const LocalWebServer::Request&) {
    support::comes_true([&] { return may_answer.load(); });
    return LocalWebServer::Reply{.body = answer("A", "2030-01-01T00:00:00Z")};
  });
  use_container(server);
  AccessSource source(service(), world().now);
  const Result<AccessPtr> early = source.get(20ms);
  EXPECT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::timed_out);
  may_answer = true;
  EXPECT_TRUE(support::comes_true([&] { return source.get(20ms).ok(); }));
}

TEST_F(AccessSources, TellWhyNothingWasFoundAndShowNoSecret) {
  LocalWebServer server(
      [](const LocalWebServer::Request&) { return LocalWebServer::Reply{.status = 500, .body = "secret answer"}; });
  use_container(server);
  set_["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "secret";
  AccessSource source(service(), world().now);
  const Result<AccessPtr> access = source.get(20s);
  ASSERT_FALSE(access);
  EXPECT_THAT(access.error().message, HasSubstr("HTTP status 500"));
  EXPECT_THAT(access.error().message, Not(HasSubstr("secret")));
}

TEST_F(AccessSources, NeedNoCredentialsWithoutSigning) {
  AccessSource source(service("&credentials=none"), world().now);
  const Result<AccessPtr> access = source.get(20s);
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ((*access)->identity(), "");
}

constexpr const char* kDate2030 = "Date: Tue, 01 Jan 2030 00:00:00 GMT";

class S3Trouble : public VariablesOfTest {
 protected:
  S3Trouble() {
    set_["AWS_EC2_METADATA_DISABLED"] = "true";
    write_keys("FIRST");
  }

  void write_keys(const std::string& key) const {
    home_.write(".aws/credentials", "[default]\naws_access_key_id = " + key + "\naws_secret_access_key = verysecret\n");
  }

  std::unique_ptr<Backend> backend_at(const LocalWebServer& server, const std::string& options = "") {
    const auto url = config::parse_remote_url("s3://bucket/dir?endpoint=" + server.url() + options);
    EXPECT_TRUE(url) << url.error().message;
    return backend_of(make_s3_service(*url, variables()));
  }

  static bool is_signed_by(const LocalWebServer::Request& request, const std::string& key) {
    const auto header = request.headers.find("authorization");
    return header != request.headers.end() && header->second.find("Credential=" + key + "/") != std::string::npos;
  }

  const Digest key_ = digest_of("key");
};

TEST_F(S3Trouble, IsNamedByItsCode) {
  struct Answered {
    int status;
    const char* code;
    Trouble trouble;
  };
  const Answered cases[] = {{403, "AccessDenied", Trouble::refused},
                            {403, "InvalidAccessKeyId", Trouble::refused},
                            {403, "SignatureDoesNotMatch", Trouble::refused},
                            {404, "NoSuchBucket", Trouble::refused},
                            {400, "AuthorizationHeaderMalformed", Trouble::refused},
                            {503, "SlowDown", Trouble::throttled},
                            {429, "TooManyRequests", Trouble::throttled},
                            {500, "InternalError", Trouble::unreachable},
                            {400, "RequestTimeout", Trouble::unreachable},
                            {413, "EntityTooLarge", Trouble::full},
                            {507, "XMinioStorageFull", Trouble::full}};
  for (const Answered& one : cases) {
    LocalWebServer server(
        [&](const LocalWebServer::Request&) { return coded_error(one.status, one.code, {"Retry-After: 7"}); });
    const std::unique_ptr<Backend> backend = backend_at(server);
    for (const std::optional<Failure>& failure :
         {backend->list(key_, kPatient).failure, backend->add_to_list(key_, {path_set("a", 1)}, kPatient).failure,
          backend->put_blob(digest_of("x"), "x", kPatient).failure}) {
      ASSERT_TRUE(failure) << one.code;
      EXPECT_EQ(failure->trouble, one.trouble) << one.code;
      EXPECT_THAT(failure->message, HasSubstr("HTTP status " + std::to_string(one.status))) << one.code;
      EXPECT_EQ(failure->retry_after, one.trouble == Trouble::throttled ? 7s : 0s) << one.code;
    }
  }
}

TEST_F(S3Trouble, OfAMissingObjectIsAMiss) {
  LocalWebServer server([](const LocalWebServer::Request&) { return coded_error(404, "NoSuchKey"); });
  const Answer<RemoteResult> answer = backend_at(server)->result(key_, kPatient);
  EXPECT_FALSE(answer.failure);
  EXPECT_FALSE(answer.value);
  EXPECT_TRUE(is_signed_by(server.requests().front(), "FIRST"));
  EXPECT_THAT(server.requests().front().path, HasSubstr("/bucket/dir/v1/r/"));
}

TEST_F(S3Trouble, OfAnEmptyOrWrongAnswerIsAFailureAndNoMiss) {
  std::string body;
  LocalWebServer server([&](const LocalWebServer::Request&) { return LocalWebServer::Reply{.body = body}; });
  for (const std::string& one :
       {std::string(), std::string("<html>sign in</html>"), encode_list(digest_of("other"), {})}) {
    body = one;
    const Answer<List> answer = backend_at(server)->list(key_, kPatient);
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.failure->trouble, Trouble::damaged);
  }
}

TEST_F(S3Trouble, OfAnotherRegionSaysWhichOne) {
  LocalWebServer server([](const LocalWebServer::Request&) {
    return coded_error(301, "PermanentRedirect", {"x-amz-bucket-region: eu-west-3", "Location: http://127.0.0.1:1/"});
  });
  const Answer<List> answer = backend_at(server)->list(key_, kPatient);
  EXPECT_EQ(problem(answer), "HTTP status 301 (PermanentRedirect); the bucket is in region=eu-west-3");
  EXPECT_EQ(server.count(), 1u) << "no redirect is followed";
}

TEST_F(S3Trouble, OfAServerThatWritesSecretsBackShowsNone) {
  LocalWebServer server([](const LocalWebServer::Request& request) {
    return coded_error(403, "x " + request.headers.at("authorization") + " verysecret");
  });
  EXPECT_EQ(problem(backend_at(server)->list(key_, kPatient)), "HTTP status 403");
}

TEST_F(S3Trouble, OfAWrongClockIsMendedByTheServersClock) {
  LocalWebServer server([](const LocalWebServer::Request& request) -> LocalWebServer::Reply {
    if (request.headers.at("x-amz-date") == "20300101T000000Z") return coded_error(404, "NoSuchKey");
    return coded_error(403, "RequestTimeTooSkewed", {kDate2030});
  });
  now_ = kStart2030 - 7200;
  const std::unique_ptr<Backend> backend = backend_at(server);
  EXPECT_EQ(problem(backend->list(key_, kPatient)), "");
  EXPECT_EQ(server.count(), 2u);
  EXPECT_EQ(problem(backend->list(key_, kPatient)), "");
  EXPECT_EQ(server.count(), 3u) << "the offset is remembered";
}

TEST_F(S3Trouble, OfAClockThatTheServerNeverAcceptsEndsAfterOneMoreRequest) {
  LocalWebServer server(
      [](const LocalWebServer::Request&) { return coded_error(403, "RequestTimeTooSkewed", {kDate2030}); });
  EXPECT_EQ(problem(backend_at(server)->list(key_, kPatient)), "HTTP status 403 (RequestTimeTooSkewed)");
  EXPECT_EQ(server.count(), 2u);
}

// A server that refuses the first keys. Once it has, the file holds others.
class EndedKeys {
 public:
  EndedKeys(int status, std::function<void()> renew) : status_(status), renew_(std::move(renew)) {}

  LocalWebServer::Reply operator()(bool is_signed_by_first) {
    if (!is_signed_by_first) return {};
    if (!std::exchange(has_renewed_, true)) renew_();
    return coded_error(status_, "ExpiredToken");
  }

 private:
  const int status_;
  const std::function<void()> renew_;
  bool has_renewed_ = false;
};

TEST_F(S3Trouble, OfCredentialsThatHaveEndedIsAMissForALookUp) {
  for (const int status : {400, 403}) {
    write_keys("FIRST");
    EndedKeys keys(status, [this] { write_keys("SECOND"); });
    LocalWebServer server([&](const LocalWebServer::Request& request) { return keys(is_signed_by(request, "FIRST")); });
    const std::unique_ptr<Backend> backend = backend_at(server);
    const Answer<List> answer = backend->list(key_, kPatient);
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.failure->trouble, Trouble::unreachable) << "it may pass";
    EXPECT_EQ(answer.failure->message, "HTTP status " + std::to_string(status) + " (ExpiredToken)");
    EXPECT_EQ(server.count(), 1u) << "a look-up does not wait";
    EXPECT_TRUE(support::comes_true([&] { return backend->list(key_, kPatient).failure->trouble == Trouble::damaged; }))
        << "an empty answer to the second keys";
  }
}

TEST_F(S3Trouble, OfCredentialsThatHaveEndedIsMendedWithinAWrite) {
  for (const int status : {400, 403}) {
    write_keys("FIRST");
    EndedKeys keys(status, [this] { write_keys("SECOND"); });
    LocalWebServer server([&](const LocalWebServer::Request& request) { return keys(is_signed_by(request, "FIRST")); });
    EXPECT_EQ(problem(backend_at(server)->put_result(key_, {}, std::vector<Digest>{}, kPatient)), "");
    EXPECT_EQ(server.count(), 2u);
    EXPECT_TRUE(is_signed_by(server.requests().back(), "SECOND"));
  }
}

TEST_F(S3Trouble, OfCredentialsThatHaveEndedAndStayTheSameEndsAfterOneSearch) {
  LocalWebServer server([](const LocalWebServer::Request&) { return coded_error(403, "ExpiredToken"); });
  EXPECT_NE(problem(backend_at(server)->put_result(key_, {}, std::vector<Digest>{}, kPatient)), "");
  EXPECT_EQ(server.count(), 1u);
}

TEST_F(S3Trouble, OfMissingCredentialsIsNoRequest) {
  home_.write(".aws/credentials", "");
  LocalWebServer server([](const LocalWebServer::Request&) { return LocalWebServer::Reply{}; });
  const Answer<List> answer = backend_at(server)->list(key_, kPatient);
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::refused);
  EXPECT_THAT(answer.failure->message, HasSubstr("no credentials"));
  EXPECT_EQ(server.count(), 0u);
}

TEST_F(S3Trouble, OfPublicBucketsIsReadWithoutCredentials) {
  LocalWebServer server([](const LocalWebServer::Request& request) {
    return request.headers.contains("authorization") ? coded_error(403, "AccessDenied") : coded_error(404, "NoSuchKey");
  });
  EXPECT_EQ(problem(backend_at(server, "&credentials=none")->list(key_, kPatient)), "");
}

TEST_F(S3Trouble, OfABlobThatHeadRefusesIsToldByPut) {
  LocalWebServer server([](const LocalWebServer::Request& request) {
    return request.method == "HEAD" ? coded_error(403, "AccessDenied") : LocalWebServer::Reply{};
  });
  EXPECT_TRUE(backend_at(server)->put_blob(digest_of("x"), "x", kPatient).value) << "who may not list may write";
}

// One object, as servers of different kinds keep it.
class OneList {
 public:
  enum class Kind { compares, refuses_conditions, ignores_conditions };
  explicit OneList(Kind kind) : kind_(kind) {}

  LocalWebServer::Reply operator()(const LocalWebServer::Request& request) {
    if (request.method == "GET")
      return value_.empty() ? coded_error(404, "NoSuchKey")
                            : LocalWebServer::Reply{.body = value_, .headers = {"ETag: " + tag()}};
    const auto match = request.headers.find("if-match");
    const auto none_match = request.headers.find("if-none-match");
    const bool is_conditional = match != request.headers.end() || none_match != request.headers.end();
    if (is_conditional && kind_ == Kind::refuses_conditions) return coded_error(501, "NotImplemented");
    if (kind_ == Kind::compares) {
      if (match != request.headers.end() && match->second != tag()) return coded_error(412, "PreconditionFailed");
      if (none_match != request.headers.end() && !value_.empty()) return coded_error(412, "PreconditionFailed");
    }
    value_ = request.body;
    ++writes_;
    return {};
  }

 private:
  std::string tag() const { return "\"" + std::to_string(writes_) + "\""; }

  const Kind kind_;
  std::string value_;
  int writes_ = 0;
};

TEST_F(S3Trouble, OfServersThatDoNotCompareIsFoundOutAndListsAreWrittenAsOnPlainServers) {
  using Kind = OneList::Kind;
  for (const auto& [kind, does_compare] : {std::pair(Kind::compares, true), std::pair(Kind::refuses_conditions, false),
                                           std::pair(Kind::ignores_conditions, false)}) {
    OneList list(kind);
    LocalWebServer server([&](const LocalWebServer::Request& request) { return list(request); });
    const std::unique_ptr<Backend> backend = backend_at(server);
    for (const char* name : {"a", "b"})
      EXPECT_EQ(problem(backend->add_to_list(key_, {path_set(name, 1)}, kPatient)), "");
    EXPECT_EQ(*backend->list(key_, kPatient).value, (List{path_set("b", 1), path_set("a", 1)}));
    const auto before = server.count();
    EXPECT_TRUE(backend->add_to_list(key_, {path_set("c", 1)}, kPatient).value);
    const std::vector<LocalWebServer::Request> requests = server.requests();
    const bool compared = std::any_of(requests.begin() + static_cast<std::ptrdiff_t>(before), requests.end(),
                                      [](const auto& request) { return request.headers.contains("if-match"); });
    EXPECT_EQ(compared, does_compare);
    EXPECT_TRUE(has(*backend->list(key_, kPatient).value, path_set("c", 1)));
  }
}

}  // namespace
}  // namespace hipcache::remote
