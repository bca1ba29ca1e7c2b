#include "compiler/command_line/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <variant>

#include "hipcache/base/reason.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/kind.h"
#include "support/scratch.h"

namespace hipcache::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ResponseFiles : public ::testing::Test {
 protected:
  Result<ExpandedArguments> expand(const std::vector<std::string>& argv) const {
    return expand_response_files(argv, scratch.path());
  }
  std::string trouble(const std::string& argument) const {
    const auto expanded = expand({"clang++", argument});
    return expanded ? "none" : expanded.error().message;
  }

  support::Scratch scratch;
};

TEST_F(ResponseFiles, ExpandInPlaceWithGnuQuoting) {
  scratch.write("args", "-DA='x y'  \"-DB=\\\"q\\\"\"\n-DC=a\\ b\n");
  const auto expanded = expand({"clang++", "-c", "@args", "a.hip"});
  ASSERT_TRUE(expanded);
  EXPECT_THAT(expanded->arguments, ElementsAre("clang++", "-c", "-DA=x y", "-DB=\"q\"", "-DC=a b", "a.hip"));
  EXPECT_THAT(expanded->files, ElementsAre(scratch / "args"));
}

TEST_F(ResponseFiles, AreNamedRelativeToTheWorkingDirectoryAlsoInsideOfOthers) {
  scratch.write("sub/outer", "@sub/inner -O1");
  scratch.write("sub/inner", "-O2");
  const auto expanded = expand({"clang++", "@sub/outer"});
  ASSERT_TRUE(expanded);
  EXPECT_THAT(expanded->arguments, ElementsAre("clang++", "-O2", "-O1"));
  EXPECT_THAT(expanded->files, ElementsAre(scratch / "sub/outer", scratch / "sub/inner"));
}

TEST_F(ResponseFiles, MayBeNamedTwiceAndByAbsolutePath) {
  const std::string path = scratch.write("args", "-O2");
  const auto expanded = expand({"clang++", "@args", "@" + path});
  ASSERT_TRUE(expanded);
  EXPECT_THAT(expanded->arguments, ElementsAre("clang++", "-O2", "-O2"));
  EXPECT_EQ(expanded->files.size(), 1u);
}

TEST_F(ResponseFiles, MayBeEmpty) {
  scratch.write("args", "");
  const auto expanded = expand({"clang++", "@args"});
  ASSERT_TRUE(expanded);
  EXPECT_THAT(expanded->arguments, ElementsAre("clang++"));
}

TEST_F(ResponseFiles, AreErrorsWhereTheyCanBeReadOnceOnly) {
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  scratch.write("args", "@/dev/fd/0");
  EXPECT_THAT(trouble("@pipe"), HasSubstr(scratch / "pipe"));
  EXPECT_THAT(trouble("@/dev/stdin"), HasSubstr("/dev/stdin"));
  EXPECT_THAT(trouble("@args"), HasSubstr("/dev/fd/0"));
}

TEST_F(ResponseFiles, DoNotExpandInTheNameOfTheCompiler) {
  const auto expanded = expand({"@clang++", "-c"});
  ASSERT_TRUE(expanded);
  EXPECT_THAT(expanded->arguments, ElementsAre("@clang++", "-c"));
}

TEST_F(ResponseFiles, AreErrorsThatNameTheFileWhereTheyAreMissing) {
  EXPECT_THAT(trouble("@none"), HasSubstr(scratch / "none"));
  EXPECT_THAT(trouble("@"), ::testing::Ne("none"));
}

TEST_F(ResponseFiles, AreErrorsWhereTheyReferToThemselves) {
  scratch.write("one", "@two");
  scratch.write("two", "@one");
  EXPECT_THAT(trouble("@one"), HasSubstr("refers to itself"));
}

TEST_F(ResponseFiles, AreErrorsBeyondSixteenLevels) {
  for (int i = 0; i < 20; ++i) scratch.write("f" + std::to_string(i), "@f" + std::to_string(i + 1));
  scratch.write("f20", "-O2");
  EXPECT_THAT(trouble("@f0"), HasSubstr("nested too deep"));
  EXPECT_EQ(trouble("@f5"), "none");
}

TEST_F(ResponseFiles, AreErrorsBeyondOneMebibyteAltogether) {
  scratch.write("half", std::string(kMaxResponseBytes / 2 + 1, ' '));
  EXPECT_EQ(trouble("@half"), "none");
  EXPECT_FALSE(expand({"clang++", "@half", "@half"}));
}

TEST_F(ResponseFiles, AreErrorsWhereOneMultipliesTheOther) {
  std::string many;
  for (int i = 0; i < 100; ++i) many += "@inner ";
  std::string tiny;
  for (int i = 0; i < 100; ++i) tiny += "@nothing ";
  scratch.write("outer", many);
  scratch.write("inner", tiny);
  scratch.write("nothing", "");
  EXPECT_THAT(trouble("@outer"), HasSubstr("one too many"));
}

TEST_F(ResponseFiles, AreErrorsWhereTheyAreNotPlainText) {
  scratch.write("utf16", std::string("\xff\xfe-\0O\0", 6));
  scratch.write("null", std::string("-O\0002", 4));
  EXPECT_THAT(trouble("@utf16"), HasSubstr("not plain text"));
  EXPECT_THAT(trouble("@null"), HasSubstr("not plain text"));
}

TEST_F(ResponseFiles, AreUnderstoodButLeftInTheCommandAsTyped) {
  scratch.write("args", "--offload-arch=gfx906 -O2 -c a.hip -o a.o");
  const Parser parser;
  const auto parsed = parser.parse({"clang++", "@args"}, scratch.path());
  ASSERT_TRUE(std::holds_alternative<Invocation>(parsed));
  const auto& invocation = std::get<Invocation>(parsed);
  EXPECT_THAT(invocation.argv, ElementsAre("clang++", "@args"));
  EXPECT_THAT(invocation.response_files, ElementsAre(scratch / "args"));
  EXPECT_THAT(invocation.without_archs, ElementsAre("clang++", "-O2", "-c", "a.hip", "-o", "a.o"));
  EXPECT_EQ(invocation.object, "a.o");
}

TEST_F(ResponseFiles, HideNothingFromTheRules) {
  scratch.write("args", "-save-temps");
  const Parser parser;
  const auto parsed = parser.parse({"clang++", "@args", "-c", "a.hip"}, scratch.path());
  ASSERT_TRUE(std::holds_alternative<Uncacheable>(parsed));
  EXPECT_EQ(std::get<Uncacheable>(parsed).reason, Reason::save_temps);
}

}  // namespace
}  // namespace hipcache::compiler
