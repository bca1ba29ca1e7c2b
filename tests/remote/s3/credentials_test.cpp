// Credentials from each place where AWS's tools find them, with servers within the test for containers, instances and
// STS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "remote/objects/credential_server.h"
#include "remote/objects/local_web_server.h"
#include "remote/objects/object_service.h"
#include "remote/objects/variables_of_test.h"
#include "remote/s3/credential_chain.h"
#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace hipcache::remote
