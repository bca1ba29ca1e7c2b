// The REAPI backend with real servers: what is written comes back, to other machines and after restarts. With
// bazel-remote access is as the server says, and blobs are stored in either form.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"
#include "remote/certificates.h"
#include "remote/server.h"
#include "remote/support.h"
#include "remote/two_writers.h"
#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

// A kind of server, and how the kinds differ.
struct ReapiKind {
  const char* program;         // as tools/test-servers calls it
  const char* name;            // of tests
  bool keeps_actions;          // over a restart
  const char* blobs;           // the directory of blobs, in its own
  bool knows_blobs_by_memory;  // a blob that is removed from there is known to be gone after a restart only
  bool compresses;             // offers blobs compressed by zstd
  const char* needs;           // what tools/test-servers needs for it
  bool may_be_missing;         // where a machine lacks that: Debian 12 has no Go that is new enough
};

constexpr ReapiKind kBazelRemote{.program = "bazel-remote",
                                 .name = "bazel_remote",
                                 .keeps_actions = true,
                                 .blobs = "cas.v2",
                                 .knows_blobs_by_memory = true,
                                 .compresses = true,
                                 .needs = "Go 1.25",
                                 .may_be_missing = true};
constexpr ReapiKind kBuildGrid{.program = "buildgrid",
                               .name = "buildgrid",
                               .keeps_actions = false,
                               .blobs = "cas/objects",
                               .knows_blobs_by_memory = false,
                               .compresses = false,
                               .needs = "a package registry for pip",
                               .may_be_missing = false};

// How googletest prints a kind.
void PrintTo(const ReapiKind& kind, std::ostream* out) { *out << kind.program; }

std::vector<std::string> bazel_remote_command(const std::string& directory, const std::string& place,
                                              const std::string& http) {
  return {built_server(kBazelRemote.program),
          "--dir",
          directory,
          "--max_size",
          "1",
          "--http_address",
          "unix://" + http,
          "--grpc_address",
          place,
          "--access_log_level",
          "none"};
}

void put(std::string& text, const std::string& name, const std::string& value) {
  const std::size_t at = text.find(name);
  if (at != std::string::npos) text.replace(at, name.size(), value);
}

// Writes the configuration that tests/remote/machines uses, too.
std::vector<std::string> buildgrid_command(const std::string& directory, const std::string& place,
                                           const support::Scratch& files) {
  std::string text = support::read_bytes(HIPCACHE_BUILDGRID_CONFIGURATION);
  put(text, "\"ADDRESS\"", "\"" + place + "\"");
  put(text, "\"DIRECTORY\"", "\"" + directory + "\"");
  return {built_server(kBuildGrid.program), "server", "start", files.write("buildgrid.yml", text)};
}

// Each is a process of the test. tools/test-servers builds or installs them.
class ReapiServer {
 public:
  static bool is_installed(const ReapiKind& kind) { return !built_server(kind.program).empty(); }

  // What to do if it is not.
  static std::string mend(const ReapiKind& kind) {
    return std::string(kind.program) + " is not installed: tools/test-servers does that, and needs " + kind.needs;
  }

  // `options`: of bazel-remote's command line.
  explicit ReapiServer(const ReapiKind& kind, const std::vector<std::string>& options = {})
      : kind_(kind),
        port_(free_port()),
        command_(kind.program == std::string_view(kBuildGrid.program)
                     ? buildgrid_command(directory(), place(), files_)
                     : bazel_remote_command(directory(), place(), files_ / "http")) {
    command_.insert(command_.end(), options.begin(), options.end());
    start();
  }

  ~ReapiServer() { stop(); }
  ReapiServer(const ReapiServer&) = delete;
  ReapiServer& operator=(const ReapiServer&) = delete;

  void start() {
    const std::string log = files_ / "log";
    pid_ = spawn_server(command_, log);
    ASSERT_TRUE(support::comes_true([this] { return listens(port_); })) << support::read_bytes(log);
  }

  void stop() {
    if (pid_ == 0) return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  // Loses all blobs, and keeps the actions that name them.
  void lose_blobs() {
    if (kind_.knows_blobs_by_memory) stop();
    std::filesystem::remove_all(directory() + "/" + kind_.blobs);
    if (kind_.knows_blobs_by_memory)
      start();
    else
      std::filesystem::create_directories(directory() + "/" + kind_.blobs);
  }

  // "127.0.0.1:1234"
  std::string place() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  std::string directory() const { return files_ / "cache"; }

  const ReapiKind kind_;
  support::Scratch files_;
  const std::uint16_t port_;
  std::vector<std::string> command_;
  pid_t pid_ = 0;
};

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
