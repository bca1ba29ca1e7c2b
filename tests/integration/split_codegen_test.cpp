// Codegen split: a device compile's front end and back end as separate steps. Tests what the split spares from the
// first edit on, and that the objects are the compiler's own. The kernel's back end takes most of a second of processor
// time, its front end almost none. So the machine's load does not decide whether the split pays.
#include <filesystem>
#include <fstream>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

class SplitCodegen : public SingleCompile {
 protected:
  SplitCodegen() { project_.write("unused.h", ""); }

  // Clang 19 takes twice as long for it as clang 15.
  static std::string heavy(const std::string& body) {
    const std::string times = GetParam().version == "15" ? "700" : "400";
    return "#include \"unused.h\"\n__global__ void heavy(float* x, int n) {\n#pragma unroll " + times +
           "\n  for (int i = 0; i < " + times + "; ++i) x[i] = x[i + 1] * x[n] + x[i * n]" + body + ";\n}\n";
  }

  void write(const std::string& kernel, const std::string& host = "") {
    write_kernel(project_, "a.hip", kernel + host);
  }

  Arguments compile() const { return GetParam().hip() + archs({"gfx906"}) + words("-O1 -Wall -c a.hip -o a.o"); }

  // Not checked against the compiler, which would take a second more.
  Counts run_cached() {
    const Counts before = cache_.counts();
    const Ended ended = cache_.run(compile(), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return cache_.counts() - before;
  }

  // The object, with a line on standard input that defines a variable of that value. `launcher` may precede the
  // compiler.
  std::string object_with(const std::string& value, const std::string& launcher) {
    std::string line = "echo '__device__ int from_input = " + value + ";' | " + launcher;
    for (const std::string& word : compile()) line += " '" + word + "'";
    std::filesystem::remove(project_ / "a.o");
    const Ended ended = run({"bash", "-c", line}, project_.path(), cache_.variables());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return support::read_bytes(project_ / "a.o");
  }

  // The back end does not run, and the object stays the same.
  void expect_spared(const std::string& edit) {
    const std::string object = support::read_bytes(project_ / "a.o");
    const Counts spared = run_cached();
    EXPECT_EQ(spared.run.at("device"), 1) << edit;
    EXPECT_EQ(spared.run.at("front"), 1) << edit;
    EXPECT_EQ(spared.run.at("back"), 0) << edit;
    EXPECT_EQ(spared.hit.at("back"), 1) << edit;
    EXPECT_EQ(support::read_bytes(project_ / "a.o"), object) << edit;
  }
};

// What no compiler decides.
class SplitCodegenByOneCompiler : public SplitCodegen {};

TEST_P(SplitCodegen, AnEditThatLeavesTheBitcodeRunsNoBackEnd) {
  write(heavy("+ 1"));
  const Counts cold = check(compile());
  EXPECT_EQ(cold.run.at("device"), 1);
  EXPECT_EQ(cold.run.at("split_codegen_proof"), 1);
  EXPECT_EQ(cold.run.at("front"), 1);
  EXPECT_EQ(cold.run.at("back"), 1);

  write("#define UNUSED_TOO 1\n\n" + heavy("+ 1"));
  expect_spared("macro");
  project_.write("unused.h", "#define UNUSED 1\n");
  expect_spared("header");
  EXPECT_EQ(run_cached().hits, 1) << "what was put together is stored as the step's";

  write(heavy("+ 1"), "int host() { int unused; return 1; }\n");
  const Counts host = check(compile());
  EXPECT_EQ(host.run.at("host"), 1);
  EXPECT_EQ(host.run.at("back"), 0);
  EXPECT_EQ(host.hit.at("back"), 1);

  write(heavy("- 1"));
  const Counts kernel = check(compile());
  EXPECT_EQ(kernel.run.at("front"), 1);
  EXPECT_EQ(kernel.run.at("back"), 1);
  EXPECT_EQ(kernel.hit.at("back"), 0);
  EXPECT_EQ(kernel.run.at("split_codegen_proof"), 0);
  EXPECT_EQ(kernel.hit.at("split_codegen_proof"), 1);
}

// clang's bitcode says where an asm statement stands in all that was read.
TEST_P(SplitCodegen, AnEditBeforeInlineAssemblyRunsNoBackEnd) {
  const std::string assembly = "__device__ void wait() { asm volatile(\"s_nop 0\\n\\ts_nop 1\"); }\n";
  write(assembly + heavy("+ 1"));
  check(compile());
  write("int before() { return 7; }\n" + assembly + heavy("+ 1"));
  const Counts moved = check(compile());
  EXPECT_EQ(moved.run.at("front"), 1);
  EXPECT_EQ(moved.run.at("back"), 0);
  EXPECT_EQ(moved.hit.at("back"), 1);
  const std::string other = "__device__ void wait() { asm volatile(\"s_nop 0\\n\\ts_nop 2\"); }\n";
  write("int before() { return 7; }\n" + other + heavy("+ 1"));
  EXPECT_EQ(check(compile()).run.at("back"), 1);
}

TEST_P(SplitCodegen, IsProvedForEachSetOfOptions) {
  write(heavy(""));
  check(compile());
  const Counts same = check(compile() + words("-DX=1 -Wextra"));
  EXPECT_EQ(same.run.at("device"), 1);
  EXPECT_EQ(same.run.at("split_codegen_proof"), 0);
  const Counts other = check(compile() + words("-O2"));
  EXPECT_EQ(other.run.at("device"), 1);
  EXPECT_EQ(other.run.at("split_codegen_proof"), 1);
}

TEST_P(SplitCodegenByOneCompiler, IsProvedOnceForClientsThatStartAtTheSameMoment) {
  std::string line;
  for (const char* name : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    write_kernel(project_, std::string(name) + ".hip", "__device__ int variable" + std::string(name) + ";\n");
    line += hipcache_program();
    for (const std::string& word : GetParam().hip() + archs({"gfx906"}) + words("-O1 -c")) line += " '" + word + "'";
    line += std::string(" ") + name + ".hip -o " + name + ".o & ";
  }
  const Counts before = cache_.counts();
  const Ended ended = run({"bash", "-c", line + "wait"}, project_.path(), cache_.variables());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const Counts counted = cache_.counts() - before;
  EXPECT_EQ(counted.run.at("device"), 8) << counted.json.dump();
  EXPECT_EQ(counted.run.at("front"), 8);
  EXPECT_EQ(counted.run.at("split_codegen_proof"), 1);
  EXPECT_EQ(counted.run.at("proof"), 1);
}

TEST_P(SplitCodegen, LeavesAnErrorInTheSourceToTheFrontEnd) {
  write(heavy("") + "int error = \"\";\n");
  const Counts before = cache_.counts();
  oracle_.check(compile(), {});
  EXPECT_EQ(oracle_.exit_code(), 1);
  const Counts counted = cache_.counts() - before;
  EXPECT_EQ(counted.run.at("device"), 1);
  EXPECT_EQ(counted.run.at("front"), 0);
  EXPECT_EQ(counted.failed, 1);
}

TEST_P(SplitCodegen, TheCompilerItselfSaysWhatTheBackEndHasToSay) {
  const std::string wish =
      "__global__ void wish(float* x, int n) {\n#pragma clang loop vectorize(enable)\n"
      "  for (int i = 0; i < n; ++i) { x[i * i] = x[i]; if (x[i] == 3) break; }\n}\n";
  write(heavy("") + wish);
  const Counts warned = check(compile());
  EXPECT_EQ(warned.run.at("back"), 1);
  EXPECT_EQ(warned.run.at("device"), 1);
}

// The front end must not read standard input: without that header it would make the bitcode that is known already.
TEST_P(SplitCodegenByOneCompiler, AHeaderOnStandardInputIsReadByTheCompilerAlone) {
  write(heavy("+ 1"));
  EXPECT_EQ(run_cached().run.at("front"), 1);
  project_.link("link.h", "/dev/stdin");
  for (const char* header : {"/dev/stdin", "link.h"}) {
    write("#ifdef __HIP_DEVICE_COMPILE__\n#include \"" + std::string(header) + "\"\n#endif\n" + heavy("+ 1"));
    for (const char* value : {"1", "2"}) {
      SCOPED_TRACE(header);
      const Counts before = cache_.counts();
      const std::string cached = object_with(value, hipcache_program());
      EXPECT_EQ((cache_.counts() - before).reasons["standard-input"], 1);
      EXPECT_TRUE(cached == object_with(value, ""));
    }
  }
}

TEST_P(SplitCodegen, LightKernelsAreSplitOnce) {
  const Counts cold = check(command("-O1"));
  EXPECT_EQ(cold.run.at("device"), 2);
  EXPECT_EQ(cold.run.at("front"), 2);
  write("__global__ void other(float* x) { *x = 1; }\n");
  const Counts edited = check(command("-O1"));
  EXPECT_EQ(edited.run.at("device"), 2);
  EXPECT_EQ(edited.run.at("front"), 0);
  EXPECT_EQ(edited.run.at("split_codegen_proof"), 0);
}

// Only the back end assembles. Its message names the source if one process compiles it.
TEST_P(SplitCodegen, LeavesAnErrorOfTheBackEndToTheCompiler) {
  write("__global__ void wrong() { asm volatile(\"no_such_instruction\"); }\n");
  const Counts before = cache_.counts();
  oracle_.check(compile(), {});
  EXPECT_EQ(oracle_.exit_code(), 1);
  const Counts counted = cache_.counts() - before;
  EXPECT_EQ(counted.run.at("front"), 1) << counted.json.dump();
  EXPECT_EQ(counted.run.at("back"), 1);
  EXPECT_EQ(counted.run.at("device"), 1);
  EXPECT_EQ(counted.failed, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, SplitCodegen, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, SplitCodegenByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

// Uses a fake compiler (compilers/other_compiler.cpp) that behaves in ways that no clang does.
class SplitCodegenOfAnotherCompiler : public testing::Test {
 protected:
  explicit SplitCodegenOfAnotherCompiler(const Variables& settings = {}) : cache_(settings) {
    std::filesystem::copy(OTHER_COMPILER, compiler_);
  }

  void write(const std::string& text) { project_.write("a.hip", text + "\n"); }

  Counts check(const std::string& level = "-O2") {
    const Counts counted = oracle_.check(Arguments{compiler_, "-x", "hip", "--offload-arch=gfx906", level,
                                                   "--offload-device-only", "-c", "a.hip", "-o", "a.o"});
    EXPECT_EQ(counted.passed, 0) << counted.json.dump();
    return counted;
  }

  // In the first compile of the unit, and after an edit of a unit that was split before.
  void expect_as_one_afterwards(const std::string& text) {
    write(text);
    const Counts cold = check();
    EXPECT_EQ(cold.run.at("front"), 1);
    EXPECT_EQ(cold.run.at("device"), 1);
    write("#define COMMENTED 1\n" + text);
    EXPECT_EQ(check().run.at("front"), 0);

    write("code");
    EXPECT_EQ(check("-O3").run.at("front"), 1);
    write(text);
    EXPECT_EQ(check("-O3").run.at("front"), 1);
    write("#define COMMENTED 1\n" + text);
    EXPECT_EQ(check("-O3").run.at("front"), 0);
  }

  support::Scratch compilers_;
  const std::string compiler_ = compilers_ / "clang++";
  support::Scratch project_;
  Cache cache_;
  Oracle oracle_{cache_, project_.path()};
};

class AuditedSplitCodegen : public SplitCodegenOfAnotherCompiler {
 protected:
  AuditedSplitCodegen() : SplitCodegenOfAnotherCompiler({{"HIPCACHE_AUDIT", "1"}}) {}

  // The audit finds a difference. The compiler's own result is used, and from then on no source is split with these
  // options.
  void expect_found(const std::string& text) {
    write(text);
    const Counts audited = check();
    EXPECT_EQ(audited.run.at("front"), 1);
    EXPECT_EQ(audited.run.at("audit"), 1);
    EXPECT_EQ(audited.errors, 1);
    for (const char* other : {"code", "other code"}) {
      write(other);
      const Counts as_one = check();
      EXPECT_EQ(as_one.run.at("device"), 1);
      EXPECT_EQ(as_one.run.at("front"), 0);
      EXPECT_EQ(as_one.run.at("split_codegen_proof"), 0);
      EXPECT_EQ(cache_.control("--stop-server").exit_code, 0) << "another daemon has it from the store";
    }
    EXPECT_EQ(check("-O3").run.at("front"), 1) << "other options have other proofs";
  }
};

TEST_F(SplitCodegenOfAnotherCompiler, IsProvedByASourceOfHipcachesAndThenTrusted) {
  write("code, warn");
  const Counts cold = check();
  EXPECT_EQ(cold.run.at("split_codegen_proof"), 1);
  EXPECT_EQ(cold.run.at("front"), 1);
  EXPECT_EQ(cold.run.at("back"), 1);
  EXPECT_EQ(cold.run.at("device"), 1);
  write("// comment\ncode, warn");
  const Counts spared = check();
  EXPECT_EQ(spared.run.at("front"), 1);
  EXPECT_EQ(spared.hit.at("back"), 1);
  EXPECT_EQ(spared.run.at("back"), 0);
  EXPECT_EQ(spared.run.at("split_codegen_proof"), 0);
  write("code, more of it");
  const Counts other = check();
  EXPECT_EQ(other.run.at("back"), 1);
  EXPECT_EQ(check().hits, 1) << other.json.dump();
}

TEST_F(AuditedSplitCodegen, IsTrustedWhereNothingDiffers) {
  write("code, warn");
  const Counts cold = check();
  EXPECT_EQ(cold.run.at("audit"), 1);
  EXPECT_EQ(cold.errors, 0);
  write("// comment\ncode, warn");
  const Counts spared = check();
  EXPECT_EQ(spared.hit.at("back"), 1);
  EXPECT_EQ(spared.run.at("audit"), 0);
}

TEST_F(AuditedSplitCodegen, IsNotTrustedWhereTheCodeDiffers) { expect_found("differs"); }

TEST_F(AuditedSplitCodegen, IsNotTrustedWhereTheMessagesDiffer) { expect_found("front-says-more"); }

TEST_F(SplitCodegenOfAnotherCompiler, LeavesTheBackEndsMessagesToTheCompiler) { expect_as_one_afterwards("back-says"); }

TEST_F(SplitCodegenOfAnotherCompiler, IsNotTriedAgainWhereTheBackEndFailsApart) {
  expect_as_one_afterwards("back-fails");
}

TEST_F(SplitCodegenOfAnotherCompiler, IsNotTriedAgainWhereTheBackEndCrashesApart) {
  expect_as_one_afterwards("back-crashes");
}

// A source may have an error for a while.
TEST_F(SplitCodegenOfAnotherCompiler, LeavesAnErrorToTheCompilerAndGoesOnAfterwards) {
  write("code");
  check();
  write("wrong");
  const Counts wrong = check();
  EXPECT_EQ(oracle_.exit_code(), 1);
  EXPECT_EQ(wrong.run.at("front"), 0) << "it made no bitcode";
  write("right");
  EXPECT_EQ(check().run.at("front"), 1);
}

TEST_F(SplitCodegenOfAnotherCompiler, GivesWayToOneProcessWhereTheFrontEndFailsAlone) {
  for (const char* text : {"front-fails", "front-crashes"}) {
    for (const char* level : {"-O1", "-O2"}) {
      write("code");
      if (level == std::string("-O2")) check(level);
      write(text);
      const Counts failed = check(level);
      EXPECT_EQ(oracle_.exit_code(), 0);
      EXPECT_EQ(failed.run.at("back"), 0);
      EXPECT_EQ(failed.run.at("device"), 1);
    }
  }
}

// A replaced compiler under the same name needs its own proof.
TEST_F(SplitCodegenOfAnotherCompiler, IsProvedAnewForAReplacedCompiler) {
  write("code, more of it");
  EXPECT_EQ(check().run.at("split_codegen_proof"), 1);
  std::ofstream(compiler_, std::ios::app) << "another build";
  write("#define COMMENTED 1\ncode, more of it");
  const Counts anew = check();
  EXPECT_EQ(anew.run.at("split_codegen_proof"), 1);
  EXPECT_EQ(anew.run.at("front"), 1);
  EXPECT_EQ(anew.run.at("back"), 1);
  EXPECT_EQ(anew.hit.at("back"), 0);
}

}  // namespace
}  // namespace hipcache::integration
