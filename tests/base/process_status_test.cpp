#include "hipcache/base/process_status.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace hipcache {
namespace {

// A child that waits until it is no longer needed: emulators make up what /proc says of the process that asks.
class Child {
 public:
  explicit Child(const char* name) {
    int named[2], needed[2];
    EXPECT_EQ(pipe(named), 0);
    EXPECT_EQ(pipe(needed), 0);
    number_ = fork();
    EXPECT_GE(number_, 0);
    if (number_ == 0) {
      close(needed[1]);
      prctl(PR_SET_NAME, name);
      char byte = 0;
      _exit(write(named[1], &byte, 1) == 1 && read(needed[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(named[1]);
    close(needed[0]);
    needed_ = needed[1];
    char byte = 0;
    EXPECT_EQ(read(named[0], &byte, 1), 1);
    close(named[0]);
  }
  ~Child() {
    close(needed_);
    int ended = 0;
    waitpid(number_, &ended, 0);
    EXPECT_EQ(ended, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t number() const { return number_; }

 private:
  pid_t number_ = 0;
  int needed_ = -1;
};

TEST(ProcessStatus, IsThatOfTheProcess) {
  const Child child("sleeper");
  const std::optional<ProcessStatus> status = process_status(child.number());
  ASSERT_TRUE(status);
  EXPECT_NE(std::string("RSD").find(status->state), std::string::npos) << status->state;
  EXPECT_EQ(status->parent, getpid());
  EXPECT_GT(status->started, 0u);
  EXPECT_EQ(process_status(child.number())->started, status->started);
}

TEST(ProcessStatus, IsReadBehindAnyName) {
  const Child child("a) (R 1 2");
  const std::optional<ProcessStatus> status = process_status(child.number());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->name, "a) (R 1 2");
  EXPECT_EQ(status->parent, getpid());
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
