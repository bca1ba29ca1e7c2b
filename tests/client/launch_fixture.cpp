#include "client/launch_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"

namespace hipcache::client {
namespace {

namespace fs = std::filesystem;
using support::read_bytes;

constexpr int kCompilerExit = 5;

void lay(const std::string& program, const std::string& place) {
  std::error_code other_device;
  fs::create_hard_link(program, place, other_device);
  if (other_device) fs::copy_file(program, place);
}

UniqueFd output(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

}  // namespace

LaunchTest::LaunchTest() {
  scratch.make_directory("bin");
  scratch.make_directory(helper("."));
  lay(HIPCACHE_PROGRAM, hipcache());
  lay(HIPCACHE_CLIENT, full_client());
  script("bin/cc", "echo run >> " + (scratch / "runs") +
                       "\necho said by the compiler\necho warned by the compiler >&2\n"
                       "printf 'made by the compiler' > \"$2\"\nexit " +
                       std::to_string(kCompilerExit));
}

std::string LaunchTest::helper(const std::string& name) {
  return fs::path("bin/" HIPCACHE_HELPERS_FROM_BIN "/" + name).lexically_normal();
}

std::string LaunchTest::script(const std::string& name, const std::string& body) const {
  std::string path = scratch.write(name, "#!/bin/sh\n" + body + "\n");
  EXPECT_EQ(chmod(path.c_str(), 0755), 0);
  return path;
}

Ended LaunchTest::run(const std::vector<std::string>& argv, const std::vector<std::string>& variables) const {
  SpawnRequest request;
  request.program = argv.front();
  request.argv = argv;
  request.environment = {"PATH=" + (scratch / "bin") + ":/usr/bin:/bin", "HIPCACHE_DIR=" + cache(), "HOME=/nonexistent",
                         "XDG_RUNTIME_DIR=" + scratch.path()};
  for (const std::string& variable : variables) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(request.environment, [&](const std::string& entry) { return entry.starts_with(name); });
    request.environment.push_back(variable);
  }
  const UniqueFd out = output(scratch / "out");
  const UniqueFd err = output(scratch / "err");
  request.stdout_fd = out.get();
  request.stderr_fd = err.get();
  const Result<pid_t> pid = spawn(request);
  EXPECT_TRUE(pid) << pid.error().message;
  if (!pid) return {};
  const Result<ExitStatus> status = wait_for(*pid);
  return {status ? status->exit_code : -1, read_bytes(scratch / "out"), read_bytes(scratch / "err")};
}

Ended LaunchTest::compile(const std::vector<std::string>& variables) const {
  return run({hipcache(), compiler(), "-o", object()}, variables);
}

int LaunchTest::compiler_runs() const {
  if (!support::exists(scratch / "runs")) return 0;
  const std::string runs = read_bytes(scratch / "runs");
  return static_cast<int>(std::count(runs.begin(), runs.end(), '\n'));
}

void LaunchTest::expect_compiled_by_the_compiler(const Ended& ended) const {
  EXPECT_EQ(ended.exit_code, kCompilerExit);
  EXPECT_EQ(ended.out, "said by the compiler\n");
  EXPECT_EQ(ended.err, "warned by the compiler\n");
  EXPECT_EQ(read_bytes(object()), "made by the compiler");
  EXPECT_EQ(compiler_runs(), 1);
}

}  // namespace hipcache::client
