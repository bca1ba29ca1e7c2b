// hipcc, the script around clang: split by architecture like clang itself, with what it takes from the environment.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class Hipcc : public SingleCompile {
 protected:
  Hipcc() { write_kernel(project_, "a.cpp"); }

  static Arguments command(const std::string& flags = "--offload-arch=gfx906") {
    return Arguments{"hipcc"} + words("-std=c++17 -nogpuinc -O1 " + flags + " -c a.cpp -o a.o");
  }

  // hipcc takes the compiler from this directory.
  Variables by_version(const Variables& more = {}) const {
    Variables all{{"HIP_CLANG_PATH", clang_path_}, {"HIP_PLATFORM", "amd"}};
    for (const auto& [name, value] : more) all[name] = value;
    return all;
  }

  support::Scratch toolchain_;
  const std::string clang_path_ = write_toolchain_for_hipcc(toolchain_, GetParam());
};

TEST_P(Hipcc, IsCachedByArchitecture) {
  EXPECT_EQ(check(command(), by_version()).run.at("device gfx906"), 1);
  const Counts warm = check(command(), by_version());
  EXPECT_EQ(warm.hits, 1);
  EXPECT_EQ(warm.run.at("device") + warm.run.at("host") + warm.run.at("probe"), 0);
  const Counts added = check(command("--offload-arch=gfx906 --offload-arch=gfx1030"), by_version());
  EXPECT_EQ(added.run.at("device"), 1);
  EXPECT_EQ(added.hit.at("device gfx906"), 1);
}

TEST_P(Hipcc, TakesArgumentsFromTheEnvironmentWhichAreInputs) {
  project_.write("a.cpp",
                 support::read_bytes(project_ / "a.cpp") + "#ifdef MORE\n__device__ int more = MORE;\n#endif\n");
  check(command(), by_version());
  const Counts more = check(command(), by_version({{"HIPCC_COMPILE_FLAGS_APPEND", "-DMORE=1"}}));
  EXPECT_EQ(more.hits, 0);
  EXPECT_EQ(more.run.at("device"), 1);
  EXPECT_EQ(check(command(), by_version({{"HIPCC_COMPILE_FLAGS_APPEND", "-DMORE=2"}})).run.at("device"), 1);
  EXPECT_EQ(check(command(), by_version()).hits, 1);
}

TEST_P(Hipcc, ReadsNoVariableButThoseThatItsTextNames) {
  check(command(), by_version());
  const auto expect_probe = [&](std::int64_t runs, const Arguments& argv, const Variables& more) {
    const Counts counted = check(argv, by_version(more));
    EXPECT_EQ(counted.run.at("probe"), runs) << counted.json.dump();
  };
  expect_probe(0, command(), {{"GITHUB_RUN_ID", "1"}, {"CI_JOB_ID", "$HOME"}, {"BUILD_TAG", "`id`"}});
  expect_probe(0, command(), {{"PATH", project_ / "nothing" + ":" + std::getenv("PATH")}});
  for (const Variables& counts : {Variables{{"HIPCC_LINK_FLAGS_APPEND", "-v"}},
                                  {{"PERL_UNICODE", "S"}},
                                  {{"BASH_ENV", "/dev/null"}},
                                  {{"HIP_LIB_PATH", "/nowhere"}}})
    expect_probe(1, command(), counts);
  // The shell that hipcc starts might expand it.
  const Arguments expanded = command("--offload-arch=gfx906 -DTEXT=$JOB");
  expect_probe(1, expanded, {{"JOB", "1"}});
  expect_probe(1, expanded, {{"JOB", "2"}});
}

// The source does not have the macro, so the id of other code lacks it (docs/internals/cuid.md).
TEST_P(Hipcc, GivesRelocatableCodeOfTheEnvironmentAnIdOfAllMacros) {
  write_kernel(project_, "a.cpp", "#include \"mode.h\"\n__device__ int mode = VALUE;\n");
  project_.write("mode.h", "#if MODE == 2\n#define VALUE 2\n#else\n#define VALUE 1\n#endif\n");
  const auto expect_two_ids = [&](const std::string& typed, const std::string& typed_then, const std::string& appended,
                                  const std::string& appended_then) {
    const Variables variables = by_version({{"HIPCC_COMPILE_FLAGS_APPEND", "-fgpu-rdc" + appended}});
    const Variables then = by_version({{"HIPCC_COMPILE_FLAGS_APPEND", "-fgpu-rdc" + appended_then}});
    const Arguments one = command("--offload-arch=gfx906" + typed), two = command("--offload-arch=gfx906" + typed_then);
    EXPECT_NE(cache_.plan(one, project_.path(), variables).at("cuid"),
              cache_.plan(two, project_.path(), then).at("cuid"));
    EXPECT_EQ(check(one, variables).run.at("device gfx906"), 1);
    EXPECT_EQ(check(two, then).run.at("device gfx906"), 1);
    EXPECT_EQ(check(one, variables).hits, 1);
    EXPECT_EQ(check(two, then).hits, 1);
  };
  expect_two_ids(" -DMODE=1", " -DMODE=2", "", "");
  expect_two_ids("", "", " -DMODE=3", " -DMODE=2");
}

// hipcc 5 unpacks the archive into a directory with a random name.
TEST_P(Hipcc, LinksAnUnchangedArchiveOfRelocatableCodeWithoutAStep) {
  const std::string flags = "hipcc --offload-arch=gfx906 -fgpu-rdc ";
  const auto write_archive = [&](const std::string& value) {
    project_.write("d.hip", "#include <hip/hip_runtime.h>\n__device__ int part() { return " + value + "; }\n");
    EXPECT_EQ(run(words(flags + "-c d.hip -o d.o"), project_.path()).exit_code, 0);
    EXPECT_EQ(run(words("ar rcD libpart.a d.o"), project_.path()).exit_code, 0);
  };
  project_.write("m.hip",
                 "#include <hip/hip_runtime.h>\n__device__ int part();\n"
                 "__global__ void kernel(int* p) { *p = part(); }\nint main() { kernel<<<1, 1>>>(nullptr); }\n");
  const Arguments argv = words(flags + "-Wl,--no-warn-execstack libpart.a m.hip -o program");
  write_archive("1");
  EXPECT_EQ(check(argv).misses, 1);
  EXPECT_EQ(check(argv).hits, 1);
  write_archive("2");
  EXPECT_EQ(check(argv).misses, 1);
  write_archive("1");
  EXPECT_EQ(check(argv).hits, 1);
}

TEST_P(Hipcc, MakesAssemblyThatIsCachedToo) {
  const Arguments whole = Arguments{"hipcc"} + words("-std=c++17 -nogpuinc -O1 --offload-arch=gfx906 -S a.cpp -o a.s");
  const Counts cold = check(whole, by_version());
  EXPECT_EQ(cold.hits + cold.passed, 0) << cold.json.dump();
  EXPECT_EQ(check(whole, by_version()).hits, 1);
}

// What a script prints by itself comes on a miss and on a hit as without hipcache.
class HipccsOwnText : public Hipcc {
 protected:
  void expect_same_text(const Arguments& argv, const Variables& variables) {
    const Ended plain = run(argv, project_.path(), variables);
    ASSERT_EQ(plain.exit_code, 0) << plain.err;
    for (int time = 0; time < 3; ++time) {
      const Counts before = cache_.counts();
      const Ended cached = cache_.run(argv, project_.path(), variables);
      EXPECT_EQ(cached.exit_code, 0) << cached.err;
      EXPECT_EQ(cached.out, plain.out);
      EXPECT_EQ(cached.err, plain.err);
      const Counts counted = cache_.counts() - before;
      // Another script may have compiled the same before.
      if (time > 0) {
        EXPECT_EQ(counted.hits, 1) << counted.json.dump();
      }
    }
  }

  std::string script(const std::string& text) const {
    std::string path = project_.write(
        "bin/hipcc", "#!/bin/sh\n" + text + "\nexec /usr/bin/" + GetParam().program() + " -x hip -nogpulib \"$@\"\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
};

TEST_P(HipccsOwnText, IsPrintedIfHipccVerboseAsksForIt) {
  for (const std::string verbose : {"1", "4", "7"}) {
    SCOPED_TRACE(verbose);
    const Ended plain = run(command(), project_.path(), by_version({{"HIPCC_VERBOSE", verbose}}));
    EXPECT_NE(plain.out, "");
    expect_same_text(command(), by_version({{"HIPCC_VERBOSE", verbose}}));
  }
  EXPECT_EQ(check(command(), by_version()).run.at("device gfx906"), 1) << "without it, the compile is split";
}

TEST_P(HipccsOwnText, IsPrintedIfAnyScriptOfThatNameSaysSomething) {
  project_.write("a.cpp", support::read_bytes(project_ / "a.cpp") + "#warning \"of the source\"\n");
  for (const std::string text :
       {"echo compiling", "echo compiling >&2", "echo \"compiling with $# words\"", "echo \"sh: warning: $*\" >&2",
        "printf 'no new line'", "echo one; echo two >&2; echo three"}) {
    SCOPED_TRACE(text);
    Arguments argv = command();
    argv[0] = script(text);
    expect_same_text(argv, {});
  }
}

// The text does not name the variable, the shell that it starts does.
TEST_P(HipccsOwnText, OfAScriptThatNobodyJudgedLetsEveryVariableCount) {
  project_.write("a.cpp", support::read_bytes(project_ / "a.cpp") + "__device__ int more = MORE;\n");
  Arguments argv = command();
  argv[0] = project_.write("bin/hipcc", "#!/usr/bin/perl\nexit(system('/usr/bin/" + GetParam().program() +
                                            " -x hip -nogpulib $EXTRA ' . join(' ', @ARGV)) >> 8);\n");
  std::filesystem::permissions(argv[0], std::filesystem::perms::owner_all);
  for (const char* value : {"1", "2", "1"}) check(argv, {{"EXTRA", std::string("-DMORE=") + value}});
}

// A driver by itself says no more than its jobs.
TEST_P(HipccsOwnText, IsPrintedIfACompileFails) {
  project_.make_directory("bin");
  ASSERT_EQ(run({"cc", HIPCACHE_SOURCE "/tests/integration/support/compilers/reporting_hipcc.c", "-o",
                 project_ / "bin/hipcc"},
                project_.path())
                .exit_code,
            0);
  const Variables variables{{"HIP_CLANG_PATH", GetParam().tools()}};
  Arguments argv = GetParam().hip() + archs({"gfx906"}) + words("-c a.cpp -o a.o");
  argv[0] = project_ / "bin/hipcc";
  EXPECT_EQ(check(argv, variables).run.at("device gfx906"), 1);
  write_kernel(project_, "a.cpp", "__device__ int wrong() { return missing; }\n");
  const Ended plain = run(argv, project_.path(), variables);
  EXPECT_NE(plain.err.find("failed to execute:"), std::string::npos);
  for (int time = 0; time < 2; ++time) {
    const Ended cached = cache_.run(argv, project_.path(), variables);
    EXPECT_EQ(cached.exit_code, plain.exit_code);
    EXPECT_EQ(cached.err, plain.err);
  }
}

// hipcc unpacks an archive into a directory with a random name, and packs the members without code for devices again,
// into an archive with a random name.
class HipccsArchive : public SingleCompile {
 protected:
  HipccsArchive() {
    project_.write("m.cpp",
                   "#include \"runtime.h\"\n__device__ int helper(int);\nint plain();\n"
                   "__global__ void kernel(int* data) { *data = helper(*data); }\nint main() { return plain(); }\n");
  }

  void run_alone(const std::string& command) const {
    const Ended ended = run(words(command), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << command << ": " << ended.err;
  }

  void archive(int device, int host, const std::string& members) const {
    project_.write("d.hip", "#include \"runtime.h\"\n__device__ int helper(int x) { return x + " +
                                std::to_string(device) + "; }\n");
    project_.write("plain.cpp", "int plain() { return " + std::to_string(host) + "; }\n");
    run_alone("clang++-15 -nogpuinc -nogpulib --offload-arch=gfx906 -fgpu-rdc -O1 -cuid=d -fPIC -c d.hip -o d.o");
    run_alone("g++ -fPIC -c plain.cpp -o plain.o");
    fs::remove(project_ / "libboth.a");
    run_alone("ar rcsD libboth.a " + members);
  }
};

TEST_P(HipccsArchive, MayHaveOrdinaryObjectsToo) {
  for (const char* members : {"d.o plain.o", "plain.o"}) {
    SCOPED_TRACE(members);
    const bool is_mixed = members != std::string("plain.o");
    // Behind m.cpp, hipcc would take an object for a source.
    const Arguments argv = words(
        "hipcc -nogpuinc -nogpulib -fgpu-rdc --offload-arch=gfx906 -no-hip-rt "
        "-Wl,-z,noexecstack -Wl,--unresolved-symbols=ignore-all libboth.a " +
        std::string(is_mixed ? "" : "d.o ") + "m.cpp -o app");
    archive(1, 1, members);
    EXPECT_EQ(check(argv).hits, 0);
    EXPECT_EQ(check(argv).hits, 1);
    archive(1, 2, members);
    EXPECT_EQ(check(argv).hits, 0);
    archive(2, 2, members);
    EXPECT_EQ(check(argv).hits, 0);
    EXPECT_EQ(check(argv).hits, 1);
    archive(1, 1, members);
    EXPECT_EQ(check(argv).hits, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, HipccsArchive, testing::ValuesIn(kOneCompiler), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, HipccsOwnText, testing::ValuesIn(kOneCompiler), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, Hipcc, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
