// The REAPI backend with real servers: what is written comes back, to other machines and after restarts.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "remote/reapi/reapi_server.h"
#include "remote/support.h"
#include "remote/two_writers.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

class ReapiServerTest : public testing::TestWithParam<ReapiKind> {
 protected:
  void SetUp() override {
    if (ReapiServer::is_installed(GetParam())) return;
    if (GetParam().may_be_missing) GTEST_SKIP() << ReapiServer::mend(GetParam());
    FAIL() << ReapiServer::mend(GetParam());
  }

  const Digest key_ = digest_of("key");
  const RemoteResult result_{.action = "action", .blobs = {{digest_of("small"), "small"}}};
  const std::string large_ = std::string(3u << 20, 'x') + noise(2u << 20);
  const Digest digest_ = digest_of(large_);
};

TEST_P(ReapiServerTest, GivesBackWhatAnotherMachinePut) {
  const ReapiServer server(GetParam());
  const std::unique_ptr<Backend> one = backend_at("grpc://" + server.place() + "/main?prefix=team");
  EXPECT_FALSE(one->list(key_, kPatient).value);
  EXPECT_EQ(problem(one->list(key_, kPatient)), "") << "absence is no failure";
  EXPECT_EQ(problem(one->put_blob(digest_, large_, kPatient)), "");
  EXPECT_FALSE(one->put_blob(digest_, large_, kPatient).value) << "once";
  EXPECT_EQ(problem(one->put_result(key_, result_, std::vector{digest_}, kPatient)), "");
  EXPECT_EQ(problem(one->add_to_list(key_, {path_set("a", 1), path_set("b", 2)}, kPatient)), "");

  const std::unique_ptr<Backend> other = backend_at("grpc://" + server.place() + "/main?prefix=team");
  const Answer<List> list = other->list(key_, kPatient);
  ASSERT_TRUE(list.value) << problem(list);
  EXPECT_EQ(list.value->size(), 2u);
  EXPECT_TRUE(has(*list.value, path_set("a", 1)) && has(*list.value, path_set("b", 2)));
  EXPECT_EQ(*other->result(key_, kPatient).value, result_);
  const Answer<std::string> blob = other->blob(digest_, large_.size(), kPatient);
  EXPECT_TRUE(blob.value == large_) << problem(blob);
  EXPECT_EQ(blob.bytes < large_.size() / 2 + (1u << 20), GetParam().compresses) << "on the way";
}

TEST_P(ReapiServerTest, TakesValuesAboveGrpcsLimit) {
  const ReapiServer server(GetParam());
  const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
  const RemoteResult result{.action = noise(6u << 20), .blobs = {}};
  ASSERT_EQ(problem(backend->put_result(key_, result, {}, kPatient)), "");
  EXPECT_TRUE(*backend->result(key_, kPatient).value == result);
}

TEST_P(ReapiServerTest, LosesNoPathSetOfTwoWritersForGood) {
  const ReapiServer server(GetParam());
  const TwoWriters counted = let_two_write_at_once([&] { return backend_at("grpc://" + server.place()); });
  EXPECT_EQ(counted.failed, 0);
  EXPECT_EQ(counted.lost, 0);
  EXPECT_LE(counted.displaced, counted.lists / 2) << "a write that was displaced is repeated";
}

TEST_P(ReapiServerTest, MachinesThatWriteOneListLoseNothingForGood) {
  const ReapiServer server(GetParam());
  std::vector<std::thread> machines;
  for (int machine = 0; machine < 4; ++machine)
    machines.emplace_back([&, machine] {
      const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
      for (int set = 0; set < 3; ++set)
        backend->add_to_list(key_, {path_set(std::to_string(3 * machine + set), 1)}, kPatient);
    });
  for (std::thread& machine : machines) machine.join();
  const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
  // Four sets in each slot at most: of twelve, the newest stay where more than four share one.
  const std::size_t before = backend->list(key_, kPatient).value->size();
  EXPECT_GE(before, 8u);
  for (int set = 0; set < 12; ++set) {
    backend->add_to_list(key_, {path_set(std::to_string(set), 1)}, kPatient);
    EXPECT_TRUE(has(*backend->list(key_, kPatient).value, path_set(std::to_string(set), 1)));
  }
}

TEST_P(ReapiServerTest, AResultWhoseBlobIsEvictedIsAMissUntilItIsPublishedAgain) {
  ReapiServer server(GetParam());
  const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
  ASSERT_EQ(problem(backend->put_blob(digest_, large_, kPatient)), "");
  ASSERT_EQ(problem(backend->put_result(key_, result_, std::vector{digest_}, kPatient)), "");
  ASSERT_TRUE(backend->result(key_, kPatient).value);
  server.lose_blobs();
  EXPECT_FALSE(backend->result(key_, kPatient).value);
  EXPECT_EQ(problem(backend->result(key_, kPatient)), "");
  EXPECT_FALSE(backend->blob(digest_, large_.size(), kPatient).value);
  EXPECT_TRUE(backend->put_blob(digest_, large_, kPatient).value);
  EXPECT_EQ(problem(backend->put_result(key_, result_, std::vector{digest_}, kPatient)), "");
  EXPECT_TRUE(backend->result(key_, kPatient).value) << "some servers drop the result, some only hide it";
  EXPECT_TRUE(backend->blob(digest_, large_.size(), kPatient).value == large_);
}

TEST_P(ReapiServerTest, IsReachedAgainAfterARestart) {
  ReapiServer server(GetParam());
  const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
  ASSERT_EQ(problem(backend->put_result(key_, result_, {}, kPatient)), "");
  server.stop();
  EXPECT_EQ(backend->result(key_, kPatient).failure->trouble, Trouble::unreachable);
  server.start();
  const auto answers = [&] {
    const Answer<RemoteResult> answer = backend->result(key_, kPatient);
    return !answer.failure && answer.value.has_value() == GetParam().keeps_actions;
  };
  EXPECT_TRUE(support::comes_true(answers)) << "gRPC pauses between its attempts to connect, but not for long";
}

std::string name_of(const testing::TestParamInfo<ReapiKind>& kind) { return kind.param.name; }

INSTANTIATE_TEST_SUITE_P(Servers, ReapiServerTest, testing::Values(kBazelRemote, kBuildGrid), name_of);

}  // namespace
}  // namespace hipcache::remote
