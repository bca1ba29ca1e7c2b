#include "integration/support/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/base/text.h"
#include "support/file_clock.h"

extern char** environ;

namespace hipcache::integration {
namespace {

constexpr std::uint64_t kOutputLimit = 64u << 20;

// Settings of the caches that the developer uses would change what a test counts.
bool is_setting_of_cache(const std::string& name) {
  return holds_prefix_of(std::to_array<std::string_view>({"HIPCACHE_", "CCACHE_", "SCCACHE_"}), name);
}

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name = std::string(*entry).substr(0, std::string(*entry).find('='));
    if (!variables.contains(name) && !is_setting_of_cache(name)) environment.emplace_back(*entry);
  }
  for (const auto& [name, value] : variables)
    if (!value.empty()) environment.push_back(name + "=" + value);
  return environment;
}

std::string temporary_file(const char* what) {
  std::string path = testing::TempDir() + "hipcache-" + what + "-XXXXXX";
  UniqueFd fd(mkstemp(path.data()));
  EXPECT_TRUE(static_cast<bool>(fd)) << path;
  return path;
}

std::string take(const std::string& path) {
  Result<std::string> bytes = read_file(path, kOutputLimit);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  unlink(path.c_str());
  return bytes.ok() ? *bytes : "";
}

}  // namespace

Started::Started(const Arguments& argv, const std::string& directory, const Variables& variables)
    : out_(temporary_file("out")), err_(temporary_file("err")) {
  Variables all = variables;
  all.try_emplace("PWD", directory);
  support::await_next_tick();  // so that everything the test wrote is older than the compile
  const UniqueFd out(open(out_.c_str(), O_WRONLY | O_CLOEXEC));
  const UniqueFd err(open(err_.c_str(), O_WRONLY | O_CLOEXEC));
  const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Result<pid_t> pid = spawn({.program = "/usr/bin/env",
                                   .argv = Arguments{"env", "-C", directory} + argv,
                                   .environment = environment_with(all),
                                   .stdin_fd = null.get(),
                                   .stdout_fd = out.get(),
                                   .stderr_fd = err.get()});
  EXPECT_TRUE(pid.ok()) << pid.error().message;
  if (pid) pid_ = *pid;
}

Ended Started::wait() {
  const Result<ExitStatus> status = wait_for(pid_);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return {status.ok() ? status->exit_code : -1, take(out_), take(err_)};
}

bool Started::has_ended() const {
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid_;
}

Ended run(const Arguments& argv, const std::string& directory, const Variables& variables) {
  return Started(argv, directory, variables).wait();
}

Arguments words(const std::string& text) {
  std::istringstream in(text);
  Arguments list;
  for (std::string word; in >> word;) list.push_back(word);
  return list;
}

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace hipcache::integration
