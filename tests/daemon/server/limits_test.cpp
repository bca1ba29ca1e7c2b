#include "daemon/server/limits.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hipcache::daemon {
namespace {

TEST(Limits, BoundTheSessionsByTheDescriptors) {
  EXPECT_EQ(sessions_within(1'048'576).value(), kMaxSessions);
  const unsigned usual = sessions_within(1024).value();
  EXPECT_GT(usual, 32u);
  EXPECT_LT(usual, 128u);
}

TEST(Limits, ThatAreTooLowForTheDaemonAreAnErrorWithTheMend) {
  const auto sessions = sessions_within(17);
  ASSERT_FALSE(sessions.ok());
  EXPECT_EQ(sessions.error().code, ErrorCode::resources);
  EXPECT_THAT(sessions.error().message, testing::HasSubstr("may open 17 files"));
  EXPECT_THAT(sessions.error().message, testing::HasSubstr("ulimit -Hn"));
}

TEST(Limits, OfFilesThatTheStoreOutgrowsAreAnErrorWithTheMend) {
  EXPECT_TRUE(check_file_size(RLIM_INFINITY).ok());
  const Status small = check_file_size(16 << 10);
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().code, ErrorCode::resources);
  EXPECT_THAT(small.error().message, testing::HasSubstr("files of 16 KiB"));
  EXPECT_THAT(small.error().message, testing::HasSubstr("ulimit -Hf"));
}

TEST(Limits, AreRaisedToTheHardOnes) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit small{17, 2000};
    if (setrlimit(RLIMIT_NOFILE, &small) != 0) _exit(2);
    raise_limits();
    rlimit raised{};
    _exit(getrlimit(RLIMIT_NOFILE, &raised) == 0 && raised.rlim_cur == 2000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace hipcache::daemon
