// The backends with real servers: what is written comes back, and writers of one list lose nothing.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "remote/server.h"
#include "remote/support.h"
#include "remote/two_writers.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;

class Backends : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tier_ = tier_of_kind(GetParam());
    ASSERT_FALSE(tier_->url.empty()) << "tools/setup installs the server of " << GetParam();
    backend_ = backend_at(tier_->url_with("prefix=team/one"));
  }

  std::unique_ptr<TierUnderTest> tier_;
  std::unique_ptr<Backend> backend_;
  const Digest key_ = digest_of("key");
};

TEST_P(Backends, GiveBackWhatWasPutAndNothingElse) {
  expect_gives_back_what_was_put(*backend_, *backend_at(tier_->url_with()));
}

TEST_P(Backends, WriteABlobOnce) { expect_writes_a_blob_once(*backend_); }

TEST_P(Backends, LoseNoPathSetOfTwoWritersForGood) {
  const TwoWriters counted = let_two_write_at_once([&] { return backend_at(tier_->url_with("prefix=team/one")); });
  EXPECT_EQ(counted.failed, 0);
  EXPECT_EQ(counted.lost, 0);
  const std::string kind = GetParam();
  const bool may_displace = kind == "http" || kind == "apache";  // others compare before they write, or lock
  EXPECT_LE(counted.displaced, may_displace ? counted.lists / 2 : 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Backends, testing::Values("file", "http", "apache", "redis", "rediss"),
                         [](const auto& one) { return std::string(one.param); });

class ServerBackends : public Backends {};

TEST_P(ServerBackends, ThatAreGoneFailWithinTheirLimits) {
  tier_->server->stop();
  const auto start = std::chrono::steady_clock::now();
  const Answer<List> answer = backend_->list(key_, {.connect = 500ms, .answer = 300ms});
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::unreachable);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST_P(ServerBackends, AreReachedAgainAfterARestart) {
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
  tier_->server->stop();
  tier_->server->start();
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "") << "the kept connection is closed";
}

TEST_P(ServerBackends, CountWhatGoesOutForThoseWhoWait) {
  std::atomic<std::uint64_t> sent = 0;
  Limits limits = kPatient;
  limits.sent = &sent;
  const std::string bytes = noise(1u << 20);
  EXPECT_EQ(problem(backend_->put_blob(digest_of(bytes), bytes, limits)), "");
  EXPECT_GE(sent, bytes.size());
}

INSTANTIATE_TEST_SUITE_P(Kinds, ServerBackends, testing::Values("http", "apache", "redis", "rediss"),
                         [](const auto& one) { return std::string(one.param); });

TEST(FileBackend, ADamagedListIsBegunAnew) {
  const auto tier = tier_of_kind("file");
  const std::unique_ptr<Backend> backend = backend_at(tier->url);
  const Digest key = digest_of("key");
  backend->add_to_list(key, {path_set("a", 1)}, kPatient);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tier->directory.path()))
    if (entry.path().filename() == key.hex()) std::ofstream(entry.path()) << "damaged";
  EXPECT_EQ(backend->list(key, kPatient).failure->trouble, Trouble::damaged);
  EXPECT_EQ(problem(backend->add_to_list(key, {path_set("b", 1)}, kPatient)), "");
  EXPECT_EQ(*backend->list(key, kPatient).value, (List{path_set("b", 1)}));
}

// Of another size or kind, too: neither is read for long, and both are replaced.
TEST(FileBackend, WhatIsNoValueIsDamagedAndBegunAnew) {
  const auto tier = tier_of_kind("file");
  const std::unique_ptr<Backend> backend = backend_at(tier->url);
  const Digest key = digest_of("key");
  backend->add_to_list(key, {path_set("a", 1)}, kPatient);
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tier->directory.path()))
    if (entry.path().filename() == key.hex()) file = entry.path();
  ASSERT_FALSE(file.empty());
  const auto fifo = [&] { return mkfifo(file.c_str(), 0600) == 0; };
  const auto directory = [&] { return mkdir((file).c_str(), 0700) == 0; };
  const auto oversized = [&] {
    std::ofstream(file) << "x";
    return truncate(file.c_str(), 9 << 20) == 0;
  };
  for (const std::function<bool()>& make : {std::function<bool()>(fifo), {directory}, {oversized}}) {
    std::filesystem::remove(file);
    ASSERT_TRUE(make());
    const Answer<List> answer = backend->list(key, kPatient);
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.failure->trouble, Trouble::damaged) << answer.failure->message;
    EXPECT_EQ(problem(backend->add_to_list(key, {path_set("b", 1)}, kPatient)), "");
    EXPECT_EQ(*backend->list(key, kPatient).value, (List{path_set("b", 1)}));
  }
}

TEST(FileBackend, WhatIsMadeHasTheRightsOfTheTiersDirectory) {
  const support::Scratch scratch;
  const std::string root = scratch.make_directory("tier");
  ASSERT_EQ(chmod(root.c_str(), 02775), 0);
  const mode_t before = umask(077);
  const Digest key = digest_of("key");
  EXPECT_EQ(problem(backend_at("file://" + root)->add_to_list(key, {path_set("a", 1)}, kPatient)), "");
  umask(before);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    struct stat status{};
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, entry.is_directory() ? 02775u : 0664u) << entry.path();
  }
}

TEST(FileBackend, AShareThatIsNotMountedIsNamedAndNotMade) {
  const support::Scratch scratch;
  const std::unique_ptr<Backend> backend = backend_at("file://" + (scratch / "typo/tier"));
  const Digest key = digest_of("key");
  const std::string why = "there is no directory " + (scratch / "typo") + ": mount the share, or make the directory";
  EXPECT_EQ(backend->list(key, kPatient).failure->message, why);
  EXPECT_EQ(problem(backend->add_to_list(key, {path_set("a", 1)}, kPatient)), why);
  EXPECT_FALSE(std::filesystem::exists(scratch / "typo"));
}

TEST(FileBackend, ADamagedBlobIsWrittenAgain) {
  const auto tier = tier_of_kind("file");
  const std::unique_ptr<Backend> backend = backend_at(tier->url);
  const Digest digest = digest_of("bytes");
  backend->put_blob(digest, "bytes", kPatient);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tier->directory.path()))
    if (entry.path().filename() == digest.hex()) std::ofstream(entry.path()) << "damaged";
  EXPECT_EQ(backend->blob(digest, 5, kPatient).failure->trouble, Trouble::damaged);
  EXPECT_TRUE(backend->put_blob(digest, "bytes", kPatient).value) << "the server has it, and it is of no use";
  EXPECT_EQ(*backend->blob(digest, 5, kPatient).value, "bytes");
  EXPECT_FALSE(backend->put_blob(digest, "bytes", kPatient).value) << "once";
}

// One writer after the other would ask it whether it moves files.
TEST(HttpBackend, AServerThatSaysNothingCostsManyWritersTheTimeOfOne) {
  constexpr auto kAnswer = 3s;
  constexpr int kWriters = 8;
  const SilentServer server;
  const std::unique_ptr<Backend> backend = backend_at("http://127.0.0.1:" + std::to_string(server.port()) + "/cache");
  const Limits limits{.connect = 20s, .answer = kAnswer, .stall = kAnswer};
  const auto start = std::chrono::steady_clock::now();
  std::atomic<int> failed = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&] { failed += backend->put_result(digest_of("key"), {}, {}, limits).failure ? 1 : 0; });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failed, kWriters);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kAnswer * kWriters / 2);
}

TEST(HttpBackend, AnEmptyAnswerWithStatus200IsAFailureAndNoMiss) {
  const std::unique_ptr<Server> server = Server::nginx();
  ASSERT_TRUE(server) << "tools/setup installs nginx";
  const std::unique_ptr<Backend> backend = backend_at(server->url());
  const Digest key = digest_of("key");
  server->files().write("root/v1/w/" + key.hex().substr(0, 2) + "/" + key.hex(), "");
  const Answer<List> answer = backend->list(key, kPatient);
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::damaged);
}

TEST(HttpBackend, StatusesSayWhatTheTroubleIs) {
  const std::pair<int, Trouble> cases[] = {{403, Trouble::refused},   {405, Trouble::refused},
                                           {429, Trouble::throttled}, {503, Trouble::throttled},
                                           {507, Trouble::full},      {500, Trouble::unreachable}};
  for (const auto& [status, trouble] : cases) {
    const std::unique_ptr<Server> server =
        Server::nginx("      add_header Retry-After 7 always;\n      return " + std::to_string(status) + ";\n");
    ASSERT_TRUE(server) << "tools/setup installs nginx";
    const Answer<RemoteResult> answer = backend_at(server->url())->result(digest_of("key"), kPatient);
    ASSERT_TRUE(answer.failure) << status;
    EXPECT_EQ(answer.failure->trouble, trouble) << status;
    EXPECT_EQ(answer.failure->retry_after, trouble == Trouble::throttled ? 7s : 0s) << status;
  }
}

TEST(HttpBackend, SendsUserAndPassword) {
  const support::Scratch scratch;
  const std::string users = scratch.write("users", "ada:{PLAIN}secret word\n");
  const std::unique_ptr<Server> server =
      Server::nginx("      auth_basic cache;\n      auth_basic_user_file " + users + ";\n");
  ASSERT_TRUE(server) << "tools/setup installs nginx";
  const std::string place = "127.0.0.1:" + std::to_string(server->port());
  const Digest key = digest_of("key");
  EXPECT_EQ(problem(backend_at("http://ada:secret%20word@" + place)->list(key, kPatient)), "");
  EXPECT_EQ(backend_at("http://ada:wrong@" + place)->list(key, kPatient).failure->trouble, Trouble::refused);
}

TEST(HttpBackend, SendsATokenFromAFileThatMayChange) {
  const support::Scratch scratch;
  const std::string file = scratch.write("token", "first\n");
  const std::unique_ptr<Server> server =
      Server::nginx("      if ($http_authorization != \"Bearer second\") { return 401; }\n");
  ASSERT_TRUE(server) << "tools/setup installs nginx";
  const std::unique_ptr<Backend> backend = backend_at(server->url() + "?token_file=" + file);
  EXPECT_EQ(backend->list(digest_of("key"), kPatient).failure->trouble, Trouble::refused);
  scratch.write("token", "second\n");
  EXPECT_EQ(problem(backend->list(digest_of("key"), kPatient)), "");
}

TEST(RedisBackend, TakesPasswordDatabaseAndUnixSocket) {
  const std::unique_ptr<Server> server = Server::redis("secret");
  ASSERT_TRUE(server) << "tools/setup installs Redis";
  const std::string place = "127.0.0.1:" + std::to_string(server->port());
  const Digest key = digest_of("key");
  EXPECT_EQ(backend_at("redis://" + place)->list(key, kPatient).failure->trouble, Trouble::refused);
  EXPECT_EQ(problem(backend_at("redis://:secret@" + place + "/3")->add_to_list(key, {path_set("a", 1)}, kPatient)), "");
  EXPECT_TRUE(backend_at("redis+unix://" + (server->files() / "socket") + "?password=secret&database=3")
                  ->list(key, kPatient)
                  .value);
  EXPECT_FALSE(backend_at("redis://:secret@" + place)->list(key, kPatient).value) << "another database";
}

}  // namespace
}  // namespace hipcache::remote
