// The REAPI backend with bazel-remote: access is as the server says, and blobs are stored in either form.
#include <gtest/gtest.h>

#include <vector>

#include "remote/certificates.h"
#include "remote/reapi/reapi_server.h"
#include "remote/support.h"

namespace hipcache::remote {
namespace {

class BazelRemoteTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!ReapiServer::is_installed(kBazelRemote)) GTEST_SKIP() << ReapiServer::mend(kBazelRemote);
  }

  const Digest key_ = digest_of("key");
  const RemoteResult result_{.action = "action", .blobs = {{digest_of("small"), "small"}}};
};

TEST_F(BazelRemoteTest, CompressesOnTheWayHoweverItStores) {
  const std::string large = std::string(3u << 20, 'x') + noise(2u << 20);
  for (const char* mode : {"zstd", "uncompressed"}) {
    const ReapiServer server(kBazelRemote, {"--storage_mode", mode});
    const std::unique_ptr<Backend> backend = backend_at("grpc://" + server.place());
    EXPECT_EQ(problem(backend->put_blob(digest_of(large), large, kPatient)), "");
    const Answer<std::string> blob = backend->blob(digest_of(large), large.size(), kPatient);
    EXPECT_TRUE(blob.value == large) << problem(blob);
    EXPECT_LT(blob.bytes, large.size() / 2 + (1u << 20));
  }
}

// The hash is of "secret".
TEST_F(BazelRemoteTest, ReadsWithoutAndWritesWithAPassword) {
  const support::Scratch scratch;
  const std::string users = scratch.write("users", "ada:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n");
  const ReapiServer server(kBazelRemote, {"--htpasswd_file", users, "--allow_unauthenticated_reads"});
  const std::unique_ptr<Backend> anybody = backend_at("grpc://" + server.place());
  EXPECT_EQ(problem(anybody->list(key_, kPatient)), "");
  EXPECT_EQ(anybody->put_result(key_, result_, {}, kPatient).failure->trouble, Trouble::refused);
  EXPECT_EQ(backend_at("grpc://ada:wrong@" + server.place())->put_result(key_, result_, {}, kPatient).failure->trouble,
            Trouble::refused);
  EXPECT_EQ(problem(backend_at("grpc://ada:secret@" + server.place())->put_result(key_, result_, {}, kPatient)), "");
  EXPECT_EQ(*anybody->result(key_, kPatient).value, result_);
}

TEST_F(BazelRemoteTest, ChecksCertificatesInBothDirections) {
  const Certificates certificates;
  const Certificates::Pair server_pair = certificates.issue("server");
  const ReapiServer server(kBazelRemote, {"--tls_cert_file", server_pair.certificate, "--tls_key_file", server_pair.key,
                                          "--tls_ca_file", certificates.authority()});
  const std::string url = "grpcs://" + server.place() + "?";
  const std::string client = "&" + certificates.issue("client").options();
  EXPECT_EQ(problem(backend_at(url + certificates.trust() + client)->list(key_, kPatient)), "");
  EXPECT_TRUE(backend_at(url + certificates.trust())->list(key_, kPatient).failure);
  EXPECT_TRUE(backend_at(url + "ca_file=" + certificates.authority("other") + client)->list(key_, kPatient).failure);
  EXPECT_TRUE(backend_at("grpc://" + server.place())->list(key_, kPatient).failure);
  EXPECT_EQ(backend_at(url + "ca_file=" + certificates.authority("missing"))->list(key_, kPatient).failure->trouble,
            Trouble::refused);
}

}  // namespace
}  // namespace hipcache::remote
