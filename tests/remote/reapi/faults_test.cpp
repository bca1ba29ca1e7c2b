// The REAPI backend with a server that does what real ones do on bad days: what comes of it is a miss or a failure with
// the right trouble, within the limits, and never wrong bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "remote/reapi/fake_server.h"
#include "remote/reapi/reapi_backend.h"
#include "remote/server.h"
#include "remote/support.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;

class Reapi : public testing::Test {
 protected:
  FakeServer server_;
  const std::unique_ptr<Backend> backend_ = backend_at(server_.url() + "/ci?prefix=team");
  const Digest key_ = digest_of("key");
  const std::string large_ = std::string(3u << 20, 'x') + noise(1u << 20);
  const Digest digest_ = digest_of(large_);
  const RemoteResult result_{.action = "action", .blobs = {{digest_of("small"), "small"}}};

  void put_large() { ASSERT_EQ(problem(backend_->put_blob(digest_, large_, kPatient)), ""); }
};

TEST_F(Reapi, AMissIsOneRoundTripAndWritesNothing) {
  const Answer<List> answer = backend_->list(key_, kPatient);
  EXPECT_FALSE(answer.value);
  EXPECT_EQ(problem(answer), "");
  EXPECT_EQ(server_.calls("GetActionResult"), static_cast<int>(kSlots));
  EXPECT_EQ(server_.calls("GetCapabilities"), 1);
  backend_->list(key_, kPatient);
  EXPECT_EQ(server_.calls("GetCapabilities"), 1) << "once for a connection";
  for (const char* method : {"UpdateActionResult", "FindMissingBlobs", "BatchUpdateBlobs", "Write", "Read"})
    EXPECT_EQ(server_.calls(method), 0) << method;
}

TEST_F(Reapi, AHitIsTwoRoundTripsAndAThirdForALargeBlob) {
  put_large();
  ASSERT_EQ(problem(backend_->put_result(key_, result_, std::vector{digest_}, kPatient)), "");
  const std::unique_ptr<Backend> other = backend_at(server_.url() + "/ci?prefix=team");
  other->list(key_, kPatient);
  server_.count_anew();
  EXPECT_EQ(*other->result(key_, kPatient).value, result_);
  EXPECT_EQ(server_.calls("GetActionResult"), 1);
  EXPECT_TRUE(other->blob(digest_, large_.size(), kPatient).value == large_);
  EXPECT_EQ(server_.calls("GetActionResult"), 1) << "the result has told the blob's name";
  EXPECT_EQ(server_.calls("Read"), 1);
}

TEST_F(Reapi, ABlobIsFoundWithoutAResult) {
  put_large();
  const std::unique_ptr<Backend> other = backend_at(server_.url() + "/ci?prefix=team");
  EXPECT_TRUE(other->blob(digest_, large_.size(), kPatient).value == large_);
  EXPECT_FALSE(other->blob(digest_of("other"), 5, kPatient).value);
}

TEST_F(Reapi, LargeBlobsTravelCompressedWhereTheServerOffersIt) {
  put_large();
  const std::uint64_t plain = backend_->blob(digest_, large_.size(), kPatient).bytes;
  EXPECT_EQ(plain, large_.size());
  server_.forget_blobs();
  server_.set({.has_zstd = true});
  const std::unique_ptr<Backend> other = backend_at(server_.url() + "/ci?prefix=team");
  const WriteAnswer put = other->put_blob(digest_, large_, kPatient);
  ASSERT_TRUE(put.value) << problem(put);
  EXPECT_LT(put.bytes, plain / 2);
  const Answer<std::string> answer = other->blob(digest_, large_.size(), kPatient);
  EXPECT_TRUE(answer.value == large_);
  EXPECT_LT(answer.bytes, plain / 2);
}

TEST_F(Reapi, NoMessageExceedsTheLimitThatAServerWithoutLimitHasAllTheSame) {
  const RemoteResult result{.action = noise(6u << 20), .blobs = {}};
  ASSERT_EQ(problem(backend_->put_result(key_, result, {}, kPatient)), "");
  EXPECT_TRUE(*backend_->result(key_, kPatient).value == result);
  EXPECT_LT(server_.largest_message(), 3u << 20);
}

TEST_F(Reapi, AnEvictedBlobIsAMissAndIsPublishedAgain) {
  for (const bool checks : {false, true}) {
    server_.set({.checks_completeness = checks});
    put_large();
    ASSERT_EQ(problem(backend_->put_result(key_, result_, std::vector{digest_}, kPatient)), "");
    server_.forget_blobs();
    EXPECT_EQ(backend_->result(key_, kPatient).value.has_value(), !checks);
    const Answer<std::string> gone = backend_->blob(digest_, large_.size(), kPatient);
    EXPECT_FALSE(gone.value);
    EXPECT_EQ(problem(gone), "") << "no trouble of the server";
    EXPECT_TRUE(backend_->put_blob(digest_, large_, kPatient).value);
    EXPECT_TRUE(backend_->blob(digest_, large_.size(), kPatient).value == large_);
    EXPECT_TRUE(backend_->result(key_, kPatient).value);
  }
}

TEST_F(Reapi, ABlobWhoseNameIsForgottenIsNamedAgain) {
  put_large();
  server_.forget_results();
  EXPECT_TRUE(backend_->put_blob(digest_, large_, kPatient).value);
  EXPECT_EQ(server_.calls("Write"), 1) << "the bytes are there";
  EXPECT_TRUE(backend_at(server_.url() + "/ci?prefix=team")->blob(digest_, large_.size(), kPatient).value == large_);
}

TEST_F(Reapi, DamagedBytesAreFailures) {
  put_large();
  ASSERT_EQ(problem(backend_->put_result(key_, result_, {}, kPatient)), "");
  ASSERT_EQ(problem(backend_->add_to_list(key_, {path_set("a", 1)}, kPatient)), "");
  for (const bool zstd : {false, true})
    for (const FakeServer::Behaviour& behaviour :
         {FakeServer::Behaviour{.has_zstd = zstd, .flips_bits = true}, {.has_zstd = zstd, .cuts_blobs = true}}) {
      server_.set(behaviour);
      const std::unique_ptr<Backend> reader = backend_at(server_.url() + "/ci?prefix=team");
      const Answer<std::string> answer = reader->blob(digest_, large_.size(), kPatient);
      ASSERT_TRUE(answer.failure);
      EXPECT_EQ(answer.failure->trouble, Trouble::damaged);
    }
  EXPECT_EQ(backend_->blob(digest_, large_.size() - 1, kPatient).failure->trouble, Trouble::damaged);
  server_.set({.truncates_values = true});
  EXPECT_EQ(backend_->result(key_, kPatient).failure->trouble, Trouble::damaged);
  EXPECT_EQ(backend_->list(key_, kPatient).failure->trouble, Trouble::damaged);
}

TEST_F(Reapi, ADamagedListIsBegunAnew) {
  ASSERT_EQ(problem(backend_->add_to_list(key_, {path_set("a", 1)}, kPatient)), "");
  server_.set({.truncates_values = true});
  backend_->add_to_list(key_, {path_set("a", 2)}, kPatient);
  server_.set({});
  EXPECT_EQ(*backend_->list(key_, kPatient).value, (List{path_set("a", 2)}));
}

TEST_F(Reapi, AServerThatWantsActionsGetsThem) {
  server_.set({.wants_actions = true});
  EXPECT_TRUE(backend_->put_result(key_, result_, {}, kPatient).value);
  EXPECT_EQ(*backend_->result(key_, kPatient).value, result_);
  const int attempts = server_.calls("UpdateActionResult");
  EXPECT_TRUE(backend_->put_result(digest_of("next"), result_, {}, kPatient).value);
  EXPECT_EQ(server_.calls("UpdateActionResult"), attempts + 1) << "which it remembers";
}

TEST_F(Reapi, AServerThatTakesNoResultsIsOnlyReadWhichIsSaidOnce) {
  server_.set({.takes_results = false});
  const WriteAnswer first = backend_->put_result(key_, result_, {}, kPatient);
  ASSERT_TRUE(first.failure);
  EXPECT_EQ(first.failure->trouble, Trouble::refused);
  const WriteAnswer second = backend_->put_result(key_, result_, {}, kPatient);
  EXPECT_FALSE(second.failure);
  EXPECT_FALSE(second.value);
  EXPECT_EQ(server_.calls("UpdateActionResult"), 0);
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
}

TEST_F(Reapi, ANewServerIsAskedWhatItCanDo) {
  server_.set({.has_capabilities = false});
  put_large();
  EXPECT_TRUE(backend_->blob(digest_, large_.size(), kPatient).value == large_) << "the least of the API";
  server_.set({.has_sha256 = false});
  const WriteAnswer put = backend_at(server_.url())->put_blob(digest_of("b"), "b", kPatient);
  ASSERT_TRUE(put.failure);
  EXPECT_EQ(put.failure->trouble, Trouble::refused);
}

TEST_F(Reapi, CodesSayWhatTheTroubleIs) {
  struct Case {
    int code;
    Trouble reading, writing;
  };
  put_large();
  for (const Case& one :
       {Case{7, Trouble::refused, Trouble::refused}, Case{8, Trouble::throttled, Trouble::full},
        Case{13, Trouble::unreachable, Trouble::unreachable}, Case{14, Trouble::unreachable, Trouble::unreachable},
        Case{16, Trouble::refused, Trouble::refused}}) {
    server_.set({.refuses_with = one.code});
    const Answer<RemoteResult> read = backend_->result(key_, kPatient);
    ASSERT_TRUE(read.failure) << one.code;
    EXPECT_EQ(read.failure->trouble, one.reading) << one.code;
    EXPECT_EQ(read.failure->message.find("secret"), std::string::npos) << "a server's words are not repeated";
    server_.set({});
    EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
    server_.set({.refuses_with = one.code});
    const WriteAnswer put = backend_->put_result(key_, result_, {}, kPatient);
    ASSERT_TRUE(put.failure) << one.code;
    EXPECT_EQ(put.failure->trouble, one.writing) << one.code;
  }
  for (const int code : {5, 9}) {
    server_.set({.refuses_with = code});
    EXPECT_EQ(problem(backend_->result(key_, kPatient)), "") << "a miss";
    EXPECT_FALSE(backend_->list(key_, kPatient).value);
    EXPECT_EQ(problem(backend_->blob(digest_, large_.size(), kPatient)), "");
  }
}

// A limit that is far above what the calls ask for, and far below gRPC's own.
constexpr auto kBound = 15s;

TEST_F(Reapi, AStalledServerCostsItsLimits) {
  put_large();
  backend_->list(key_, kPatient);
  const Limits limits{.connect = 200ms, .answer = 100ms, .stall = 200ms, .total = 1s};
  for (const FakeServer::Behaviour& behaviour :
       {FakeServer::Behaviour{.stalls = true}, {.stalls_within_blobs = true}}) {
    server_.set(behaviour);
    const auto start = std::chrono::steady_clock::now();
    if (behaviour.stalls) {
      EXPECT_EQ(backend_->list(key_, limits).failure->trouble, Trouble::unreachable);
      EXPECT_EQ(problem(backend_->result(key_, limits)), "no answer in time");
      EXPECT_EQ(backend_->put_blob(digest_of("b"), "b", limits).failure->trouble, Trouble::unreachable);
    }
    EXPECT_EQ(backend_->blob(digest_, large_.size(), limits).failure->trouble, Trouble::unreachable);
    EXPECT_LT(std::chrono::steady_clock::now() - start, kBound);
  }
  server_.set({});
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
}

TEST(ReapiWithoutServer, FailsAtOnceAndSaysWhy) {
  const std::unique_ptr<Backend> backend = backend_at("grpc://127.0.0.1:" + std::to_string(free_port()));
  const auto start = std::chrono::steady_clock::now();
  const Answer<List> answer = backend->list(digest_of("key"), {});
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::unreachable);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kBound);
}

TEST_F(Reapi, SendsUserAndPassword) {
  server_.set({.wants_authorization = "Basic YWRhOnNlY3JldCB3b3Jk"});
  std::string url = server_.url();
  EXPECT_EQ(backend_at(url)->list(key_, kPatient).failure->trouble, Trouble::refused);
  url.insert(url.find("127"), "ada:secret%20word@");
  EXPECT_EQ(problem(backend_at(url)->list(key_, kPatient)), "");
}

TEST_F(Reapi, SendsATokenFromAFileThatMayChange) {
  const support::Scratch scratch;
  const std::string file = scratch.write("token", "first\n");
  server_.set({.wants_authorization = "Bearer second"});
  const std::unique_ptr<Backend> backend = backend_at(server_.url() + "?token_file=" + file);
  EXPECT_EQ(backend->list(key_, kPatient).failure->trouble, Trouble::refused);
  scratch.write("token", "second\n");
  EXPECT_EQ(problem(backend->list(key_, kPatient)), "");
}

// A network may lose a connection without a word.
TEST_F(Reapi, AConnectionWithoutAnAnswerIsNotUsedAgain) {
  const Limits brief{.connect = 20s, .answer = 300ms};
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
  EXPECT_EQ(server_.connections(), 1);
  server_.set({.stalls = true});
  EXPECT_EQ(backend_->list(key_, brief).failure->message, "no answer in time");
  server_.set({});
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
  EXPECT_EQ(server_.connections(), 2);
}

TEST(ReapiWithoutServer, AConnectionOnWhichNothingIsSaidIsMadeAnew) {
  SilentServer silent;
  const std::unique_ptr<Backend> backend = backend_at("grpc://127.0.0.1:" + std::to_string(silent.port()));
  const Limits brief{.connect = 100ms, .answer = 100ms};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(backend->list(digest_of("key"), brief).failure->message, "no connection in time");
  silent.take_one_and_close();
  const FakeServer server(silent.port());
  while (backend->list(digest_of("key"), brief).failure)
    ASSERT_LT(std::chrono::steady_clock::now() - start, kBound) << "gRPC's own limit";
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Reapi, PrefixesAndInstancesKeepApart) {
  ASSERT_EQ(problem(backend_->put_result(key_, result_, {}, kPatient)), "");
  EXPECT_FALSE(backend_at(server_.url() + "/ci?prefix=other")->result(key_, kPatient).value);
  EXPECT_TRUE(backend_at(server_.url() + "/ci?prefix=team")->result(key_, kPatient).value);
}

}  // namespace
}  // namespace hipcache::remote
