// Launcher, client and daemon must look for the socket in the same place, in every environment.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/daemon_socket.h"
#include "launcher/connection.h"
#include "support/scratch.h"

namespace hipcache {
namespace {

constexpr const char* kVariables[] = {"HIPCACHE_DIR", "XDG_CACHE_HOME", "HOME"};

// The process's environment is the question; other tests find it as it was.
class SocketPath : public testing::Test {
 protected:
  SocketPath() {
    for (const char* name : kVariables) {
      const char* value = std::getenv(name);
      before_.emplace_back(value != nullptr ? value : "");
    }
    setenv("HIPCACHE_CONFIG", "/none", 1);
  }

  ~SocketPath() override {
    for (std::size_t index = 0; index < before_.size(); ++index) set(kVariables[index], before_[index]);
    unsetenv("HIPCACHE_CONFIG");
  }

  static void set(const char* name, const std::string& value) {
    if (value == "-")
      unsetenv(name);
    else
      setenv(name, value.c_str(), 1);
  }

  static std::string of_launcher() {
    char path[PATH_MAX] = "";
    const launch_view view = launch_own_view();
    return launch_own_socket(&view, path) ? path : "none";
  }

  static std::string of_settings() {
    const Result<config::Settings> located = config::locate(config::lookup_in_process());
    return located ? protocol::daemon_directory(located->directory) + "/daemon.sock" : "none";
  }

 private:
  std::vector<std::string> before_;
};

TEST_F(SocketPath, IsWhereTheSettingsHaveIt) {
  const std::vector<std::string> values{"-", "", "/", "/some/where", "/ends/", "relative/dir", "."};
  int found = 0;
  for (const std::string& directory : values)
    for (const std::string& xdg : values)
      for (const std::string& home : values) {
        set("HIPCACHE_DIR", directory);
        set("XDG_CACHE_HOME", xdg);
        set("HOME", home);
        EXPECT_EQ(of_launcher(), of_settings()) << directory << "|" << xdg << "|" << home;
        found += of_launcher() != "none" ? 1 : 0;
      }
  EXPECT_GT(found, 200);
}

TEST_F(SocketPath, TooLongIsNone) {
  set("HIPCACHE_DIR", "/" + std::string(PATH_MAX, 'd'));
  EXPECT_EQ(of_launcher(), "none");
}

}  // namespace
}  // namespace hipcache
