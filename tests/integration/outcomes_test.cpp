// Every request is counted once, whatever fails: real clients and compilers, and a daemon in this process whose store
// can be made to fail.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include "daemon/server/connection.h"
#include "daemon/server/control_service.h"
#include "daemon/server/server.h"
#include "daemon/services_in_memory.h"
#include "hipcache/base/files.h"
#include "hipcache/protocol/daemon_socket.h"
#include "integration/support/cache.h"
#include "integration/support/compiler.h"
#include "integration/support/process_tree.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

using stats::Snapshot;

// A store in which some calls fail.
class FaultyStore : public support::MemoryStore {
 public:
  std::atomic<unsigned> faults_in_100{0};
  std::string lost;  // blobs that begin with this cannot be read; empty: all can

  Result<std::optional<std::string>> action(const Digest& key) override {
    if (fails()) return trouble();
    return MemoryStore::action(key);
  }
  Result<std::optional<std::string>> blob(const Digest& digest) override {
    if (fails()) return trouble();
    Result<std::optional<std::string>> bytes = MemoryStore::blob(digest);
    if (bytes && *bytes && !lost.empty() && (*bytes)->starts_with(lost)) return trouble();
    return bytes;
  }
  Result<Digest> put_blob_like(std::string_view bytes, const store::Likeness& likeness) override {
    if (fails()) return trouble();
    return MemoryStore::put_blob_like(bytes, likeness);
  }
  Status put_action(const Digest& key, std::string_view value, std::span<const Digest> named) override {
    if (fails()) return trouble();
    return MemoryStore::put_action(key, value, named);
  }
  Result<bool> put_action_if(const Digest& key, std::string_view value, const store::MayReplace& may) override {
    if (fails()) return trouble();
    return MemoryStore::put_action_if(key, value, may);
  }
  Status add_path_set(const Digest& key, const store::PathSetReference& set) override {
    if (fails()) return trouble();
    return MemoryStore::add_path_set(key, set);
  }

 private:
  static Error trouble() { return Error{"store: fails on purpose"}; }
  bool fails() {
    const std::lock_guard lock(chance_mutex_);
    return std::uniform_int_distribution<unsigned>(0, 99)(chance_) < faults_in_100;
  }

  std::mutex chance_mutex_;
  std::mt19937 chance_{11};
};

// What main() builds, over that store.
class DaemonWithin {
 public:
  explicit DaemonWithin(const std::string& directory) : directory_(protocol::daemon_directory(directory)) {
    EXPECT_TRUE(make_directories(directory_ + "/tmp", 0700));
    EXPECT_TRUE(server_.open());
    running_ = std::thread([this] { EXPECT_TRUE(server_.run()); });
  }
  ~DaemonWithin() { stop(); }

  FaultyStore& store() { return made_.store; }
  // Waits until the daemon has finished all requests, too.
  Snapshot counts() {
    services_.pending_writes.wait_for_all(support::kPatience);
    return services_.counters.snapshot();
  }
  // Returns once every session has ended.
  void stop() {
    if (!running_.joinable()) return;
    server_.stop();
    running_.join();
  }

 private:
  const std::string directory_;
  const daemon::ServicesOptions options_{.job_slots = 4,
                                         .log = std::string(directory_name(directory_)) + "/log",
                                         .log_level = Log::Level::debug,
                                         .temporary_root = directory_ + "/tmp",
                                         .trace_library = hipcache_trace_library(),
                                         .mount_view = protocol::own_mount_view()};
  daemon::ServicesInMemory<FaultyStore> made_{options_};
  const daemon::Services& services_ = made_.services;
  daemon::PersistentCounters persistent_{services_.counters, made_.store, services_.log};
  daemon::ControlService control_{made_.store,
                                  nullptr,
                                  services_.pending_writes,
                                  services_.running_steps,
                                  services_.event_log,
                                  services_.counters,
                                  services_.token_hits,
                                  persistent_,
                                  0,
                                  "",
                                  [] {}};
  daemon::Server server_{
      {.socket_path = directory_ + "/daemon.sock",
       .idle_timeout = std::chrono::seconds(0),
       .serve = [this](UniqueFd socket) { serve_connection(std::move(socket), services_, control_); },
       .every_second = [] {},
       .is_in_place = [] { return true; }},
      services_.log};
  std::thread running_;
};

std::uint64_t sum_of(const Snapshot& counts) {
  return counts.hit + counts.partial + counts.miss + counts.passthrough + counts.aborted;
}

class Outcomes : public testing::TestWithParam<Compiler> {
 protected:
  Outcomes() {
    write_kernel(project_, "a.hip");
    project_.write("b.cpp", "#include \"b.h\"\nint b() { return B; }\n");
    project_.write("b.h", "#define B 0\n");
    project_.write("wrong.cpp", "int wrong() { return; }\n");
  }

  Arguments hip(const std::vector<std::string>& architectures, const std::string& object = "a.o") const {
    return GetParam().hip() + archs(architectures) + words("-O1 -MD -MF " + object + ".d -c a.hip -o " + object);
  }
  Started start(const Arguments& command) const {
    return Started(Arguments{hipcache_program()} + command, project_.path(), {{"HIPCACHE_DIR", cache_}});
  }
  void expect_compiles(const Arguments& command) const {
    const Ended ended = start(command).wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
  }
  // One of each kind: split, opaque, bypassed, refused by the compiler.
  std::vector<Arguments> mixed(int round) const {
    const std::string number = std::to_string(round);
    return {hip(round % 2 == 0 ? std::vector<std::string>{"gfx906"} : std::vector<std::string>{"gfx906", "gfx1030"}),
            hip({"gfx906"}, "other" + number + ".o"),
            {"g++", "-c", "b.cpp", "-o", "b.o"},
            {GetParam().program(), "-c", "b.cpp", "-o", "b" + number + ".o"},
            {"g++", "-c", "wrong.cpp", "-o", "wrong.o"},
            {"g++", "-E", "b.cpp", "-o", "b.i"}};
  }

  support::Scratch project_, scratch_;
  const std::string cache_ = scratch_.make_directory("cache");
  DaemonWithin daemon_{cache_};
};

TEST_P(Outcomes, AreOneForEachRequestWhateverFails) {
  std::uint64_t requests = 0;
  for (int round = 0; round < 6; ++round) {
    daemon_.store().faults_in_100 = round < 2 ? 0 : 15;
    if (round > 0) project_.write("b.h", "#define B " + std::to_string(round) + "\n");
    std::vector<Started> clients;
    const std::vector<Arguments> commands = mixed(round);
    for (const Arguments& command : commands) clients.push_back(start(command));
    for (std::size_t client = 0; client < clients.size(); ++client) {
      const Ended ended = clients[client].wait();
      EXPECT_EQ(ended.exit_code, commands[client][2] == "wrong.cpp" ? 1 : 0) << ended.err;
    }
    requests += commands.size();
    EXPECT_EQ(daemon_.counts().compile_requests, requests);
    EXPECT_EQ(sum_of(daemon_.counts()), requests);
  }
  EXPECT_EQ(daemon_.counts().aborted, 0u);
}

TEST_P(Outcomes, OfAPartialHitWhoseStoredFilesCannotBeReadAreOne) {
  expect_compiles(hip({"gfx906"}));
  daemon_.store().lost = "a.o:";  // the depfile, which is read after all steps
  expect_compiles(hip({"gfx906", "gfx1030"}));
  const Snapshot counts = daemon_.counts();
  EXPECT_EQ(counts.not_cached.count("store-error"), 1u) << counts.to_json(0, 0, 0, 0);
  EXPECT_EQ(counts.passthrough, 1u);
  EXPECT_EQ(counts.miss, 1u);
  EXPECT_EQ(sum_of(counts), 2u);
  EXPECT_EQ(counts.compile_requests, 2u);
}

TEST_P(Outcomes, OfClientsThatAreKilledAreAbortedRequests) {
  write_slow_kernel(project_, "a.hip");
  for (const char* object : {"1.o", "2.o", "3.o"}) {
    Started client = start(hip({"gfx906", "gfx1030"}, object));
    ASSERT_TRUE(support::comes_true([&] { return !descendants(client.pid()).empty() || client.has_ended(); }));
    EXPECT_EQ(kill(client.pid(), SIGKILL), 0);
    EXPECT_NE(client.wait().exit_code, 0);
  }
  daemon_.stop();
  const Snapshot counts = daemon_.counts();
  EXPECT_EQ(counts.aborted, 3u) << counts.to_json(0, 0, 0, 0);
  EXPECT_EQ(counts.compile_requests, 3u);
  EXPECT_EQ(counts.passthrough, 0u);
  EXPECT_TRUE(counts.not_cached.empty());
}

INSTANTIATE_TEST_SUITE_P(Compilers, Outcomes, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
