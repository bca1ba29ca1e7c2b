#include "hipcache/base/process_status.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hipcache {
namespace {

TEST(ProcessStatus, IsThatOfTheProcess) {
  const std::optional<ProcessStatus> status = process_status(getpid());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->state, 'R');
  EXPECT_EQ(status->parent, getppid());
  EXPECT_GT(status->started, 0u);
  EXPECT_EQ(process_status(getpid())->started, status->started);
}

TEST(ProcessStatus, IsReadBehindAnyName) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    prctl(PR_SET_NAME, "a) (R 1 2");
    const std::optional<ProcessStatus> status = process_status(getpid());
    _exit(status && status->name == "a) (R 1 2" && status->parent == getppid() ? 0 : 1);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  EXPECT_EQ(ended, 0);
}

TEST(ProcessStatus, IsNothingOfNoProcess) {
  EXPECT_FALSE(process_status(0));
  EXPECT_FALSE(process_status(-1));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(process_status(child));
}

}  // namespace
}  // namespace hipcache
