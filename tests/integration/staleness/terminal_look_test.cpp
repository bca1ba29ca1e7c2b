// Messages at a terminal are those of the plain compiler at the same terminal, byte for byte: on a miss and on a hit,
// for all that compilers look at to choose colours, links and width.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"
#include "integration/staleness/support/terminal.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class TerminalLook : public Staleness {
 protected:
  TerminalLook() {
    project_.write("a.c",
                   "#include <stdio.h>\nint one(void) { int unused; printf(\"%d and a line that is wider than some "
                   "terminals are, so that some compilers cut it\", \"x\"); }\n");
    write_kernel(project_, "a.hip", "__device__ int one() { int unused; return 1; }\n");
    // What this process has must not decide.
    for (const char* name : {"TERM", "NO_COLOR", "GCC_COLORS", "GCC_URLS", "TERM_URLS", "COLUMNS", "COLORTERM"})
      unset_[name] = "";
  }

  Arguments hip(const std::string& flags = "") const { return command("-O1 -Wall " + flags); }
  Arguments c(const std::string& compiler, const std::string& flags = "") const {
    return words(compiler + " -Wall " + flags + " -c a.c -o a.o");
  }

  Variables with(const Variables& variables) const {
    Variables all = unset_;
    for (const auto& [name, value] : variables) all[name] = value;
    all["PWD"] = project_.path();
    return all;
  }

  Shown through_hipcache(const Terminal& terminal, const Arguments& argv, const Variables& variables,
                         const std::string& streams) const {
    fs::remove(project_ / "a.o");
    return terminal.run(Arguments{hipcache_program()} + argv, project_.path(), cache_.variables(variables), streams);
  }

  // A miss or a hit, and a hit.
  void expect_same(const Arguments& argv, const Variables& variables, const std::string& streams = "012",
                   unsigned short columns = 80) {
    const Variables all = with(variables);
    const Terminal terminal(columns);
    const Shown plain = terminal.run(argv, project_.path(), all, streams);
    EXPECT_EQ(plain.exit_code, 0) << plain.terminal << plain.pipe;
    EXPECT_NE(plain.terminal + plain.pipe, "");
    const Shown first = through_hipcache(terminal, argv, all, streams);
    EXPECT_EQ(first.terminal, plain.terminal);
    EXPECT_EQ(first.pipe, plain.pipe);
    const Counts before = cache_.counts();
    const Shown second = through_hipcache(terminal, argv, all, streams);
    EXPECT_EQ(second.terminal, plain.terminal);
    EXPECT_EQ(second.pipe, plain.pipe);
    const Counts counted = cache_.counts() - before;
    EXPECT_EQ(counted.hits, 1) << counted.json.dump();
  }

  Variables unset_;
};

// What no compiler decides.
class TerminalLookByOneCompiler : public TerminalLook {};

std::string text_of(const Variables& variables) {
  std::string text;
  for (const auto& [name, value] : variables) text += name + "=" + value + " ";
  return text;
}

TEST_P(TerminalLook, IsTheCompilersWhateverVariablesSayOfTheTerminal) {
  for (const Variables& variables : {Variables{{"TERM", "xterm-256color"}},
                                     {{"TERM", "dumb"}},
                                     {},
                                     {{"TERM", "xterm"}, {"NO_COLOR", "1"}},
                                     {{"TERM", "xterm"}, {"COLUMNS", "60"}},
                                     {{"TERM", "xterm"}, {"COLORTERM", "truecolor"}},
                                     {{"TERM", "xterm"}, {"GCC_COLORS", "warning=01;31"}},
                                     {{"TERM", "xterm"}, {"GCC_URLS", "st"}},
                                     {{"TERM", "xterm"}, {"TERM_URLS", "bel"}},
                                     {{"TERM", "linux"}}})
    for (const Arguments& argv : {hip(), c(GetParam().program()), c("gcc")}) {
      SCOPED_TRACE(argv[0] + " " + text_of(variables));
      expect_same(argv, variables);
    }
}

TEST_P(TerminalLook, IsTheCompilersWhateverOptionsSay) {
  const Variables colours{{"TERM", "xterm"}};
  for (const std::string flags :
       {"-fno-diagnostics-color", "-fdiagnostics-color=auto", "-fdiagnostics-color=always", "-fdiagnostics-color=never",
        "-DX=color-diagnostics", "-fmessage-length=50", "-fno-diagnostics-color -fdiagnostics-color"})
    for (const Arguments& argv : {hip(flags), c(GetParam().program(), flags), c("gcc", flags)}) {
      SCOPED_TRACE(argv[0] + " " + flags);
      expect_same(argv, colours);
    }
  for (const std::string flags : {"-fno-color-diagnostics", "-fcolor-diagnostics -fansi-escape-codes",
                                  "-fansi-escape-codes", "-I -fcolor-diagnostics"})
    for (const Arguments& argv : {hip(flags), c(GetParam().program(), flags)}) {
      SCOPED_TRACE(argv[0] + " " + flags);
      expect_same(argv, colours);
    }
  for (const std::string flags : {"-fdiagnostics-urls=always", "-fdiagnostics-plain-output"})
    expect_same(c("gcc", flags), colours);
}

TEST_P(TerminalLook, IsTheCompilersWhicheverStreamsAreTheTerminal) {
  for (const Arguments& argv : {hip(), c(GetParam().program()), c("gcc")})
    for (const std::string streams : {"012", "12", "02", "2", "1", "0", ""}) {
      SCOPED_TRACE(argv[0] + " at " + streams);
      expect_same(argv, {{"TERM", "xterm"}}, streams);
    }
}

TEST_P(TerminalLook, IsTheCompilersHoweverWideTheTerminalIs) {
  for (const unsigned short columns : {0, 40, 80, 200})
    for (const Arguments& argv : {hip(), c(GetParam().program()), c("gcc")}) {
      SCOPED_TRACE(argv[0] + " " + std::to_string(columns));
      expect_same(argv, {{"TERM", "xterm"}}, "012", columns);
    }
}

// A script that asks for the terminal may do anything with the answer.
TEST_P(TerminalLookByOneCompiler, OfAScriptThatAsksForTheTerminalIsThatOfTheScript) {
  const std::string script =
      project_.write("bin/cc", "#!/bin/sh\nif [ -t 2 ]; then m=-DTERMINAL; else m=-DPIPE; fi\nexec gcc $m \"$@\"\n");
  fs::permissions(script, fs::perms::owner_all);
  project_.write("a.c", "#ifdef TERMINAL\n#warning \"at a terminal\"\n#else\n#warning \"in a pipe\"\n#endif\n");
  Arguments argv = c("gcc");
  argv[0] = script;
  for (int time = 0; time < 2; ++time)
    for (const std::string streams : {"012", ""}) expect_same(argv, {{"TERM", "xterm"}}, streams);
}

// gcc prints what it inlined to standard output, after its warnings.
TEST_P(TerminalLookByOneCompiler, KeepsTheOrderOfBothOutputsInOneFile) {
  project_.write("a.c", "static int two(void) { int unused; return 2; }\nint one(void) { return two(); }\n");
  const Arguments argv = c("gcc", "-O2 -fopt-info-inline=stdout");
  const Variables all = with({});
  const Terminal terminal;
  for (const std::string streams : {"012", ""})
    for (int time = 0; time < 3; ++time) {
      const Shown plain = terminal.run(argv, project_.path(), all, streams);
      EXPECT_NE((plain.terminal + plain.pipe).find("warning"), std::string::npos);
      EXPECT_NE((plain.terminal + plain.pipe).find("nlin"), std::string::npos);
      const Shown cached = through_hipcache(terminal, argv, all, streams);
      EXPECT_EQ(cached.terminal + cached.pipe, plain.terminal + plain.pipe) << time;
    }
  EXPECT_EQ(cache_.counts().hits, 0);
  expect_same(argv, {}, "2");
}

INSTANTIATE_TEST_SUITE_P(Compilers, TerminalLook, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, TerminalLookByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
