// Variables that a compile depends on, and variables that it does not depend on.
#include <gtest/gtest.h>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

constexpr Steps kEverything{.device = 2, .bundle = 1, .host = 1, .probe = 1};

class EnvironmentStaleness : public Staleness {
 protected:
  void write_values() const {
    project_.write("one/value.h", "__device__ int value = 1;\n");
    project_.write("two/value.h", "__device__ int value = 22;\n");
    write_kernel(project_, "a.hip", "#include <value.h>\n");
  }

  void expect_include_path_in(const std::string& variable) {
    write_values();
    warm(command(), {{variable, project_ / "one"}});
    expect_runs(kEverything, command(), {{variable, project_ / "two"}});
    expect_hit(command(), {{variable, project_ / "one"}});
  }
};

TEST_P(EnvironmentStaleness, TheIncludePathIsAnInput) { expect_include_path_in("CPATH"); }

TEST_P(EnvironmentStaleness, TheIncludePathOfItsLanguageIsAnInput) { expect_include_path_in("CPLUS_INCLUDE_PATH"); }

TEST_P(EnvironmentStaleness, TheIncludePathOfCIsAnArgumentOfEveryCompile) {
  write_values();
  const Variables one{{"CPATH", project_ / "one"}, {"C_INCLUDE_PATH", project_ / "one"}};
  const Variables two{{"CPATH", project_ / "one"}, {"C_INCLUDE_PATH", project_ / "two"}};
  warm(command(), one);
  expect_runs({.device = 2, .host = 1, .probe = 1}, command(), two);
}

TEST_P(EnvironmentStaleness, AHeaderThatAppearsOnAPathOfTheEnvironmentIsFound) {
  write_values();
  const Variables path{{"CPATH", (project_ / "early") + ":" + (project_ / "one")}};
  warm(command(), path);
  project_.write("early/value.h", "__device__ int value = 333;\n");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command(), path);
}

TEST_P(EnvironmentStaleness, ArgumentsThatTheEnvironmentAddsAreInputs) {
  write_kernel(project_, "a.hip", "__device__ int value = VALUE;\n");
  warm(command(), {{"CCC_OVERRIDE_OPTIONS", "#+-DVALUE=1"}});
  expect_runs(kEverything, command(), {{"CCC_OVERRIDE_OPTIONS", "#+-DVALUE=2"}});
  expect_hit(command(), {{"CCC_OVERRIDE_OPTIONS", "#+-DVALUE=1"}});
}

TEST_P(EnvironmentStaleness, ArgumentsThatTheEnvironmentAddsAloudMakeACompileOpaque) {
  warm(command());
  expect_opaque(command(), {{"CCC_OVERRIDE_OPTIONS", "+-DVALUE=1"}});
  expect_opaque(command(), {{"CCC_OVERRIDE_OPTIONS", "+-DVALUE=2"}});
}

TEST_P(EnvironmentStaleness, ADateThatNoSourceAsksForIsNoInput) {
  warm(command(), {{"SOURCE_DATE_EPOCH", "1000000000"}});
  expect_hit(command(), {{"SOURCE_DATE_EPOCH", "1100000000"}});
  expect_hit(command(), {{"SOURCE_DATE_EPOCH", "0"}});
  if (clang15()) return expect_hit(command());
  expect_runs({.probe = 1}, command());
  expect_hit(command());
}

TEST_P(EnvironmentStaleness, ADateThatTheCompilerDoesNotTakeIsAnInput) {
  warm(command());
  for (const char* value : {"tomorrow", "-1", "253402300800"}) {
    SCOPED_TRACE(value);
    if (clang15()) {
      expect_hit(command(), {{"SOURCE_DATE_EPOCH", value}});
    } else {
      oracle_.check(command(), {{"SOURCE_DATE_EPOCH", value}});
      EXPECT_NE(oracle_.exit_code(), 0);
    }
  }
  const Variables last{{"SOURCE_DATE_EPOCH", "253402300799"}};
  if (clang15()) return expect_hit(command(), last);
  expect_runs({.probe = 1}, command(), last);
}

TEST_P(EnvironmentStaleness, ADateIsAnInputOfThoseSourcesOfCppThatAskForIt) {
  project_.write("plain.cpp", "int plain() { return 1; }\n");
  project_.write("dated.cpp", "const char* dated() { return __DATE__; }\n");
  const auto compile = [this](const char* source, const char* date) {
    return check({GetParam().program(), "-O1", "-c", source, "-o", "unit.o"}, {{"SOURCE_DATE_EPOCH", date}});
  };
  EXPECT_EQ(compile("plain.cpp", "1000000000").run.at("host"), 1);
  EXPECT_EQ(compile("plain.cpp", "1100000000").run.at("host"), 0);
  if (clang15()) return;  // uses today's date
  EXPECT_EQ(compile("dated.cpp", "1000000000").run.at("host"), 1);
  EXPECT_EQ(compile("dated.cpp", "1100000000").run.at("host"), 1);
  EXPECT_EQ(compile("dated.cpp", "1000000000").run.at("host"), 0);
}

TEST_P(EnvironmentStaleness, OptionsOfTheBundlerInTheEnvironmentRunTheBundle) {
  warm(command());
  const Variables compressed{{"OFFLOAD_BUNDLER_COMPRESS", "1"}};
  const Variables ignored{{"OFFLOAD_BUNDLER_COMPRESS", "1"}, {"OFFLOAD_BUNDLER_IGNORE_ENV_VAR", "1"}};
  if (clang15()) {
    expect_hit(command(), compressed);  // has no such options
  } else {
    expect_runs({.bundle = 1}, command(), compressed);
    expect_runs({.bundle = 1}, command(), ignored);
  }
  expect_hit(command());
}

TEST_P(EnvironmentStaleness, TheProducersNameIsAnInput) {
  warm(command("-O1 -g"));
  expect_runs(kEverything, command("-O1 -g"), {{"LLVM_OVERRIDE_PRODUCER", "another"}});
  expect_hit(command("-O1 -g"));
}

TEST_P(EnvironmentStaleness, WhereLibrariesAreSearchedIsAQuestionOfTheDriverAlone) {
  warm(command());
  expect_runs({.probe = 1}, command(), {{"LIBRARY_PATH", project_ / "libraries"}});
}

TEST_P(EnvironmentStaleness, MessagesDoNotDependOnTheLanguage) {
  write_kernel(project_, "a.hip", "#warning \"a message of the compiler's\"\n");
  warm(command());
  for (const char* variable : {"LANG", "LC_ALL", "LANGUAGE"}) expect_hit(command(), {{variable, "de_DE.UTF-8"}});
  expect_hit(command(), {{"LC_ALL", "C.utf8"}});
}

TEST_P(EnvironmentStaleness, WhatNobodyAsksForIsNoInput) {
  warm(command());
  const support::Scratch temporary;  // clang 15 leaves directories behind
  for (const Variables& variables :
       {Variables{{"UNRELATED", "1"}}, Variables{{"TMPDIR", temporary.path()}}, Variables{{"LD_BIND_NOW", "1"}},
        Variables{{"HOME", temporary.path()}, {"XDG_CONFIG_HOME", temporary.path()}}, Variables{{"TZ", "Asia/Tokyo"}}})
    expect_hit(command(), variables);
}

INSTANTIATE_TEST_SUITE_P(Compilers, EnvironmentStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
