// What S3 servers answer when something is wrong, by a server within the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "remote/objects/local_web_server.h"
#include "remote/objects/object_service.h"
#include "remote/objects/variables_of_test.h"
#include "remote/support.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

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
  struct Case {
    int status;
    const char* code;
    Trouble trouble;
  };
  const Case cases[] = {{403, "AccessDenied", Trouble::refused},
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
  for (const Case& one : cases) {
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
