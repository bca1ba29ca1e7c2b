#include "hipcache/launcher/exec_compiler.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "hipcache/launcher/compiler.h"

namespace hipcache {
namespace {

std::string printed(const char* before, const std::string& name, const char* after) {
  testing::internal::CaptureStderr();
  launch_print_error(before, name.c_str(), after);
  return testing::internal::GetCapturedStderr();
}

TEST(Diagnostics, AnErrorIsOneLine) {
  EXPECT_EQ(printed("cannot run ", "cc", ": reason"), "hipcache: error: cannot run cc: reason\n");
  EXPECT_EQ(printed("message", "", ""), "hipcache: error: message\n");
}

TEST(Diagnostics, AnErrorIsPrintedInFullHoweverLongItIs) {
  const std::string longest(50000, 'x');
  EXPECT_EQ(printed("", longest, ""), "hipcache: error: " + longest + "\n");
}

TEST(Diagnostics, AProgramThatCannotRunIsNamedWithTheExitCodeOfAShell) {
  testing::internal::CaptureStderr();
  errno = ENOENT;
  EXPECT_EQ(launch_cannot_run("cc"), 127);
  errno = EACCES;
  EXPECT_EQ(launch_cannot_run("cc"), 126);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "hipcache: error: cannot run cc: No such file or directory\n"
            "hipcache: error: cannot run cc: Permission denied\n");
}

std::string problem_with(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  launch_command command{};
  launch_find_compiler(pointers.data(), &command);
  return command.words == nullptr ? command.problem : "none";
}

TEST(Diagnostics, AMissingCompilerIsNamedAndSoIsWhereItWasSought) {
  EXPECT_EQ(problem_with({}), "no compiler given");
  EXPECT_EQ(problem_with({"no-such-cc"}), "could not find compiler \"no-such-cc\" in PATH");
  EXPECT_EQ(problem_with({"/no/such/cc"}), "could not find compiler \"/no/such/cc\"");
  EXPECT_EQ(problem_with({"/bin/sh"}), "none");
}

}  // namespace
}  // namespace hipcache
