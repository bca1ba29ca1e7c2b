// A process that does nothing and can be stopped, as Ctrl-Z stops one.
#ifndef HIPCACHE_TESTS_SUPPORT_STOPPED_PROCESS_H
#define HIPCACHE_TESTS_SUPPORT_STOPPED_PROCESS_H

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hipcache::support {

class StoppableProcess {
 public:
  StoppableProcess() : pid_(fork()) {
    EXPECT_GE(pid_, 0);
    while (pid_ == 0) pause();  // until it is killed
  }
  ~StoppableProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  StoppableProcess(const StoppableProcess&) = delete;
  StoppableProcess& operator=(const StoppableProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Both return once the process has stopped or continued.
  void stop() const {
    int status = 0;
    EXPECT_EQ(kill(pid_, SIGSTOP), 0);
    EXPECT_EQ(waitpid(pid_, &status, WUNTRACED), pid_);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  void go_on() const {
    int status = 0;
    EXPECT_EQ(kill(pid_, SIGCONT), 0);
    EXPECT_EQ(waitpid(pid_, &status, WCONTINUED), pid_);
    EXPECT_TRUE(WIFCONTINUED(status));
  }

 private:
  pid_t pid_;
};

}  // namespace hipcache::support

#endif
