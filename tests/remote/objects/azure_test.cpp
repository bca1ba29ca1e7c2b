// Azure Blob by a server within the test: credentials from each place where Azure's tools find them, and what is
// answered when something is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "remote/layout/sha256.h"
#include "remote/objects/azure_service.h"
#include "remote/objects/local_web_server.h"
#include "remote/objects/object_service.h"
#include "remote/objects/variables_of_test.h"
#include "remote/support.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Request = LocalWebServer::Request;
using Reply = LocalWebServer::Reply;

class Azure : public VariablesOfTest {
 protected:
  // No server for instances is near.
  Azure() { set_["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = "http://127.0.0.1:1"; }

  static config::RemoteUrl url(const std::string& options = "") {
    const auto parsed = config::parse_remote_url("azblob://ouraccount/cache/some dir?" + options);
    EXPECT_TRUE(parsed) << parsed.error().message;
    return *parsed;
  }

  // Key, SAS or token; or the error.
  std::string found(const std::string& options = "") {
    const Result<AzureCredentials> credentials = find_azure_credentials(url(options), world());
    if (!credentials) return "error: " + credentials.error().message;
    return credentials->key + credentials->sas + credentials->token.text;
  }

  // Where a look-up would go.
  std::string place(const std::string& options = "") {
    const Result<AccessPtr> access = make_azure_service(url(options), world())->find_access();
    EXPECT_TRUE(access) << access.error().message;
    return (*access)->signed_request({.name = "v1"}, world().now()).url;
  }

  std::unique_ptr<Backend> backend_at(const LocalWebServer& server, const std::string& options = "") {
    return backend_of(make_azure_service(url("endpoint=" + server.url() + options), world()));
  }

  static std::string header(const Request& request, const std::string& name) {
    const auto known = request.headers.find(name);
    return known == request.headers.end() ? "" : known->second;
  }

  const Digest key_ = digest_of("key");
};

TEST(AzureDates, AreThoseOfHttp) {
  EXPECT_EQ(http_date(std::chrono::system_clock::from_time_t(1435361952)), "Fri, 26 Jun 2015 23:39:12 GMT");
  EXPECT_EQ(http_date(std::chrono::system_clock::from_time_t(1893456000)), "Tue, 01 Jan 2030 00:00:00 GMT");
}

TEST(SharedKeys, SignTheTextThatAzuresManualDescribes) {
  const AzureRequest request{.method = "PUT",
                             .path = "/cache/some%20dir/v1",
                             .headers = {{"if-none-match", "*"},
                                         {"x-ms-version", "2021-12-02"},
                                         {"x-ms-blob-type", "BlockBlob"},
                                         {"x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"}},
                             .body_size = 11};
  const std::string text =
      "PUT\n\n\n11\n\n\n\n\n\n*\n\n\n"
      "x-ms-blob-type:BlockBlob\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2021-12-02\n"
      "/ouraccount/cache/some%20dir/v1";
  EXPECT_EQ(shared_key_authorization(request, "ouraccount", "key"),
            "SharedKey ouraccount:" + base64_of(hmac_sha256("key", text)));
}

TEST_F(Azure, CredentialsComeFromAConnectionString) {
  set_["AZURE_STORAGE_CONNECTION_STRING"] =
      "DefaultEndpointsProtocol=https;AccountName=ouraccount;AccountKey=c2VjcmV0;EndpointSuffix=core.chinacloudapi.cn";
  EXPECT_EQ(found(), "secret");
  EXPECT_EQ(place(), "https://ouraccount.blob.core.chinacloudapi.cn/cache/some%20dir/v1");
  set_["AZURE_STORAGE_CONNECTION_STRING"] =
      "BlobEndpoint=https://Host:444/path/;SharedAccessSignature=sv=1&sig=a%2Fb%3D";
  EXPECT_EQ(found(), "sv=1&sig=a%2Fb%3D");
  EXPECT_EQ(place(), "https://host:444/path/cache/some%20dir/v1?sv=1&sig=a%2Fb%3D");
  const std::string file = home_.write("string", "AccountName=ouraccount;AccountKey=ZmlsZQ==\n");
  EXPECT_EQ(found("credentials_file=" + file), "file") << "which counts before variables";
}

TEST_F(Azure, CredentialsComeFromVariablesOfKeyAndSignature) {
  set_["AZURE_STORAGE_SAS_TOKEN"] = "?sv=1&sig=x";
  EXPECT_EQ(found(), "sv=1&sig=x");
  set_["AZURE_STORAGE_KEY"] = "c2VjcmV0";
  EXPECT_EQ(found(), "secret");
  set_["AZURE_STORAGE_ACCOUNT"] = "ouraccount";
  EXPECT_EQ(found(), "secret");
  EXPECT_EQ(found("credentials=none"), "");
}

TEST_F(Azure, PlacesHaveTheAccountInTheHostOrInThePath) {
  EXPECT_EQ(place("credentials=none"), "https://ouraccount.blob.core.windows.net/cache/some%20dir/v1");
  EXPECT_EQ(place("credentials=none&endpoint=https://ouraccount.blob.core.usgovcloudapi.net"),
            "https://ouraccount.blob.core.usgovcloudapi.net/cache/some%20dir/v1");
  EXPECT_EQ(place("credentials=none&endpoint=http://127.0.0.1:10000"),
            "http://127.0.0.1:10000/ouraccount/cache/some%20dir/v1");
}

TEST_F(Azure, CredentialsThatCannotBeUsedAreErrorsWithoutSecrets) {
  const auto error_of = [&](const std::string& name, const std::string& value) {
    set_[name] = value;
    std::string error = found();
    set_.erase(name);
    EXPECT_THAT(error, AllOf(HasSubstr("error: "), Not(HasSubstr("secret"))));
    return error;
  };
  const std::string string = "AZURE_STORAGE_CONNECTION_STRING";
  EXPECT_THAT(error_of(string, "AccountName=other;AccountKey=c2VjcmV0"),
              HasSubstr(string + " is of another account than the URL's, which is ouraccount"));
  EXPECT_THAT(error_of(string, "AccountName=ouraccount"), HasSubstr("neither AccountKey nor SharedAccessSignature"));
  EXPECT_THAT(error_of(string, "AccountKey=%secret"), HasSubstr("holds no key of an account in base64"));
  EXPECT_THAT(error_of(string, "AccountKey=c2VjcmV0\n"), HasSubstr("holds no key of an account in base64"));
  EXPECT_THAT(error_of(string, "BlobEndpoint=host;AccountKey=c2VjcmV0"), HasSubstr("BlobEndpoint is no address"));
  EXPECT_THAT(error_of(string, "SharedAccessSignature=sv=secret"), HasSubstr("no shared access signature"));
  EXPECT_THAT(error_of("AZURE_STORAGE_SAS_TOKEN", "sig=secret#"), HasSubstr("no shared access signature"));
  EXPECT_THAT(error_of("AZURE_STORAGE_KEY", "secret!"), HasSubstr("AZURE_STORAGE_KEY holds no key"));
  set_["AZURE_STORAGE_ACCOUNT"] = "other";
  EXPECT_THAT(error_of("AZURE_STORAGE_KEY", "c2VjcmV0"),
              HasSubstr("AZURE_STORAGE_ACCOUNT is another account than the URL's"));
  EXPECT_THAT(found(), HasSubstr("error: no credentials in Azure's variables; the instance's server"));
}

TEST_F(Azure, TokensOfAnInstanceComeFromItsServer) {
  LocalWebServer server([](const Request& request) -> Reply {
    if (header(request, "metadata") != "true") return {.status = 400};
    const bool is_of_identity = request.path.ends_with("&client_id=an%20id");
    return {.body = std::string(R"({"access_token":")") + (is_of_identity ? "of-id" : "of-instance") +
                    R"(","expires_in":"3600"})"};
  });
  set_["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = server.url() + "/";
  EXPECT_EQ(found(), "of-instance");
  EXPECT_THAT(
      server.requests().front().path,
      HasSubstr("/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com"));
  EXPECT_EQ(find_azure_credentials(url(), world())->token.expires,
            std::chrono::system_clock::from_time_t(kStart2030 + 3600));
  set_["AZURE_CLIENT_ID"] = "an id";
  EXPECT_EQ(found(), "of-id");
}

TEST_F(Azure, TokensOfAnApplicationComeFromEntra) {
  LocalWebServer server([](const Request& request) -> Reply {
    const bool is_good = request.path == "/tenant/oauth2/v2.0/token" &&
                         (request.body.find("client_assertion=jwt%2F1") != std::string::npos ||
                          request.body.find("client_secret=s%26t") != std::string::npos);
    if (!is_good) return {.status = 401, .body = R"({"error":"invalid_client","error_description":"s&t"})"};
    return {.body = R"({"access_token":"of-application","expires_in":3600})"};
  });
  set_["AZURE_AUTHORITY_HOST"] = server.url() + "/";
  set_["AZURE_CLIENT_ID"] = "id";
  set_["AZURE_FEDERATED_TOKEN_FILE"] = home_.write("token", "jwt/1\n");
  EXPECT_THAT(found(), HasSubstr("AZURE_TENANT_ID"));
  set_["AZURE_TENANT_ID"] = "tenant";
  EXPECT_EQ(found(), "of-application");
  home_.write("token", "other");
  EXPECT_EQ(found(), "error: Entra ID: HTTP status 401 (invalid_client)");
  set_.erase("AZURE_FEDERATED_TOKEN_FILE");
  set_["AZURE_CLIENT_SECRET"] = "s&t";
  EXPECT_EQ(found(), "of-application");
}

Reply refusal(int status, const std::string& code, std::vector<std::string> headers = {}) {
  headers.push_back("x-ms-error-code: " + code);
  return {.status = status, .body = {}, .headers = headers};
}

class AzureTrouble : public Azure {
 protected:
  AzureTrouble() { set_["AZURE_STORAGE_KEY"] = "c2VjcmV0"; }
};

TEST_F(AzureTrouble, IsNamedByItsCode) {
  struct Case {
    int status;
    const char* code;
    Trouble trouble;
  };
  const Case cases[] = {{403, "AuthenticationFailed", Trouble::refused},
                        {403, "AuthorizationPermissionMismatch", Trouble::refused},
                        {404, "ContainerNotFound", Trouble::refused},
                        {409, "PublicAccessNotPermitted", Trouble::refused},
                        {401, "InvalidAuthenticationInfo", Trouble::unreachable},
                        {503, "ServerBusy", Trouble::throttled},
                        {429, "TooManyRequests", Trouble::throttled},
                        {500, "OperationTimedOut", Trouble::unreachable},
                        {413, "RequestBodyTooLarge", Trouble::full}};
  for (const Case& one : cases) {
    LocalWebServer server([&](const Request&) { return refusal(one.status, one.code, {"Retry-After: 7"}); });
    const std::unique_ptr<Backend> backend = backend_at(server);
    for (const std::optional<Failure>& failure :
         {backend->list(key_, kPatient).failure, backend->add_to_list(key_, {path_set("a", 1)}, kPatient).failure,
          backend->put_blob(digest_of("x"), "x", kPatient).failure}) {
      ASSERT_TRUE(failure) << one.code;
      EXPECT_EQ(failure->trouble, one.trouble) << one.code;
      EXPECT_THAT(failure->message, StartsWith("HTTP status " + std::to_string(one.status) + " (" + one.code + ")"));
      EXPECT_EQ(failure->retry_after, one.trouble == Trouble::throttled ? 7s : 0s) << one.code;
    }
  }
}

TEST_F(AzureTrouble, OfAMissingRightNamesTheRole) {
  LocalWebServer server([](const Request&) { return coded_error(403, "AuthorizationPermissionMismatch"); });
  EXPECT_EQ(problem(backend_at(server)->list(key_, kPatient)),
            "HTTP status 403 (AuthorizationPermissionMismatch); the identity needs the role Storage Blob Data "
            "Contributor, or Reader with mode=ro");
}

TEST_F(AzureTrouble, OfAMissingBlobIsAMiss) {
  LocalWebServer server([](const Request&) { return coded_error(404, "BlobNotFound"); });
  const Answer<RemoteResult> answer = backend_at(server)->result(key_, kPatient);
  EXPECT_FALSE(answer.failure);
  EXPECT_FALSE(answer.value);
  const Request request = server.requests().front();
  EXPECT_THAT(request.path, HasSubstr("/ouraccount/cache/some%20dir/v1/r/"));
  EXPECT_THAT(header(request, "authorization"), HasSubstr("SharedKey ouraccount:"));
}

TEST_F(AzureTrouble, OfAServerThatWritesSecretsBackShowsNone) {
  LocalWebServer server(
      [](const Request& request) { return refusal(403, header(request, "authorization") + " secret"); });
  EXPECT_EQ(problem(backend_at(server)->list(key_, kPatient)), "HTTP status 403");
}

TEST_F(AzureTrouble, OfARedirectIsNotFollowed) {
  LocalWebServer server(
      [](const Request&) { return Reply{.status = 302, .headers = {"Location: http://127.0.0.1:1/"}}; });
  EXPECT_EQ(problem(backend_at(server)->list(key_, kPatient)), "HTTP status 302");
  EXPECT_EQ(server.count(), 1u);
}

TEST_F(AzureTrouble, OfAWrongClockIsMendedByTheServersClock) {
  LocalWebServer server([](const Request& request) -> Reply {
    const std::string date = "Tue, 01 Jan 2030 00:00:00 GMT";
    if (header(request, "x-ms-date") == date) return refusal(404, "BlobNotFound");
    return refusal(403, "AuthenticationFailed", {"Date: " + date});
  });
  now_ = kStart2030 - 7200;
  const std::unique_ptr<Backend> backend = backend_at(server);
  EXPECT_EQ(problem(backend->list(key_, kPatient)), "");
  EXPECT_EQ(server.count(), 2u);
  EXPECT_EQ(problem(backend->list(key_, kPatient)), "");
  EXPECT_EQ(server.count(), 3u) << "the offset is remembered";
}

TEST_F(AzureTrouble, OfAKeyThatWasReplacedIsMendedWithinAWrite) {
  const auto text = [](const std::string& key) { return "AccountName=ouraccount;AccountKey=" + base64_of(key); };
  const std::string file = home_.write("string", text("first"));
  std::string refused;  // the first signature that came
  LocalWebServer server([&](const Request& request) {
    if (!refused.empty()) return Reply{.status = 201};
    refused = header(request, "authorization");
    home_.write("string", text("second"));
    return refusal(403, "AuthenticationFailed");
  });
  const std::unique_ptr<Backend> backend = backend_at(server, "&credentials_file=" + file);
  EXPECT_EQ(problem(backend->put_result(key_, {}, std::vector<Digest>{}, kPatient)), "");
  ASSERT_EQ(server.count(), 2u);
  EXPECT_NE(header(server.requests().back(), "authorization"), refused);
}

TEST_F(AzureTrouble, OfATokenThatHasEndedIsMendedWithinAWrite) {
  set_.erase("AZURE_STORAGE_KEY");
  int tokens = 0;
  LocalWebServer server([&](const Request& request) -> Reply {
    if (request.path.starts_with("/metadata/"))
      return {.body = R"({"access_token":")" + std::to_string(++tokens) + R"(","expires_in":"3600"})"};
    if (header(request, "authorization") == "Bearer 1") return refusal(401, "InvalidAuthenticationInfo");
    return {.status = 201};
  });
  set_["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = server.url();
  EXPECT_EQ(problem(backend_at(server)->put_result(key_, {}, std::vector<Digest>{}, kPatient)), "");
  EXPECT_EQ(header(server.requests().back(), "authorization"), "Bearer 2");
}

TEST_F(AzureTrouble, OfAnotherWriterIsMergedWith) {
  std::string value;
  LocalWebServer server([&](const Request& request) -> Reply {
    if (request.method == "GET")
      return value.empty() ? refusal(404, "BlobNotFound") : Reply{.body = value, .headers = {"ETag: \"1\""}};
    if (header(request, "if-none-match") == "*") {
      if (value.empty()) value = encode_list(key_, {path_set("another", 1)});
      return refusal(409, "BlobAlreadyExists");
    }
    if (header(request, "if-match") != "\"1\"") return refusal(412, "ConditionNotMet");
    value = request.body;
    return {.status = 201};
  });
  const std::unique_ptr<Backend> backend = backend_at(server);
  EXPECT_EQ(problem(backend->add_to_list(key_, {path_set("a", 1)}, kPatient)), "");
  EXPECT_EQ(*backend->list(key_, kPatient).value, (List{path_set("a", 1), path_set("another", 1)}));
}

}  // namespace
}  // namespace hipcache::remote
