// The REAPI backend with bazel-remote: what is written comes back, to other machines and after restarts, and access is
// as the server says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "remote/reapi/bazel_remote.h"
#include "remote/support.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

class BazelRemoteTest : public testing::Test {
 protected:
  void SetUp() override {
    if (BazelRemote::program().empty())
      GTEST_SKIP() << "bazel-remote is not installed: tools/test-servers builds it, with Go";
  }

  const Digest key_ = digest_of("key");
  const RemoteResult result_{.action = "action", .blobs = {{digest_of("small"), "small"}}};
  const std::string large_ = std::string(3u << 20, 'x') + noise(2u << 20);
  const Digest digest_ = digest_of(large_);
};

TEST_F(BazelRemoteTest, GivesBackWhatAnotherMachinePut) {
  for (const char* mode : {"zstd", "uncompressed"}) {
    const BazelRemote server({"--storage_mode", mode});
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
    EXPECT_LT(blob.bytes, large_.size() / 2 + (1u << 20)) << "compressed on the way";
  }
}

TEST_F(BazelRemoteTest, TakesValuesAboveGrpcsLimit) {
  const BazelRemote server;
  const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
  const RemoteResult result{.action = noise(6u << 20), .blobs = {}};
  ASSERT_EQ(problem(backend->put_result(key_, result, {}, kPatient)), "");
  EXPECT_TRUE(*backend->result(key_, kPatient).value == result);
}

TEST_F(BazelRemoteTest, MachinesThatWriteOneListLoseNothingForGood) {
  const BazelRemote server;
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

TEST_F(BazelRemoteTest, AResultWhoseBlobIsEvictedIsAMissUntilItIsPublishedAgain) {
  BazelRemote server;
  const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
  ASSERT_EQ(problem(backend->put_blob(digest_, large_, kPatient)), "");
  ASSERT_EQ(problem(backend->put_result(key_, result_, std::vector{digest_}, kPatient)), "");
  ASSERT_TRUE(backend->result(key_, kPatient).value);
  server.stop();
  std::filesystem::remove_all(server.directory() + "/cas.v2");
  server.start();
  EXPECT_FALSE(backend->result(key_, kPatient).value);
  EXPECT_EQ(problem(backend->result(key_, kPatient)), "");
  EXPECT_FALSE(backend->blob(digest_, large_.size(), kPatient).value);
  EXPECT_TRUE(backend->put_blob(digest_, large_, kPatient).value);
  EXPECT_TRUE(backend->result(key_, kPatient).value);
  EXPECT_TRUE(backend->blob(digest_, large_.size(), kPatient).value == large_);
}

// The hash is of "secret".
TEST_F(BazelRemoteTest, ReadsWithoutAndWritesWithAPassword) {
  const support::Scratch scratch;
  const std::string users = scratch.write("users", "ada:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n");
  const BazelRemote server({"--htpasswd_file", users, "--allow_unauthenticated_reads"});
  const std::unique_ptr<Backend> anybody = backend_at("grpc://" + server.place());
  EXPECT_EQ(problem(anybody->list(key_, kPatient)), "");
  EXPECT_EQ(anybody->put_result(key_, result_, {}, kPatient).failure->trouble, Trouble::refused);
  EXPECT_EQ(backend_at("grpc://ada:wrong@" + server.place())->put_result(key_, result_, {}, kPatient).failure->trouble,
            Trouble::refused);
  EXPECT_EQ(problem(backend_at("grpc://ada:secret@" + server.place())->put_result(key_, result_, {}, kPatient)), "");
  EXPECT_EQ(*anybody->result(key_, kPatient).value, result_);
}

TEST_F(BazelRemoteTest, ChecksCertificatesInBothDirections) {
  const support::Scratch scratch;
  const std::string make =
      "cd '" + scratch.path() +
      "' && exec 2>/dev/null && for ca in ours other; do "
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=$ca -keyout $ca.key -out $ca.pem; done && "
      "for who in server client; do openssl req -newkey rsa:2048 -nodes -subj /CN=$who -keyout $who.key -out $who.csr; "
      "echo subjectAltName=IP:127.0.0.1 > san; "
      "openssl x509 -req -in $who.csr -CA ours.pem -CAkey ours.key -CAcreateserial -days 2 -extfile san -out $who.pem; "
      "done";
  ASSERT_EQ(std::system(make.c_str()), 0);
  const BazelRemote server({"--tls_cert_file", scratch / "server.pem", "--tls_key_file", scratch / "server.key",
                            "--tls_ca_file", scratch / "ours.pem"});
  const std::string url = "grpcs://" + server.place();
  const std::string client =
      "&client_certificate=" + (scratch / "client.pem") + "&client_key=" + (scratch / "client.key");
  EXPECT_EQ(problem(backend_at(url + "?ca_file=" + (scratch / "ours.pem") + client)->list(key_, kPatient)), "");
  EXPECT_TRUE(backend_at(url + "?ca_file=" + (scratch / "ours.pem"))->list(key_, kPatient).failure);
  EXPECT_TRUE(backend_at(url + "?ca_file=" + (scratch / "other.pem") + client)->list(key_, kPatient).failure);
  EXPECT_TRUE(backend_at("grpc://" + server.place())->list(key_, kPatient).failure);
  EXPECT_EQ(backend_at(url + "?ca_file=" + (scratch / "missing.pem"))->list(key_, kPatient).failure->trouble,
            Trouble::refused);
}

TEST_F(BazelRemoteTest, IsReachedAgainAfterARestart) {
  BazelRemote server;
  const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
  ASSERT_EQ(problem(backend->put_result(key_, result_, {}, kPatient)), "");
  server.stop();
  EXPECT_EQ(backend->result(key_, kPatient).failure->trouble, Trouble::unreachable);
  server.start();
  EXPECT_TRUE(support::comes_true([&] { return backend->result(key_, kPatient).value.has_value(); }))
      << "gRPC pauses between its attempts to connect, but not for long";
}

}  // namespace
}  // namespace hipcache::remote
