// A device's front end and back end apart: what that spares, and that nobody can tell by the object. The kernel's back
// end takes a second of processor time and its front end next to none, so that which way pays is no question of the
// machine's load.
#include <filesystem>
#include <fstream>

#include "integration/single_compile.h"

namespace hipcache::integration {
namespace {

std::string heavy(const std::string& body) {
  return "#include \"unused.h\"\n__global__ void heavy(float* x, int n) {\n#pragma unroll 700\n" +
         ("  for (int i = 0; i < 700; ++i) x[i] = x[i + 1] * x[n] + x[i * n]" + body + ";\n}\n");
}

class Halves : public SingleCompile {
 protected:
  Halves() { project_.write("unused.h", ""); }

  void write(const std::string& kernel, const std::string& host = "") {
    write_kernel(project_, "a.hip", kernel + host);
  }

  Arguments compile() const { return GetParam().hip() + archs({"gfx906"}) + words("-O1 -Wall -c a.hip -o a.o"); }

  // Not held against the compiler, which takes its time.
  Counts run_cached() {
    const Counts before = cache_.counts();
    const Ended ended = cache_.run(compile(), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return cache_.counts() - before;
  }

  // With a line on standard input that defines a variable of that value; `launcher` before the compiler, if any.
  std::string object_with(const std::string& value, const std::string& launcher) {
    std::string line = "echo '__device__ int from_input = " + value + ";' | " + launcher;
    for (const std::string& word : compile()) line += " '" + word + "'";
    std::filesystem::remove(project_ / "a.o");
    const Ended ended = run({"bash", "-c", line}, project_.path(), cache_.variables());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return support::read_bytes(project_ / "a.o");
  }

  // The back end does not run, and the object is what it was.
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

TEST_P(Halves, AnEditThatLeavesTheBitcodeRunsNoBackEnd) {
  write(heavy(""));
  const Counts cold = run_cached();
  EXPECT_EQ(cold.run.at("device"), 1);
  EXPECT_EQ(cold.run.at("front"), 0) << "nobody knows what it costs";

  write(heavy("+ 1"));
  const Counts proved = check(compile());
  EXPECT_EQ(proved.run.at("front"), 1);
  EXPECT_EQ(proved.run.at("back"), 1);

  write("// A comment, and two lines more\n\n" + heavy("+ 1"));
  expect_spared("comment");
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
}

TEST_P(Halves, TheCompilerItselfSaysWhatTheBackEndHasToSay) {
  write(heavy(""));
  run_cached();
  const std::string wish =
      "__global__ void wish(float* x, int n) {\n#pragma clang loop vectorize(enable)\n"
      "  for (int i = 0; i < n; ++i) { x[i * i] = x[i]; if (x[i] == 3) break; }\n}\n";
  write(heavy("") + wish);
  const Counts warned = check(compile());
  EXPECT_EQ(warned.run.at("back"), 1);
  EXPECT_EQ(warned.run.at("device"), 1);
}

// The halves read nothing, and the front end would make the bitcode that is known without that header.
TEST_P(Halves, AHeaderOnStandardInputIsReadByTheCompilerAlone) {
  write(heavy(""));
  run_cached();
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

TEST_P(Halves, LightKernelsAreNeverHalved) {
  check(command("-O1"));
  write("__global__ void other(float* x) { *x = 1; }\n");
  const Counts edited = check(command("-O1"));
  EXPECT_EQ(edited.run.at("device"), 2);
  EXPECT_EQ(edited.run.at("front"), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Halves, testing::ValuesIn(kCompilers), name_of);

// With a compiler that does what is asked of it (other_compiler.cpp), so that what no clang does can be tried.
class HalvesOfOthers : public testing::Test {
 protected:
  HalvesOfOthers() {
    std::filesystem::copy(OTHER_COMPILER, compiler_);
    write("code");
    EXPECT_EQ(check().run.at("front"), 0) << "nobody knows what it costs";
  }

  void write(const std::string& text) { project_.write("a.hip", text + "\n"); }

  Counts check() {
    const Counts counted = oracle_.check(Arguments{compiler_, "-x", "hip", "--offload-arch=gfx906", "-O2",
                                                   "--offload-device-only", "-c", "a.hip", "-o", "a.o"});
    EXPECT_EQ(counted.passed, 0) << counted.json.dump();
    return counted;
  }

  // It runs as one, by the compiler's own word, and is not tried in two again.
  void expect_as_one(const std::string& text) {
    write(text);
    const Counts first = check();
    EXPECT_EQ(first.run.at("front"), 1);
    write("// comment\n" + text);
    EXPECT_EQ(check().run.at("front"), 0);
  }

  support::Scratch compilers_;
  const std::string compiler_ = compilers_ / "clang++";
  support::Scratch project_;
  Cache cache_;
  Oracle oracle_{cache_, project_.path()};
};

TEST_F(HalvesOfOthers, AreProvedByTheFirstSourceAndThenBelieved) {
  write("code, warn");
  const Counts proved = check();
  EXPECT_EQ(proved.run.at("front"), 1);
  EXPECT_EQ(proved.run.at("back"), 1);
  EXPECT_EQ(proved.run.at("device"), 1);
  write("// comment\ncode, warn");
  const Counts spared = check();
  EXPECT_EQ(spared.run.at("front"), 1);
  EXPECT_EQ(spared.hit.at("back"), 1);
  EXPECT_EQ(spared.run.at("back"), 0);
  write("code, more of it");
  const Counts other = check();
  EXPECT_EQ(other.run.at("back"), 1);
  EXPECT_EQ(check().hits, 1) << other.json.dump();
}

TEST_F(HalvesOfOthers, AreNotBelievedWhereTheCodeDiffers) { expect_as_one("differs"); }

TEST_F(HalvesOfOthers, AreNotBelievedWhereTheMessagesDiffer) { expect_as_one("front-says-more"); }

TEST_F(HalvesOfOthers, LeaveTheBackEndsMessagesToTheCompiler) { expect_as_one("back-says"); }

TEST_F(HalvesOfOthers, AreNotTriedAgainWhereTheBackEndFailsApart) { expect_as_one("back-fails"); }

// A source may be wrong for a while.
TEST_F(HalvesOfOthers, LeaveAnErrorToTheCompilerAndGoOnAfterwards) {
  write("wrong");
  const Counts wrong = check();
  EXPECT_EQ(oracle_.exit_code(), 1);
  EXPECT_EQ(wrong.run.at("front"), 0) << "it made no bitcode";
  write("right");
  EXPECT_EQ(check().run.at("front"), 1);
}

TEST_F(HalvesOfOthers, GoAsOneWhereTheFrontEndFailsApart) {
  write("front-fails");
  const Counts failed = check();
  EXPECT_EQ(oracle_.exit_code(), 0);
  EXPECT_EQ(failed.run.at("back"), 0);
  EXPECT_EQ(failed.run.at("device"), 1);
}

// Another compiler under the same name has other proofs.
TEST_F(HalvesOfOthers, AreProvedAnewForAReplacedCompiler) {
  write("code, more of it");
  check();
  std::ofstream(compiler_, std::ios::app) << "another build";
  write("// comment\ncode, more of it");
  const Counts anew = check();
  EXPECT_EQ(anew.run.at("front"), 1);
  EXPECT_EQ(anew.run.at("back"), 1);
  EXPECT_EQ(anew.hit.at("back"), 0);
}

}  // namespace
}  // namespace hipcache::integration
