// Google Cloud Storage by a server within the test: credentials from each place where Google's tools find them, and
// what is answered when something is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <nlohmann/json.hpp>

#include "remote/layout/sha256.h"
#include "remote/objects/google_service.h"
#include "remote/objects/local_web_server.h"
#include "remote/objects/object_service.h"
#include "remote/objects/variables_of_test.h"
#include "remote/support.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Request = LocalWebServer::Request;
using Reply = LocalWebServer::Reply;

std::string pem_of(EVP_PKEY* key) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  EXPECT_EQ(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr), 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string from_base64url(std::string text) {
  for (char& letter : text) letter = letter == '-' ? '+' : letter == '_' ? '/' : letter;
  while (text.size() % 4 != 0) text += '=';
  return bytes_of_base64(text).value_or("");
}

std::string value_in_form(const std::string& form, const std::string& name) {
  const auto start = ("&" + form).find("&" + name + "=");
  if (start == std::string::npos) return "";
  const std::string rest = form.substr(start + name.size() + 1);
  return rest.substr(0, rest.find('&'));
}

Reply token(const std::string& text) {
  return {.body = R"({"access_token":")" + text + R"(","expires_in":3600,"token_type":"Bearer"})"};
}

Reply refusal(int status, const std::string& reason, const std::vector<std::string>& headers = {}) {
  const json error{{"code", status}, {"message", "m"}, {"errors", {{{"reason", reason}, {"message", "m"}}}}};
  return {.status = status, .body = json{{"error", error}}.dump(), .headers = headers};
}

std::string bearer_of(const Request& request) {
  const auto header = request.headers.find("authorization");
  return header == request.headers.end() ? "" : header->second;
}

class Google : public VariablesOfTest {
 protected:
  // A home without a server for instances near.
  Google() { set_["GCE_METADATA_HOST"] = "127.0.0.1:1"; }

  // The token, or the error.
  std::string found(const GoogleWish& wish = {}) {
    const Result<BearerToken> token = find_google_token(wish, world());
    return token ? token->text : "error: " + token.error().message;
  }

  std::string write_account(const std::string& token_server, const std::string& key) {
    const json account{{"type", "service_account"},
                       {"client_email", "ci@project.example"},
                       {"private_key_id", "key1"},
                       {"private_key", key},
                       {"token_uri", token_server}};
    return home_.write("account.json", account.dump());
  }

  std::unique_ptr<Backend> backend_at(const LocalWebServer& server, const std::string& options = "") {
    const auto url = config::parse_remote_url("gs://our-bucket/some dir?endpoint=" + server.url() + options);
    EXPECT_TRUE(url) << url.error().message;
    return backend_of(make_google_service(*url, world()));
  }

  const Digest key_ = digest_of("key");
};

TEST_F(Google, TokensOfAServiceAccountCostASignature) {
  const Owned<EVP_PKEY> key(EVP_RSA_gen(2048));
  LocalWebServer server([](const Request&) { return token("ya29"); });
  set_["GOOGLE_APPLICATION_CREDENTIALS"] = write_account(server.url() + "/token", pem_of(key.get()));
  EXPECT_EQ(found(), "ya29");
  const Request asked = server.requests().front();
  EXPECT_EQ(asked.path, "/token");
  EXPECT_EQ(value_in_form(asked.body, "grant_type"), "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer");
  const std::string assertion = value_in_form(asked.body, "assertion");
  const auto first = assertion.find('.');
  const auto second = assertion.rfind('.');
  ASSERT_LT(first, second);
  const json header = json::parse(from_base64url(assertion.substr(0, first)));
  const json claims = json::parse(from_base64url(assertion.substr(first + 1, second - first - 1)));
  EXPECT_EQ(header, (json{{"alg", "RS256"}, {"typ", "JWT"}, {"kid", "key1"}}));
  EXPECT_EQ(claims, (json{{"iss", "ci@project.example"},
                          {"scope", "https://www.googleapis.com/auth/devstorage.read_write"},
                          {"aud", server.url() + "/token"},
                          {"iat", kStart2030},
                          {"exp", kStart2030 + 3600}}));
  const std::string text = assertion.substr(0, second);
  const std::string signature = from_base64url(assertion.substr(second + 1));
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  ASSERT_EQ(EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()), 1);
  EXPECT_EQ(EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                             reinterpret_cast<const unsigned char*>(text.data()), text.size()),
            1);
  EXPECT_EQ(find_google_token({}, world())->expires, std::chrono::system_clock::from_time_t(kStart2030 + 3600));
}

TEST_F(Google, TokensOfATierThatIsOnlyReadMayOnlyRead) {
  const Owned<EVP_PKEY> key(EVP_RSA_gen(2048));
  LocalWebServer server([](const Request&) { return token("ya29"); });
  const std::string file = write_account(server.url(), pem_of(key.get()));
  EXPECT_EQ(found({.credentials_file = file, .writes = false}), "ya29");
  const std::string assertion = value_in_form(server.requests().front().body, "assertion");
  const auto first = assertion.find('.');
  EXPECT_THAT(from_base64url(assertion.substr(first + 1, assertion.rfind('.') - first - 1)),
              HasSubstr("devstorage.read_only"));
}

TEST_F(Google, TokensOfAUserComeFromGcloudsFile) {
  LocalWebServer server([](const Request& request) {
    return value_in_form(request.body, "refresh_token") == "1%2F%2Fr" ? token("of-user") : Reply{.status = 400};
  });
  const json user{{"type", "authorized_user"},
                  {"client_id", "c"},
                  {"client_secret", "s"},
                  {"refresh_token", "1//r"},
                  {"token_uri", server.url()}};
  home_.write(".config/gcloud/application_default_credentials.json", user.dump());
  EXPECT_EQ(found(), "of-user");
  set_["CLOUDSDK_CONFIG"] = home_ / "none";
  EXPECT_THAT(found(), HasSubstr("error: no credentials"));
}

TEST_F(Google, TokensOfAnotherProviderAreExchanged) {
  LocalWebServer server([](const Request& request) -> Reply {
    if (request.path == "/oidc")
      return bearer_of(request) == "Bearer job" ? Reply{.body = R"({"value":"jwt/1"})"} : Reply{.status = 401};
    if (request.path == "/sts")
      return value_in_form(request.body, "subject_token") == "jwt%2F1" ? token("federated") : Reply{.status = 400};
    if (bearer_of(request) != "Bearer federated" || request.path != "/impersonate") return {.status = 403};
    return {.body = R"({"accessToken":"of-account","expireTime":"2030-01-01T01:00:00Z"})"};
  });
  const json from_url{{"url", server.url() + "/oidc"},
                      {"headers", {{"Authorization", "Bearer job"}}},
                      {"format", {{"type", "json"}, {"subject_token_field_name", "value"}}}};
  json other{{"type", "external_account"},
             {"audience", "//iam.googleapis.com/x"},
             {"subject_token_type", "urn:ietf:params:oauth:token-type:jwt"},
             {"token_url", server.url() + "/sts"},
             {"credential_source", from_url}};
  const auto found_with = [&] { return found({.credentials_file = home_.write("other.json", other.dump())}); };
  EXPECT_EQ(found_with(), "federated");
  other["service_account_impersonation_url"] = server.url() + "/impersonate";
  EXPECT_EQ(found_with(), "of-account");
  other["credential_source"] = {{"file", home_.write("jwt", "jwt/1\n")}};
  EXPECT_EQ(found_with(), "of-account");
  other["credential_source"] = {{"environment_id", "aws1"}};
  EXPECT_THAT(found_with(), HasSubstr("the file of credentials_file=: credential_source has neither file nor url"));
  other["credential_source"] = from_url;
  other["credential_source"]["headers"] = {{"Authorization", "Bearer other"}};
  EXPECT_EQ(found_with(), "error: the identity provider: HTTP status 401");
}

TEST_F(Google, TokensOfAnInstanceComeFromItsServer) {
  LocalWebServer server([](const Request& request) -> Reply {
    const auto flavor = request.headers.find("metadata-flavor");
    if (flavor == request.headers.end() || flavor->second != "Google") return {.status = 403};
    if (request.path != "/computeMetadata/v1/instance/service-accounts/default/token") return {.status = 404};
    return token("of-instance");
  });
  set_["GCE_METADATA_HOST"] = server.url().substr(std::string("http://").size());
  EXPECT_EQ(found(), "of-instance");
}

TEST_F(Google, CredentialsThatCannotBeUsedAreErrorsWithoutSecrets) {
  const auto error_of = [&](const std::string& text) {
    return found({.credentials_file = home_.write("file.json", text)});
  };
  EXPECT_THAT(error_of("secret"), HasSubstr("the file of credentials_file=: this is no file of Google's credentials"));
  EXPECT_THAT(error_of(R"({"type":"secret"})"), HasSubstr("its type is none of service_account"));
  EXPECT_THAT(error_of(R"({"type":"service_account","private_key":"secret"})"), HasSubstr("client_email is missing"));
  EXPECT_THAT(error_of(R"({"type":"service_account","client_email":"e","private_key":"secret"})"),
              AllOf(HasSubstr("private_key: no RSA key in PEM"), Not(HasSubstr("secret"))));
  set_["GOOGLE_APPLICATION_CREDENTIALS"] = home_ / "absent.json";
  EXPECT_THAT(found(), HasSubstr("cannot open the file of GOOGLE_APPLICATION_CREDENTIALS"))
      << "and no other place is looked at";
  set_.erase("GOOGLE_APPLICATION_CREDENTIALS");
  EXPECT_THAT(found(), HasSubstr("GOOGLE_APPLICATION_CREDENTIALS is not set, there is no " + home_.path()));
}

TEST_F(Google, RefusalsOfTheTokenServerAreNamedByTheirCode) {
  const Owned<EVP_PKEY> key(EVP_RSA_gen(2048));
  std::string body;
  LocalWebServer server([&](const Request&) { return Reply{.status = 400, .body = body}; });
  const std::string file = write_account(server.url(), pem_of(key.get()));
  body = R"({"error":"invalid_grant","error_description":"secret"})";
  EXPECT_EQ(found({.credentials_file = file}), "error: Google's token server: HTTP status 400 (invalid_grant)");
  body = R"({"error":"Secret 1"})";
  EXPECT_EQ(found({.credentials_file = file}), "error: Google's token server: HTTP status 400");
}

TEST_F(Google, ObjectsHaveTheirNamesInOnePartOfTheAddress) {
  LocalWebServer server(
      [](const Request& request) { return request.method == "POST" ? Reply{.body = "{}"} : refusal(404, "notFound"); });
  const std::unique_ptr<Backend> backend = backend_at(server, "&credentials=none");
  EXPECT_EQ(problem(backend->result(key_, kPatient)), "");
  EXPECT_EQ(problem(backend->put_blob(digest_of("x"), "x", kPatient)), "");
  const std::vector<Request> requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_THAT(requests[0].path,
              AllOf(HasSubstr("/storage/v1/b/our-bucket/o/some%20dir%2Fv1%2Fr%2F"), HasSubstr("?alt=media")));
  EXPECT_THAT(requests[1].path, HasSubstr("?fields=generation"));
  EXPECT_THAT(requests[2].path,
              HasSubstr("/upload/storage/v1/b/our-bucket/o?uploadType=media&name=some%20dir%2Fv1%2Fb%2F"));
  for (const Request& request : requests) EXPECT_EQ(bearer_of(request), "");
}

TEST_F(Google, TroubleIsNamedByItsReason) {
  struct Case {
    int status;
    const char* reason;
    Trouble trouble;
  };
  const Case cases[] = {{403, "forbidden", Trouble::refused},           {401, "required", Trouble::refused},
                        {401, "authError", Trouble::unreachable},       {403, "rateLimitExceeded", Trouble::throttled},
                        {429, "rateLimitExceeded", Trouble::throttled}, {503, "backendError", Trouble::throttled},
                        {500, "backendError", Trouble::unreachable},    {413, "uploadTooLarge", Trouble::full}};
  for (const Case& one : cases) {
    LocalWebServer server([&](const Request&) { return refusal(one.status, one.reason, {"Retry-After: 7"}); });
    const std::unique_ptr<Backend> backend = backend_at(server, "&credentials=none");
    for (const std::optional<Failure>& failure :
         {backend->list(key_, kPatient).failure, backend->add_to_list(key_, {path_set("a", 1)}, kPatient).failure,
          backend->put_blob(digest_of("x"), "x", kPatient).failure}) {
      ASSERT_TRUE(failure) << one.reason;
      EXPECT_EQ(failure->trouble, one.trouble) << one.status << one.reason;
      EXPECT_THAT(failure->message, StartsWith("HTTP status " + std::to_string(one.status) + " (" + one.reason + ")"));
      EXPECT_EQ(failure->retry_after, one.trouble == Trouble::throttled ? 7s : 0s) << one.reason;
    }
  }
}

TEST_F(Google, AMissingBucketIsNoMiss) {
  LocalWebServer server(
      [](const Request&) { return Reply{.status = 404, .body = "The specified bucket does not exist."}; });
  const Answer<List> answer = backend_at(server, "&credentials=none")->list(key_, kPatient);
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::refused);
  EXPECT_EQ(answer.failure->message, "HTTP status 404; the bucket does not exist");
}

TEST_F(Google, ListsAreWrittenOnlyOverWhatWasRead) {
  std::string value;
  int generation = 0;
  bool meets_another = true;
  LocalWebServer server([&](const Request& request) -> Reply {
    if (request.method == "GET")
      return value.empty() ? refusal(404, "notFound")
                           : Reply{.body = value, .headers = {"x-goog-generation: " + std::to_string(generation)}};
    const bool is_met = request.path.ends_with("&ifGenerationMatch=" + std::to_string(generation));
    if (std::exchange(meets_another, false)) {
      value = encode_list(key_, {path_set("another", 1)});
      generation = 41;
    }
    if (!is_met || generation == 41) {
      if (generation == 41) generation = 42;
      return refusal(412, "conditionNotMet");
    }
    value = request.body;
    ++generation;
    return {.body = "{}"};
  });
  const std::unique_ptr<Backend> backend = backend_at(server, "&credentials=none");
  EXPECT_EQ(problem(backend->add_to_list(key_, {path_set("a", 1)}, kPatient)), "");
  EXPECT_EQ(*backend->list(key_, kPatient).value, (List{path_set("a", 1), path_set("another", 1)}));
}

// A token server whose tokens are "1", "2", and so on.
class Tokens {
 public:
  Reply operator()() { return token(std::to_string(++count_)); }

 private:
  int count_ = 0;
};

class GoogleTokens : public Google {
 protected:
  // Of a server that is for tokens and objects. It refuses the first token.
  Reply answer(const Request& request) {
    if (request.path == "/computeMetadata/v1/instance/service-accounts/default/token") return tokens_();
    if (bearer_of(request) == "Bearer 1") return refusal(401, "authError");
    return request.method == "GET" ? refusal(404, "notFound") : Reply{.body = "{}"};
  }
  void use(const LocalWebServer& server) { set_["GCE_METADATA_HOST"] = server.url().substr(7); }

  Tokens tokens_;
};

TEST_F(GoogleTokens, ThatHaveEndedAreRenewedWithinAWrite) {
  LocalWebServer server([this](const Request& request) { return answer(request); });
  use(server);
  EXPECT_EQ(problem(backend_at(server)->put_result(key_, {}, std::vector<Digest>{}, kPatient)), "");
  EXPECT_EQ(bearer_of(server.requests().back()), "Bearer 2");
}

TEST_F(GoogleTokens, AreRenewedBeforeTheyEnd) {
  LocalWebServer server([this](const Request& request) { return answer(request); });
  use(server);
  const std::unique_ptr<Backend> backend = backend_at(server);
  EXPECT_EQ(problem(backend->put_result(key_, {}, std::vector<Digest>{}, kPatient)), "") << "with the second one";
  now_ = kStart2030 + 3600 - 60;
  EXPECT_TRUE(support::comes_true([&] {
    EXPECT_EQ(problem(backend->list(key_, kPatient)), "");
    return bearer_of(server.requests().back()) == "Bearer 3";
  }));
}

}  // namespace
}  // namespace hipcache::remote
