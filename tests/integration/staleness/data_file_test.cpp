// Data files that steer a compile, code that is loaded into the compiler, and inputs that cannot be checked.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class DataFileStaleness : public Staleness {
 protected:
  // `calls`: how often set() was called. The function goes into another section if it is called often or never.
  std::string write_profile(int calls) const {
    const std::string text =
        project_.write("profile.txt", "often\n0\n1\n1000\nset\n0\n1\n" + std::to_string(calls) + "\n");
    const Ended merged =
        run({"llvm-profdata-" + GetParam().version, "merge", "-o", "a.profdata", text}, project_.path());
    EXPECT_EQ(merged.exit_code, 0) << merged.err;
    fs::remove(text);
    return project_ / "a.profdata";
  }

  void expect_profile_by(const std::string& option) {
    write_kernel(project_, "a.hip",
                 "extern \"C\" void often() {}\nextern \"C\" void set(float* data) { data[0] = 1; }\n");
    write_profile(1000);
    const Arguments argv = command("-O1 -Wno-profile-instr-unprofiled " + option + "a.profdata");
    warm(argv);
    const std::string often = support::read_bytes(project_ / "a.o");
    write_profile(0);
    expect_runs({.host = 1}, argv);
    EXPECT_TRUE(support::read_bytes(project_ / "a.o") != often) << "the profile must matter for this to say anything";
    write_profile(1000);
    expect_hit(argv);
  }

  // Accepts any exit code, because the compiler may refuse the command.
  void expect_passed_with_any_end(const std::string& reason, const Arguments& argv) {
    const Counts counted = oracle_.check(argv);
    EXPECT_EQ(counted.passed, 1);
    EXPECT_EQ(counted.reasons.at(reason), 1) << counted.json.dump();
  }

  // A library that prints on standard error that it was loaded.
  std::string write_plugin(const std::string& says) const {
    const std::string source = project_.write(
        "plugin.c", "#include <stdio.h>\n__attribute__((constructor)) static void greet(void) { fputs(\"" + says +
                        "\\n\", stderr); }\nstruct info { unsigned version; const char *name, *text; void "
                        "(*callback)(void*); };\nstatic void nothing(void* builder) { (void)builder; }\nstruct info "
                        "llvmGetPassPluginInfo(void) { return (struct info){1, \"p\", \"1\", nothing}; }\n");
    const std::string library = project_ / "plugin.so";
    const Ended made = run({"clang-" + GetParam().version, "-shared", "-fPIC", source, "-o", library}, project_.path());
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return library;
  }
};

TEST_P(DataFileStaleness, AnEditedProfileRunsTheSideThatUsesIt) { expect_profile_by("-fprofile-use="); }

TEST_P(DataFileStaleness, AnEditedProfileOfTheFrontendRunsTheSideThatUsesIt) {
  expect_profile_by("-fprofile-instr-use=");
}

TEST_P(DataFileStaleness, AnEditedListOfWhatIsNotSanitizedIsReadAgain) {
  write_kernel(project_, "a.hip", "int add(int* a, int b) { return *a + b; }\n");
  project_.write("ignored.txt", "fun:nothing\n");
  const Arguments argv = command("-O1 -Xarch_host -fsanitize=address -Xarch_host -fsanitize-ignorelist=ignored.txt");
  warm(argv);
  project_.write("ignored.txt", "src:*\n");
  expect_runs({.host = 1, .probe = 1}, argv);
}

TEST_P(DataFileStaleness, PluginsPassThrough) {
  expect_passed("plugin", command("-O1 -fplugin=" + write_plugin("one")));
  expect_passed("plugin", command("-O1 -fplugin=" + write_plugin("another")));
}

TEST_P(DataFileStaleness, PluginsOfThePassesAndOfTheFrontendPassThrough) {
  const std::string library = write_plugin("loaded");
  expect_passed("plugin", command("-O1 -fpass-plugin=" + library));
  expect_passed("plugin", command("-O1 -Xclang -load -Xclang " + library));
}

TEST_P(DataFileStaleness, ACompileWithAPrecompiledHeaderIsOpaqueAndSeesAnotherOne) {
  for (const char* value : {"1", "2"}) {
    project_.write("before.h", std::string("#define VALUE ") + value + "\n");
    const Ended made =
        run({GetParam().program(), "-x", "c++-header", "-std=c++17", "before.h", "-o", "before.pch"}, project_.path());
    EXPECT_EQ(made.exit_code, 0) << made.err;
    expect_opaque_with_any_end(command("-O1 -include-pch before.pch"));
    expect_opaque_with_any_end(command("-O1 -Xclang -include-pch -Xclang before.pch"));
  }
}

// The driver uses the precompiled header in the header's place without being asked to.
TEST_P(DataFileStaleness, APrecompiledHeaderThatAppearsBesideAHeaderIsSeen) {
  project_.write("before.h", "#define VALUE 1\n");
  const Arguments argv = command("-O1 -include before.h");
  warm(argv);
  project_.write("before.h.pch", "not one");
  expect_opaque_with_any_end(argv);
  fs::remove(project_ / "before.h.pch");
  expect_hit(argv);
}

TEST_P(DataFileStaleness, ModulesPassThrough) {
  project_.write("maps/module.modulemap", "module value { header \"value.h\" export * }\n");
  project_.write("maps/value.h", "#define VALUE 1\n");
  const std::string cache = " -fmodules-cache-path=" + project_.make_directory("modules");
  expect_passed_with_any_end("modules", command("-O1 -fmodules -Imaps" + cache));
  expect_passed_with_any_end("modules", command("-O1 -fmodules -fmodule-map-file=maps/module.modulemap"));
  expect_passed_with_any_end("modules", command("-O1 -Xclang -fmodules"));
}

TEST_P(DataFileStaleness, OptionsOfMicrosoftsDialectAreKeptApart) {
  write_kernel(project_, "a.hip", "#ifdef _WCHAR_T_DEFINED\n__device__ int value = 1;\n#endif\n");
  const std::string given = "-O1 -cuid=0123456789abcdef ";
  warm(command(given + "-fno-ms-extensions"));
  expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 1}, command(given + "-fms-extensions"));
  expect_hit(command(given + "-fno-ms-extensions"));
}

TEST_P(DataFileStaleness, OptionsThatTheCompilerRefusesAreLeftToIt) {
  expect_passed_with_any_end("probe-failed", command("-O1 -fno-such-thing"));
  expect_passed_with_any_end("probe-failed", command("-O1 --no-such-thing=1"));
  expect_opaque_with_any_end(command("-O1 -fprint-such-thing"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, DataFileStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
