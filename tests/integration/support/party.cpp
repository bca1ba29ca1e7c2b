#include "integration/support/party.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "support/scratch.h"

namespace hipcache::integration {
namespace {

// The link's target shows that the keeper is in another mount namespace than this process, with all its mounts.
constexpr const char* kKeep = "exec -a hipcache-test-keeper sleep infinity";

bool keeps(pid_t pid) {
  std::error_code problem;
  const std::string path = "/proc/" + std::to_string(pid);
  return std::filesystem::read_symlink(path + "/ns/mnt", problem) !=
             std::filesystem::read_symlink("/proc/self/ns/mnt", problem) &&
         support::read_bytes(path + "/cmdline").starts_with("hipcache-test-keeper");
}

}  // namespace

Party::Party(Arguments prefix, Variables variables) : prefix_(std::move(prefix)), variables_(std::move(variables)) {}

Party::~Party() { run({"--stop-server"}, "/"); }

Ended Party::run(const Arguments& argv, const std::string& directory) const { return start(argv, directory).wait(); }

Started Party::start(const Arguments& argv, const std::string& directory) const {
  return Started(prefix_ + Arguments{"env", "-C", directory, hipcache_program()} + argv, directory, variables_);
}

Ended Party::plain(const Arguments& argv, const std::string& directory) const {
  return Started(prefix_ + Arguments{"env", "-C", directory} + argv, directory, variables_).wait();
}

Counts Party::counts() const {
  const Ended shown = run({"--show-stats", "--format", "json"}, "/");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  if (shown.exit_code != 0) return {};
  return counts_of(nlohmann::json::parse(shown.out));
}

std::unique_ptr<Container> Container::make(const std::vector<Mount>& mounts, const Variables& variables) {
  // A mount of its own, as each real container has: those with equal mounts would share one daemon.
  std::string script = "set -e\nmount -t tmpfs hipcache-test /media\n";
  for (const Mount& mount : mounts) {
    script += "mount --bind '" + mount.from + "' '" + mount.to + "'\n";
    if (mount.read_only) script += "mount -o remount,bind,ro '" + mount.to + "'\n";
  }
  auto keeper = std::make_unique<Started>(
      Arguments{"unshare", "--mount", "--propagation", "private", "bash", "-c", script + kKeep}, "/", Variables{});
  while (!keeper->has_ended() && !keeps(keeper->pid())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (!keeper->has_ended()) return std::unique_ptr<Container>(new Container(std::move(keeper), variables));
  keeper->wait();
  return nullptr;
}

Container::Container(std::unique_ptr<Started> keeper, const Variables& variables)
    : Party({"nsenter", "--mount=/proc/" + std::to_string(keeper->pid()) + "/ns/mnt"}, variables),
      keeper_(std::move(keeper)) {}

// Stops the daemon first: the request for that goes through the namespace.
Container::~Container() {
  run({"--stop-server"}, "/");
  kill(keeper_->pid(), SIGKILL);
  keeper_->wait();
}

}  // namespace hipcache::integration
