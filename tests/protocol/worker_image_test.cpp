// The shell of an action, in a directory that holds the input root.
#include "hipcache/protocol/worker_image.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "support/scratch.h"

namespace hipcache::protocol {
namespace {

class WorkerImage : public testing::Test {
 protected:
  void SetUp() override {
    for (const ExecuteInput& link : links_of_system())
      ASSERT_EQ(symlink(link.target.c_str(), (root_ + link.path).c_str()), 0);
  }

  // What the script prints, with the input root as the working directory. Some containers allow no namespaces, in a
  // chroot the mounts cannot be made private, and small images lack mount.
  std::string run(const std::string& script, const std::string& toolchain = "") {
    std::vector<std::string> argv{"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", root_};
    argv.insert(argv.end(), before_.begin(), before_.end());
    for (const std::string& word : in_input_root(script, toolchain)) argv.push_back(word);
    const std::string printed = scratch_ / "printed";
    const UniqueFd out(open(printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRWXU));
    const Result<pid_t> pid = spawn({.program = "/bin/sh",
                                     .argv = argv,
                                     .environment = {"PATH=/nowhere", "KEPT=kept"},
                                     .stdout_fd = out.get(),
                                     .stderr_fd = out.get()});
    const Result<ExitStatus> ended = pid ? wait_for(*pid) : pid.error();
    exit_code_ = ended ? ended->exit_code : -1;
    std::string text = support::read_bytes(printed);
    if (text.starts_with("unshare: ") || text.find("mount: not found") != std::string::npos) skipped_ = text;
    return text;
  }

  const support::Scratch scratch_;
  const std::string root_ = scratch_.make_directory("it's a root");
  std::vector<std::string> before_;  // words in front of the action's command
  int exit_code_ = 0;
  std::string skipped_;  // why there are no namespaces here
};

TEST_F(WorkerImage, HasTheInputRootAndTheSystemBelowOneRoot) {
  scratch_.write("it's a root/work/a.h", "a header");
  const std::string said =
      run("cd /work && pwd && /bin/cat a.h && echo \" $PATH $KEPT\" && /usr/bin/test -c /dev/null && echo made > b");
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  EXPECT_EQ(said, "/work\na header /nowhere kept\n");
  EXPECT_EQ(support::read_bytes(root_ + "/work/b"), "made\n") << "outputs lie in the input root";
  EXPECT_EQ(run("/usr/bin/readlink /proc/self/exe"), "/usr/bin/readlink\n");
}

TEST_F(WorkerImage, NeedsNoRoot) {
  constexpr uid_t kNobody = 65534;
  if (geteuid() != 0) GTEST_SKIP() << "the other tests run without root already";
  ASSERT_EQ(chown(root_.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(chmod(scratch_.path().c_str(), S_IRWXU | S_IXGRP | S_IXOTH), 0);
  before_ = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  const std::string said = run("cd /tmp && pwd && echo made > b && /usr/bin/test -c /dev/null && /bin/cat b");
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  EXPECT_EQ(said, "/tmp\nmade\n");
}

TEST_F(WorkerImage, HasTheToolchainsDirectory) {
  const std::string toolchain = scratch_.make_directory("rocm 6");
  scratch_.write("rocm 6/version", "six");
  const std::string said = run("/bin/cat '" + toolchain + "/version'", toolchain);
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  EXPECT_EQ(said, "six");
}

TEST_F(WorkerImage, KeepsTheInputRootWhateverTheToolchainsDirectory) {
  scratch_.write("it's a root/only.here", "here");
  for (const char* toolchain : {"/", "/usr", "/usr/lib"}) {
    const std::string said = run("/bin/cat /only.here", toolchain);
    if (!skipped_.empty()) GTEST_SKIP() << skipped_;
    EXPECT_EQ(said, "here") << toolchain;
  }
}

TEST_F(WorkerImage, LeavesNoMountBehind) {
  run("exit");
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  const Result<std::vector<std::string>> names = list_directory(root_ + "/usr");
  ASSERT_TRUE(names);
  EXPECT_TRUE(names->empty());
}

TEST_F(WorkerImage, HandsTheScriptsExitCodeOn) {
  run("exit 3");
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  EXPECT_EQ(exit_code_, 3);
}

TEST_F(WorkerImage, NamesTheLinksOfTheSystemAndNoDirectories) {
  for (const ExecuteInput& link : links_of_system()) {
    struct stat status{};
    ASSERT_EQ(lstat(link.path.c_str(), &status), 0);
    EXPECT_TRUE(S_ISLNK(status.st_mode)) << link.path;
    EXPECT_EQ(link.kind, ExecuteInputKind::link);
    EXPECT_EQ(real_path(link.path), real_path(link.target.starts_with('/') ? link.target : "/" + link.target));
  }
}

}  // namespace
}  // namespace hipcache::protocol
