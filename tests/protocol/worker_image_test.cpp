// The shell of an action, in a directory that holds the input root.
#include "hipcache/protocol/worker_image.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "support/scratch.h"

namespace hipcache::protocol {
namespace {

class WorkerImage : public testing::Test {
 protected:
  // Some containers allow no namespaces, in a chroot the mounts cannot be made private, and small images lack mount.
  void SetUp() override {
    std::string as;
    for (const std::string& word : before_) as += word + " ";
    const std::string tried = as + "unshare --mount mount --version >/dev/null 2>&1 || " + as +
                              "unshare --map-root-user --mount mount --version >/dev/null 2>&1";
    if (std::system(tried.c_str()) != 0) GTEST_SKIP() << "no shell can mount here: " << tried;
    for (const ExecuteInput& link : links_of_system())
      ASSERT_EQ(symlink(link.target.c_str(), (root_ + link.path).c_str()), 0);
  }

  // What the script prints, with the input root as the working directory.
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
    return support::read_bytes(printed);
  }

  const support::Scratch scratch_;
  const std::string root_ = scratch_.make_directory("it's a root");
  std::vector<std::string> before_;  // words in front of the action's command
  int exit_code_ = 0;
};

TEST_F(WorkerImage, HasTheInputRootAndTheSystemBelowOneRoot) {
  scratch_.write("it's a root/work/a.h", "a header");
  const std::string said =
      run("cd /work && pwd && /bin/cat a.h && echo \" $PATH $KEPT\" && /usr/bin/test -c /dev/null && echo made > b");
  EXPECT_EQ(said, "/work\na header /nowhere kept\n");
  EXPECT_EQ(support::read_bytes(root_ + "/work/b"), "made\n") << "outputs lie in the input root";
  EXPECT_EQ(run("/usr/bin/readlink /proc/self/exe"), "/usr/bin/readlink\n");
}

class WorkerImageWithoutRoot : public WorkerImage {
 protected:
  WorkerImageWithoutRoot() {
    if (geteuid() != 0) return;
    constexpr uid_t kNobody = 65534;
    EXPECT_EQ(chown(root_.c_str(), kNobody, kNobody), 0);
    EXPECT_EQ(chmod(scratch_.path().c_str(), S_IRWXU | S_IXGRP | S_IXOTH), 0);
    before_ = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  }
};

TEST_F(WorkerImageWithoutRoot, MakesItsNamespacesByItself) {
  EXPECT_EQ(run("cd /tmp && pwd && echo made > b && /usr/bin/test -c /dev/null && /bin/cat b"), "/tmp\nmade\n");
}

TEST_F(WorkerImage, HasTheToolchainsDirectory) {
  const std::string toolchain = scratch_.make_directory("rocm 6");
  scratch_.write("rocm 6/version", "six");
  EXPECT_EQ(run("/bin/cat '" + toolchain + "/version'", toolchain), "six");
}

TEST_F(WorkerImage, KeepsTheInputRootWhateverTheToolchainsDirectory) {
  scratch_.write("it's a root/only.here", "here");
  for (const char* toolchain : {"/", "/usr", "/usr/lib"})
    EXPECT_EQ(run("/bin/cat /only.here", toolchain), "here") << toolchain;
}

TEST_F(WorkerImage, LeavesNoMountBehind) {
  run("exit");
  const Result<std::vector<std::string>> names = list_directory(root_ + "/usr");
  ASSERT_TRUE(names);
  EXPECT_TRUE(names->empty());
}

TEST_F(WorkerImage, HandsTheScriptsExitCodeOn) {
  run("exit 3");
  EXPECT_EQ(exit_code_, 3);
}

TEST(WorkerImageLinks, AreTheSystemsAndNoDirectories) {
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
