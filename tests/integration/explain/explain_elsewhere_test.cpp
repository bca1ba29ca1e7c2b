// What `--explain` says of a compile whose output was never made: what the nearest compile of an equal source was, and
// what would make it a hit. And of the order of arguments, and of compiles that were not stored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support/explained.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ExplainElsewhere : public SingleCompile {
 protected:
  ExplainElsewhere() {
    for (const char* checkout : {"one", "two"}) write_kernel(project_, std::string(checkout) + "/a.hip");
  }

  void build(const Arguments& argv, const std::string& directory, const Variables& variables = {}) const {
    const Ended ended = cache_.run(argv, project_ / directory, variables);
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }

  Explained explain(const Arguments& argv, const std::string& directory, const Variables& variables = {}) const {
    const Ended ended =
        cache_.run(Arguments{"--explain", "--format", "json", "--"} + argv, project_ / directory, variables);
    EXPECT_EQ(ended.err, "");
    return Explained(nlohmann::json::parse(ended.out));
  }

  // A command's lines for the request and for each step.
  static std::vector<std::string> all_lines(const Explained& explained) {
    std::vector<std::string> all = explained.lines("request");
    for (const nlohmann::json& step : explained.json().at("steps"))
      for (const std::string& line : explained.lines(step.at("name"))) all.push_back(line);
    return all;
  }

  Variables based(const std::string& checkout) const { return {{"HIPCACHE_BASEDIR", project_ / checkout}}; }

  // Which rdc shows the CUID with every compiler.
  Arguments with_cuid(const std::string& object = "a.o") const { return command("-O1 -fgpu-rdc", object); }
};

TEST_P(ExplainElsewhere, SaysThatABaseDirectoryMakesAnotherCheckoutAHit) {
  build(with_cuid(), "one");
  const Explained explained = explain(with_cuid(), "two");
  EXPECT_EQ(explained.json().at("compared"), 0) << "with compiles of its own output";
  EXPECT_THAT(explained.lines("request"),
              ElementsAre("no compile of this output is stored",
                          "compared with " + (project_ / "one/a.o") + ", which was made of an equal source",
                          "the directory differs; with HIPCACHE_BASEDIR=" + (project_ / "two") +
                              " here and HIPCACHE_BASEDIR=" + (project_ / "one") + " there it does not count",
                          "working directory " + (project_ / "two") + ", was " + (project_ / "one")));
  EXPECT_THAT(explained.lines("device gfx906"), ElementsAre("the CUID differs and may show in what the step made"));
  EXPECT_THAT(explained.ties("device gfx906"), Contains(HasSubstr("with HIPCACHE_BASEDIR above it, it travels")));

  build(with_cuid(), "one", based("one"));
  EXPECT_EQ(explain(with_cuid(), "two", based("two")).json().at("outcome"), "hit");
}

TEST_P(ExplainElsewhere, SaysThatTheNameOfTheOutputCountsAndWhatMakesItNotCount) {
  build(with_cuid(), "one");
  const Explained explained = explain(with_cuid("b.o"), "one");
  EXPECT_THAT(explained.lines("request"),
              ElementsAre("no compile of this output is stored",
                          "compared with " + (project_ / "one/a.o") + ", which was made of an equal source",
                          "the name b.o differs from a.o; with the same name, or with -cuid= of your own, "
                          "it does not count"));
  const Arguments own{"-cuid=abc"};
  build(with_cuid() + own, "one");
  EXPECT_EQ(explain(with_cuid("b.o") + own, "one").json().at("outcome"), "hit");
}

TEST_P(ExplainElsewhere, SaysOfAnOpaqueCompileInAnotherDirectoryWhatKeepsItThere) {
  for (const char* checkout : {"one", "two"}) project_.write(std::string(checkout) + "/b.c", "int value;\n");
  const Arguments plain = words("gcc -g -c b.c -o b.o");
  build(plain, "one");
  const Explained explained = explain(plain, "two");
  EXPECT_THAT(explained.lines("compile"), Contains(HasSubstr("with HIPCACHE_BASEDIR=" + (project_ / "two") + " here")));
  EXPECT_THAT(explained.ties("compile"), Contains(HasSubstr("with HIPCACHE_BASEDIR")));
}

TEST_P(ExplainElsewhere, HoldsAnEditedSourceAgainstNothingElsewhere) {
  build(with_cuid(), "one");
  write_kernel(project_, "two/a.hip", "// another\n");
  EXPECT_THAT(explain(with_cuid(), "two").lines("request"), ElementsAre("no compile of this output is stored"));
}

TEST_P(ExplainElsewhere, ShowsNoNameThatHipcachePutIntoACommand) {
  build(command("-O1"), "one");
  const std::vector<std::string> lines = all_lines(explain(command("-O2"), "one"));
  EXPECT_THAT(lines, Contains("argument -O2 only now"));
  EXPECT_THAT(lines, Each(Not(HasSubstr("place of a fatbin"))));
  EXPECT_THAT(lines, Each(Not(HasSubstr("<"))));
}

TEST_P(ExplainElsewhere, SaysWhyAnOpaqueCompileIsNeverStored) {
  project_.write("one/b.c", "const char* date = __DATE__ __TIME__;\n");
  const Arguments plain = words("gcc -c b.c -o b.o");
  build(plain, "one");
  EXPECT_THAT(explain(plain, "one").lines("compile"), ElementsAre(HasSubstr("was not stored: clock")));
}

TEST_P(ExplainElsewhere, ExitsWithWhatTheCompileWouldBe) {
  const auto exit_code = [&](const Arguments& argv) {
    return cache_.run(Arguments{"--explain", "--"} + argv, project_ / "one").exit_code;
  };
  EXPECT_EQ(exit_code(command()), 3) << "a miss";
  build(command(), "one");
  EXPECT_EQ(exit_code(command()), 0) << "a hit";
  EXPECT_EQ(exit_code(command() + archs({"gfx90a"})), 3) << "a partial hit";
  EXPECT_EQ(exit_code(command("-ftime-trace")), 4) << "passes through";
  EXPECT_EQ(exit_code({"no-such-compiler"}), 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, ExplainElsewhere, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
