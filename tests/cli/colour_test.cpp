#include "cli/show/show_plan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "hipcache/base/files.h"

namespace hipcache::cli {
namespace {

class Colour : public testing::Test {
 protected:
  Colour() {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    EXPECT_EQ(grantpt(terminal_.get()), 0);
    EXPECT_EQ(unlockpt(terminal_.get()), 0);
  }
  ~Colour() override { unsetenv("NO_COLOR"); }

  UniqueFd terminal_{posix_openpt(O_RDWR | O_NOCTTY)};
};

TEST_F(Colour, IsForTerminals) {
  EXPECT_TRUE(shows_colour(terminal_.get()));
  const UniqueFd file(open("/dev/null", O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(shows_colour(file.get()));
}

TEST_F(Colour, IsNotForThoseWhoWantNone) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(shows_colour(terminal_.get()));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(shows_colour(terminal_.get())) << "an empty variable is not set";
}

TEST_F(Colour, IsNotForTerminalsWithout) {
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(shows_colour(terminal_.get()));
  unsetenv("TERM");
  EXPECT_FALSE(shows_colour(terminal_.get()));
}

}  // namespace
}  // namespace hipcache::cli
