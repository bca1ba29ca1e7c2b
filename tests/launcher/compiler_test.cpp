#include "hipcache/launcher/compiler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace hipcache {
namespace {

namespace fs = std::filesystem;

std::string from_here(const std::string& way) {
  char path[PATH_MAX];
  return launch_from_here(way.c_str(), path) ? path : "none";
}

TEST(Compiler, AWayLeadsFromTheDirectoryOfTheProgram) {
  const fs::path here = fs::canonical("/proc/self/exe").parent_path();
  EXPECT_EQ(from_here("name"), here / "name");
  EXPECT_EQ(from_here("../name"), here.parent_path() / "name");
  EXPECT_EQ(from_here("../../libexec/hipcache/name"), here.parent_path().parent_path() / "libexec/hipcache/name");
}

TEST(Compiler, AWayEndsAtTheRoot) {
  std::string up;
  for (int step = 0; step < 100; ++step) up += "../";
  EXPECT_EQ(from_here(up + "name"), "/name");
}

TEST(Compiler, AWayThatIsTooLongLeadsNowhere) { EXPECT_EQ(from_here(std::string(PATH_MAX, 'x')), "none"); }

}  // namespace
}  // namespace hipcache
