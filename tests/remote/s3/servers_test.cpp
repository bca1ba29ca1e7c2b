// S3 with real servers of two dialects: versitygw checks signatures and clocks, gofakes3 neither. tools/test-servers
// builds both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "remote/backends/plain_backend.h"
#include "remote/s3/s3_store.h"
#include "remote/server.h"
#include "remote/support.h"
#include "remote/two_writers.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class S3Servers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    server_ = Server::s3(GetParam());
    if (!server_) GTEST_SKIP() << GetParam() << " is not installed: tools/test-servers builds it, with Go";
    backend_ = backend("tests");
  }

  std::unique_ptr<Backend> backend(const std::string& prefix, std::chrono::seconds clock_is_ahead = 0s,
                                   const std::string& secret = Server::kS3Secret) const {
    const auto url =
        config::parse_remote_url("s3://bucket/some path+ü?endpoint=" + server_->url() + "&prefix=" + prefix);
    EXPECT_TRUE(url) << url.error().message;
    const S3World world{.variables = [secret](const char* name) -> std::string {
                          if (std::string(name) == "AWS_ACCESS_KEY_ID") return Server::kS3Key;
                          return std::string(name) == "AWS_SECRET_ACCESS_KEY" ? secret : "";
                        },
                        .now = [clock_is_ahead] { return std::chrono::system_clock::now() + clock_is_ahead; }};
    return make_plain_backend(make_s3_store(*url, world), url->prefix, url->max_bytes);
  }

  std::unique_ptr<Server> server_;
  std::unique_ptr<Backend> backend_;
  const Digest key_ = digest_of("key");
};

TEST_P(S3Servers, GiveBackWhatWasPutAndNothingElse) { expect_gives_back_what_was_put(*backend_, *backend("other")); }

TEST_P(S3Servers, WriteABlobOnce) { expect_writes_a_blob_once(*backend_); }

TEST_P(S3Servers, LoseNoPathSetOfTwoWritersForGood) {
  const TwoWriters counted = let_two_write_at_once([&] { return backend("tests"); });
  EXPECT_EQ(counted.failed, 0);
  EXPECT_EQ(counted.lost, 0);
  const bool may_displace = std::string(GetParam()) != "versitygw";  // which compares before it writes
  EXPECT_LE(counted.displaced, may_displace ? counted.lists / 2 : 0);
}

TEST_P(S3Servers, AreReachedAgainAfterARestart) {
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
  server_->stop();
  const Answer<List> answer = backend_->list(key_, {.connect = 500ms, .answer = 300ms});
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::unreachable);
  server_->start();
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
}

TEST_P(S3Servers, SayThatABucketIsMissing) {
  const auto url = config::parse_remote_url("s3://nowhere/?endpoint=" + server_->url());
  const S3World world{.variables = [](const char* name) -> std::string {
                        if (std::string(name) == "AWS_ACCESS_KEY_ID") return Server::kS3Key;
                        return std::string(name) == "AWS_SECRET_ACCESS_KEY" ? Server::kS3Secret : "";
                      },
                      .now = [] { return std::chrono::system_clock::now(); }};
  const auto nowhere = make_plain_backend(make_s3_store(*url, world), "", url->max_bytes);
  const Answer<List> answer = nowhere->list(key_, kPatient);
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->message, "HTTP status 404 (NoSuchBucket)");
}

INSTANTIATE_TEST_SUITE_P(Kinds, S3Servers, testing::Values("versitygw", "gofakes3"),
                         [](const auto& one) { return std::string(one.param); });

using S3Signatures = S3Servers;

TEST_P(S3Signatures, OfAWrongKeyAreRefused) {
  const Answer<List> answer = backend("tests", 0s, "wrong")->list(key_, kPatient);
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::refused);
  EXPECT_THAT(answer.failure->message, HasSubstr("SignatureDoesNotMatch"));
}

TEST_P(S3Signatures, HoldWithAClockThatIsWrong) {
  for (const std::chrono::seconds ahead : {-7200s, 7200s}) {
    const std::unique_ptr<Backend> wrong = backend("tests", ahead);
    EXPECT_EQ(problem(wrong->list(key_, kPatient)), "");
    EXPECT_EQ(problem(wrong->add_to_list(key_, {path_set("a", 1)}, kPatient)), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, S3Signatures, testing::Values("versitygw"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace hipcache::remote
