#include <gtest/gtest.h>

#include "hipcache/inputs/file_system_state.h"
#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

RunContext with(std::vector<std::string> environment, std::string directory = "/") {
  sort_environment(environment);
  return {std::move(directory), std::move(environment)};
}

TEST(RunContext, FindVariablesWhoseNamesBeginAlike) {
  const RunContext from = with({"A.B=dotted", "A=plain", "AB=longer", "A-=dash"});
  EXPECT_STREQ(from.variable("A"), "plain");
  EXPECT_STREQ(from.variable("A.B"), "dotted");
  EXPECT_STREQ(from.variable("AB"), "longer");
  EXPECT_STREQ(from.variable("A-"), "dash");
  EXPECT_EQ(from.variable("B"), nullptr);
  EXPECT_EQ(from.variable(""), nullptr);
}

TEST(RunContext, AnswerWithTheFirstOfEqualNamesAsGetenvDoes) {
  EXPECT_STREQ(with({"A=first", "B=x", "A=second"}).variable("A"), "first");
}

TEST(RunContext, TellAnEmptyVariableFromNone) {
  const RunContext from = with({"EMPTY=", "no equals sign"});
  EXPECT_STREQ(from.variable("EMPTY"), "");
  EXPECT_EQ(from.variable("no equals sign"), nullptr);
}

TEST(RunContext, AnswerQuestionsAboutTheStandardStreams) {
  RunContext from;
  for (const char* name : {"0", "1", "2", "0 size", "1=2", "", "9"}) EXPECT_EQ(from.of_terminal(name), "") << name;
  from.streams = "80x24,,132x50=";
  EXPECT_EQ(from.of_terminal("0"), "terminal");
  EXPECT_EQ(from.of_terminal("0 size"), "80x24");
  EXPECT_EQ(from.of_terminal("1"), "");
  EXPECT_EQ(from.of_terminal("1 size"), "");
  EXPECT_EQ(from.of_terminal("2"), "terminal");
  EXPECT_EQ(from.of_terminal("2 size"), "132x50");
  EXPECT_EQ(from.of_terminal("1=2"), "one");
  EXPECT_EQ(from.of_terminal("3"), "");
  from.streams = ",,=";
  EXPECT_EQ(from.of_terminal("2"), "");
  EXPECT_EQ(from.of_terminal("1=2"), "one");
}

TEST(RunContext, BelievePwdOnlyIfTheClientSaysThatItNamesTheWorkingDirectory) {
  RunContext from = with({"PWD=/proc/self/cwd"}, "/work");
  EXPECT_EQ(from.logical_directory(), "/work");
  from.pwd_leads_here = true;
  EXPECT_EQ(from.logical_directory(), "/proc/self/cwd");
  from = with({}, "/work");
  from.pwd_leads_here = true;
  EXPECT_EQ(from.logical_directory(), "/work");
}

}  // namespace
}  // namespace hipcache::inputs
