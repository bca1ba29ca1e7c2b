#include "integration/support/cache.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "hipcache/base/files.h"
#include "hipcache/protocol/daemon_socket.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

void subtract(std::map<std::string, std::int64_t>& from, const std::map<std::string, std::int64_t>& what) {
  for (const auto& [name, count] : what) from[name] -= count;
}

void add_step(Counts& counts, const std::string& name, const nlohmann::json& step) {
  counts.run[name] += step.at("run").get<std::int64_t>();
  counts.hit[name] += step.at("hit").get<std::int64_t>();
}

}  // namespace

Counts counts_of(const nlohmann::json& json) {
  Counts counts;
  counts.json = json;
  const nlohmann::json& steps = json.at("steps");
  counts.run["device"] = counts.hit["device"] = 0;  // present even if no arch is
  for (const auto& [arch, step] : steps.at("device").items()) {
    add_step(counts, "device", step);
    add_step(counts, "device " + arch, step);
  }
  for (const char* name : {"host", "bundle", "probe", "proof", "front", "back", "split_codegen_proof", "audit",
                           "unbundle", "link", "archive"})
    add_step(counts, name, steps.at(name));
  const nlohmann::json& requests = json.at("requests");
  counts.hits = requests.at("hit");
  counts.partials = requests.at("partial");
  counts.misses = requests.at("miss");
  counts.passed = requests.at("passthrough");
  counts.aborted = requests.at("aborted");
  EXPECT_EQ(counts.hits + counts.partials + counts.misses + counts.passed + counts.aborted,
            json.at("compile_requests").get<std::int64_t>());
  counts.failed = json.at("failed_compiles");
  counts.errors = json.at("errors");
  counts.waited = json.at("waited_steps");
  for (const auto& [reason, count] : json.at("not_cached").items()) counts.reasons[reason] = count;
  for (const auto& [reason, count] : json.at("not_stored").items()) counts.not_stored[reason] = count;
  return counts;
}

std::string hipcache_program() { return HIPCACHE_PROGRAM; }
std::string hipcached_program() { return HIPCACHED_PROGRAM; }
std::string hipcache_trace_library() { return HIPCACHE_TRACE_LIBRARY; }

Counts Counts::operator-(const Counts& before) const {
  Counts difference = *this;
  subtract(difference.run, before.run);
  subtract(difference.hit, before.hit);
  subtract(difference.reasons, before.reasons);
  subtract(difference.not_stored, before.not_stored);
  difference.hits -= before.hits;
  difference.partials -= before.partials;
  difference.misses -= before.misses;
  difference.passed -= before.passed;
  difference.aborted -= before.aborted;
  difference.failed -= before.failed;
  difference.errors -= before.errors;
  difference.waited -= before.waited;
  return difference;
}

Cache::~Cache() {
  if (daemon() == 0) return;
  const Ended stopped = control("--stop-server");
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
}

Variables Cache::variables(const Variables& more) const {
  Variables all{{"HIPCACHE_DIR", directory()}, {"HIPCACHE_CONFIG", "/dev/null"}, {"HIPCACHE_AUDIT", "0"}};
  if (std::getenv("WRAPPER_HEADER") != nullptr) all["HIPCACHE_PREAMBLE"] = "always";
  for (const auto& [name, value] : settings_) all[name] = value;
  for (const auto& [name, value] : more) all[name] = value;
  return all;
}

Ended Cache::run(const Arguments& argv, const std::string& directory, const Variables& variables) const {
  return start(argv, directory, variables).wait();
}

Started Cache::start(const Arguments& argv, const std::string& directory, const Variables& more) const {
  return Started(Arguments{hipcache_program()} + argv, directory, variables(more));
}

Ended Cache::control(const std::string& option) const { return run({option}, "/"); }

Counts Cache::counts() const {
  const Ended shown = run({"--show-stats", "--format", "json"}, "/");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  return counts_of(nlohmann::json::parse(shown.out));
}

nlohmann::json Cache::plan(const Arguments& command, const std::string& directory, const Variables& variables) const {
  const Ended planned = run(Arguments{"--plan", "--format", "json", "--"} + command, directory, variables);
  EXPECT_EQ(planned.exit_code, 0) << planned.err;
  return nlohmann::json::parse(planned.out);
}

std::string Cache::daemon_directory() const { return protocol::daemon_directory(directory()); }

// Finds the process that holds the lock, in the kernel's list of locks.
pid_t Cache::daemon() const {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (fs::read_symlink(entry.path() / "exe", problem) != fs::canonical(hipcached_program())) continue;
    const Result<std::string> environment = read_file(entry.path() / "environ", 1u << 20);
    const std::string wanted = "HIPCACHE_DIR=" + directory() + std::string(1, '\0');
    if (environment && environment->find(wanted) != std::string::npos) return std::stoi(name);
  }
  return 0;
}

UniqueFd Cache::watch_daemon() const {
  const pid_t pid = daemon();
  EXPECT_NE(pid, 0) << "no daemon runs";
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

// Waits through a pidfd: /proc/PID/exe disappears before the kernel has closed the daemon's socket.
void Cache::end_daemon(int signal) const {
  const pid_t pid = daemon();
  ASSERT_NE(pid, 0) << "no daemon runs";
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  ASSERT_TRUE(static_cast<bool>(process));
  ASSERT_EQ(kill(pid, signal), 0);
  pollfd watched{process.get(), POLLIN, 0};
  EXPECT_EQ(poll(&watched, 1, static_cast<int>(std::chrono::milliseconds(support::kPatience).count())), 1);
}

std::size_t Cache::leftovers() const {
  const Result<std::vector<std::string>> names = list_directory(daemon_directory() + "/tmp");
  return names ? names->size() : 0;
}

bool Cache::leaves_nothing() const {
  return support::comes_true([this] { return leftovers() == 0; });
}

}  // namespace hipcache::integration
