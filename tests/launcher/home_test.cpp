// The home directory that a password file gives a user.
#include "launcher/home.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "hipcache/launcher/cache_location.h"
#include "support/scratch.h"

namespace hipcache {
namespace {

class HomeInFile : public testing::Test {
 protected:
  std::string home(const std::string& lines, uid_t user = 1000) const {
    char home[PATH_MAX] = "";
    return launch_home_in(scratch_.write("passwd", lines).c_str(), user, home) ? home : "none";
  }

  support::Scratch scratch_;
};

TEST_F(HomeInFile, IsThatOfTheFirstLineWithTheUsersNumber) {
  const std::string lines =
      "root:x:0:0:root:/root:/bin/sh\nada:x:1000:7:Ada,,,:/home/ada:/bin/sh\n"
      "other:x:1000:7::/home/other:/bin/sh\n";
  EXPECT_EQ(home(lines), "/home/ada");
  EXPECT_EQ(home(lines, 0), "/root");
  EXPECT_EQ(home(lines, 100), "none");
  EXPECT_EQ(home(lines, 10000), "none");
}

TEST_F(HomeInFile, IsNoneInALineThatHasNone) {
  EXPECT_EQ(home(""), "none");
  EXPECT_EQ(home("ada:x:1000\n"), "none");
  EXPECT_EQ(home("ada:x:1000:7:Ada\n"), "none");
  EXPECT_EQ(home("ada:x:1000:7:Ada::/bin/sh\n"), "none");
  EXPECT_EQ(home("ada:x:1000:7:Ada:home:/bin/sh\n"), "none");
  EXPECT_EQ(home("+::::::\nada:x::7:Ada:/home:/bin/sh\n"), "none");
  EXPECT_EQ(home("ada:x:1000x:7:Ada:/home:/bin/sh\n"), "none");
  EXPECT_EQ(home("ada:x:4294968296:7:Ada:/home:/bin/sh\n"), "none") << "the number modulo 2^32";
}

TEST_F(HomeInFile, IsFoundBehindLinesOfAnyLength) {
  const std::string line = "ada:x:1000:7:Ada:/home/ada:/bin/sh\n";
  for (const std::size_t length : {4000, 4094, 4095, 4096, 8190, 8191, 8192, 100'000})
    EXPECT_EQ(home(std::string(length, ':') + "\n" + line), "/home/ada") << length;
  EXPECT_EQ(home("ada:x:1000:7:Ada:/" + std::string(PATH_MAX, 'd') + ":/bin/sh\n"), "none");
}

TEST(Home, IsTheVariableWhereItIsSet) {
  const auto lookup = [](void* value, const char*) { return static_cast<const char*>(value); };
  char home[PATH_MAX] = "";
  EXPECT_TRUE(launch_home(lookup, const_cast<char*>("/home/ada"), home));
  EXPECT_STREQ(home, "/home/ada");
}

}  // namespace
}  // namespace hipcache
