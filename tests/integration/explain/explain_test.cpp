// `hipcache --explain` beside the daemon's restart, the log and the JSON, and the log's lines about misses. For what it
// names after a change see fixtures/cases/explain.toml.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hipcache/base/digest.h"
#include "integration/support/explained.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string tokens(const std::string& path, const std::string& what = "token 4 (line 1) differs") {
  return "tokens of " + path + ": " + what;
}

class Explain : public SingleCompile {
 protected:
  // One header for all steps, one for the devices, one for gfx906 alone.
  Explain() {
    project_.write("all.h", kAll);
    project_.write("device.h", kDevice);
    project_.write("gfx906.h", kGfx906);
    project_.make_directory("first");
    write_kernel(project_, "a.hip",
                 "#include <all.h>\n"
                 "#ifdef __HIP_DEVICE_COMPILE__\n#include <device.h>\n#endif\n"
                 "#ifdef __gfx906__\n#include <gfx906.h>\n#endif\n"
                 "#if NEW || MORE\n#endif\n");
  }

  Arguments compile(const std::string& flags = "-O1") const { return command("-Ifirst -I. " + flags); }

  void build(const Arguments& argv, const Variables& variables = {}) {
    const Ended ended = cache_.run(argv, project_.path(), logged(variables));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }

  Explained explain(const Arguments& argv, const Variables& variables = {}) const {
    const Ended ended =
        cache_.run(Arguments{"--explain", "--format", "json", "--"} + argv, project_.path(), logged(variables));
    EXPECT_EQ(ended.err, "");
    Explained explained(nlohmann::json::parse(ended.out));
    const std::string outcome = explained.json().at("outcome");
    EXPECT_EQ(ended.exit_code, outcome == "hit" ? 0 : outcome == "passthrough" ? 4 : 3) << outcome;
    return explained;
  }

  // Builds what was explained, and expects that exactly the predicted steps ran.
  void expect_true(const Explained& explained, const Arguments& argv, const Variables& variables = {}) {
    const Counts before = cache_.counts();
    build(argv, variables);
    const Counts counted = cache_.counts() - before;
    for (const nlohmann::json& step : explained.json().at("steps")) {
      const std::string name = step.at("name");
      if (name == "probe" || step.at("verdict") == "depends") continue;
      EXPECT_EQ(counted.run.at(name), step.at("verdict") == "would run" ? 1 : 0) << name;
    }
  }

  void stop_daemon() const { EXPECT_EQ(cache_.control("--stop-server").exit_code, 0); }

  std::string log() const { return support::read_bytes(project_ / "log"); }

  static constexpr const char* kAll = "#define ALL 1\n";
  static constexpr const char* kDevice = "#define DEVICE 1\n";
  static constexpr const char* kGfx906 = "#define GFX906 1\n";
  static inline const std::vector<std::string> kSteps{"device gfx1030", "device gfx906", "bundle", "host"};

  // The first request with these variables starts a daemon that keeps a log.
  Variables logged(Variables variables) const {
    variables["HIPCACHE_LOG"] = project_ / "log";
    return variables;
  }
};

// Checks the log, explanations and statistics.
TEST_P(Explain, ShowsNobodyPlaceholdersOrControlCharacters) {
  const auto expect_readable = [](const std::string& what, const std::string& text) {
    for (const char c : text) ASSERT_TRUE(static_cast<unsigned char>(c) >= ' ' || c == '\n') << what << ":\n" << text;
    EXPECT_THAT(text, Not(HasSubstr("hipcache-request-directory"))) << what;
  };
  const Variables in_base{{"HIPCACHE_BASEDIR", project_.path()}};
  const std::string strange = project_.write("str\x1b[31mange.h", "#define STRANGE 1\n");
  const Arguments argv = compile("-O1 -I" + project_.path()) + Arguments{"-include", strange};
  const auto explained = [&] {
    return cache_.run(Arguments{"--explain", "--"} + argv, project_.path(), logged(in_base)).out;
  };
  build(argv, in_base);
  project_.write("str\x1b[31mange.h", "#define STRANGE 2\n");
  project_.write("first/all.h", kAll);
  expect_readable("a changed header", explained());
  build(argv, in_base);
  build(compile("-O2 -Ifirst -I" + project_.path()), in_base);
  expect_readable("other arguments", explained());
  expect_readable("JSON", cache_.run(Arguments{"--explain", "--format", "json", "--"} + argv, project_.path()).out);
  build(argv + Arguments{"-DLINES=one\ntwo\x01"
                         "base\x01"},
        in_base);
  build(compile("-O1 -E"), in_base);
  for (const char* format : {"text", "json"})
    expect_readable("statistics", cache_.run({"--show-stats", "--format", format}, "/").out);
  EXPECT_THAT(log(), HasSubstr("str\\x1b[31mange.h"));
  expect_readable("log", log());
}

TEST_P(Explain, SaysThatNothingIsStoredBeforeTheFirstCompileAndAfterClearing) {
  for (const bool cleared : {false, true}) {
    if (cleared) {
      build(compile());
      EXPECT_EQ(cache_.control("--clear").exit_code, 0);
    }
    const Explained explained = explain(compile());
    EXPECT_EQ(explained.json().at("compared"), 0);
    EXPECT_THAT(explained.lines("request"), ElementsAre("no compile of this output is stored"));
    EXPECT_EQ(explained.not_stored().size(), 5u) << explained.text();
  }
}

TEST_P(Explain, SaysWhyTheLastRunFailedUntilOneSucceeds) {
  write_kernel(project_, "a.hip", "int broken( {}\n");
  const Ended failed = cache_.run(compile(), project_.path(), logged({}));
  ASSERT_EQ(failed.exit_code, 1);
  EXPECT_THAT(explain(compile()).lines("request").front(),
              AllOf(HasSubstr("its last run failed: exit code 1: "), HasSubstr("a.hip:"), HasSubstr("error: ")));
  write_kernel(project_, "a.hip", "");
  build(compile());
  EXPECT_THAT(explain(compile("-O2")).lines("request"), Not(Contains(HasSubstr("failed"))));
}

TEST_P(Explain, SaysOfAnUnchangedCompileThatAllIsStoredAlsoAfterARestart) {
  build(compile());
  for (const bool restarted : {false, true}) {
    if (restarted) stop_daemon();
    const Explained explained = explain(compile());
    EXPECT_EQ(explained.verdict("request"), "stored");
    EXPECT_THAT(explained.not_stored(), IsEmpty()) << explained.text();
  }
}

TEST_P(Explain, NamesAnEditedHeaderWithBothDigestsAlsoAfterARestart) {
  build(compile());
  project_.write("all.h", "#define ALL 2\n");
  for (const bool restarted : {false, true}) {
    if (restarted) stop_daemon();
    const Explained explained = explain(compile());
    for (const char* step : {"device gfx1030", "device gfx906", "host"})
      EXPECT_THAT(explained.lines(step), ElementsAre(restarted ? tokens("./all.h", "they differ") : tokens("./all.h")))
          << step;
    EXPECT_EQ(explained.verdict("bundle"), "depends");
    EXPECT_THAT(explained.lines("bundle"),
                ElementsAre("device gfx1030 has to run first", "device gfx906 has to run first"));
    EXPECT_EQ(explained.verdict("probe"), "stored");
  }
  expect_true(explain(compile()), compile());
}

// clang reads edits of its command line from the variable. It ignores an unknown edit, silently if it begins with '#'.
TEST_P(Explain, NamesAVariableAndNeverItsValue) {
  const std::vector<std::string> secrets{"value-that-nobody-may-see-7f3a", "value-of-that-kind-91bc", "value-22d0"};
  const auto with = [&](std::size_t index) { return Variables{{"CCC_OVERRIDE_OPTIONS", "#" + secrets[index]}}; };
  build(compile());
  const Explained set = explain(compile(), with(0));
  EXPECT_THAT(set.lines("probe"), ElementsAre("variable CCC_OVERRIDE_OPTIONS is set now"));
  build(compile(), with(0));
  EXPECT_THAT(explain(compile(), with(0)).not_stored(), IsEmpty());
  const Explained changed = explain(compile(), with(1));
  EXPECT_THAT(changed.lines("probe"), ElementsAre("variable CCC_OVERRIDE_OPTIONS differs"));
  build(compile(), with(2));
  EXPECT_THAT(log(), HasSubstr("a.o: probe runs: variable CCC_OVERRIDE_OPTIONS differs\n"));

  stop_daemon();
  std::string everything = set.text() + changed.text() + log();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_.directory()))
    if (entry.is_regular_file()) everything += support::read_bytes(entry.path());
  for (const std::string& secret : secrets) EXPECT_THAT(everything, Not(HasSubstr(secret)));
}

TEST_P(Explain, KeepsBackArgumentsThatTheDriverMadeOfAVariable) {
  build(compile());
  const Explained explained = explain(compile(), {{"CPATH", project_ / "first"}});
  EXPECT_THAT(explained.lines("probe"), ElementsAre("variable CPATH is set now"));
  EXPECT_THAT(explained.lines("host"), ElementsAre("arguments that the driver made differ"));
  EXPECT_THAT(explained.text(), Not(HasSubstr(project_ / "first")));
}

TEST_P(Explain, NamesTheReasonOfACommandThatPassesThrough) {
  const Explained explained = explain(compile("-O1 -ftime-trace"));
  EXPECT_EQ(explained.json().at("reason"), "time-trace");
  EXPECT_EQ(explained.json().at("detail"), "-ftime-trace");
  EXPECT_EQ(explained.json().at("outcome"), "passthrough");
  EXPECT_EQ(explained.verdict("request"), "passes through");
  const Ended text = cache_.run(Arguments{"--explain", "--"} + compile("-O1 -ftime-trace"), project_.path());
  EXPECT_EQ(text.out, "passes through: time-trace: -ftime-trace\n");
}

TEST_P(Explain, NamesWhyAStepIsNeverStored) {
  project_.write("a.hip", support::read_bytes(project_ / "a.hip") + "const char* date = __DATE__ __TIME__;\n");
  build(compile());
  const Explained explained = explain(compile());
  for (const char* step : {"device gfx906", "host"})
    EXPECT_THAT(explained.lines(step), ElementsAre(HasSubstr("was not stored: clock"))) << step;
}

TEST_P(Explain, KeepsNoHistoryOfReadonlyRequests) {
  build(compile(), {{"HIPCACHE_READONLY", "1"}});
  EXPECT_EQ(explain(compile()).json().at("compared"), 0);
}

TEST_P(Explain, HasTheLogSayWhyEachStepRan) {
  build(compile());
  for (const std::string& step : kSteps)
    EXPECT_THAT(log(), HasSubstr("a.o: " + step + " runs: no compile of this output is stored\n"));
  build(compile());
  project_.write("gfx906.h", "#define GFX906 2\n");
  const std::size_t before = log().size();
  build(compile());
  const std::string lines = log().substr(before);
  EXPECT_THAT(lines, HasSubstr("a.o: device gfx906 runs: " + tokens("./gfx906.h")));
  EXPECT_THAT(lines, Not(HasSubstr("device gfx1030 runs")));
  EXPECT_THAT(lines, Not(HasSubstr("host runs"))) << "an unused macro leaves the code object as it was";
}

TEST_P(Explain, HasTheLogSayWhyAnOpaqueCompileRan) {
  project_.write("b.h", "#define VALUE 1\n");
  project_.write("b.c", "#include \"b.h\"\nint value = VALUE;\n");
  const Arguments opaque = words("gcc -c b.c -o b.o");
  const auto lines_of = [&](const Arguments& argv, const Variables& variables = {}) {
    const std::size_t before = support::exists(project_ / "log") ? log().size() : 0;
    build(argv, variables);
    return log().substr(before);
  };
  EXPECT_THAT(lines_of(opaque), HasSubstr("b.o: compile runs: no compile of this output is stored\n"));
  EXPECT_THAT(lines_of(opaque), Not(HasSubstr("runs")));
  project_.write("b.h", "#define VALUE 2\n");
  EXPECT_THAT(lines_of(opaque), HasSubstr("b.o: compile runs: " + tokens("b.h") + "\n"));
  EXPECT_THAT(lines_of(opaque + words("-O2")), HasSubstr("b.o: compile runs: argument -O2 only now\n"));
  EXPECT_THAT(lines_of(opaque, {{"CPATH", "/nowhere"}}), HasSubstr("b.o: compile runs: variable CPATH is set now\n"));
}

TEST_P(Explain, HasTheLogSayWhyALinkAndAnArchiveRan) {
  project_.write("b.c", "int main(void) { return 0; }\n");
  build(words("gcc -c b.c -o b.o"));
  const Arguments link = words("gcc b.o -o program"), archive = words("ar rcs libb.a b.o");
  build(link);
  build(archive);
  EXPECT_THAT(log(), HasSubstr("program: link runs: no compile of this output is stored\n"));
  EXPECT_THAT(log(), HasSubstr("libb.a: archive runs: no compile of this output is stored\n"));
  for (const char* made : {"program", "libb.a"}) std::filesystem::remove(project_ / made);
  project_.write("b.c", "int main(void) { return 1; }\n");
  build(words("gcc -c b.c -o b.o"));
  const std::size_t before = log().size();
  build(link);
  build(archive);
  EXPECT_THAT(log().substr(before), HasSubstr("program: link runs: content b.o (digest "));
  EXPECT_THAT(log().substr(before), HasSubstr("libb.a: archive runs: content b.o (digest "));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Explain, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
