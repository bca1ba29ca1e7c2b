// Equal sources in several checkouts, each its own base directory. Checkouts share steps unless a result shows the
// checkout. The oracle checks every compile.
#include <gtest/gtest.h>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

// Different lengths, so that depfiles break their lines at different places.
constexpr const char* kCheckouts[] = {"one", "another/checkout/with/a/long/name"};

class Checkouts : public testing::TestWithParam<Compiler> {
 protected:
  // The same project in both checkouts, built as CMake does: in a build directory, with absolute names.
  void write_projects(const std::string& extra = "", const std::string& header = "__device__ int value = 1;\n") {
    for (const std::string checkout : kCheckouts) {
      write_kernel(scratch_, checkout + "/src/a.hip", "#include \"project/value.h\"\n" + extra);
      scratch_.write(checkout + "/include/project/value.h", header);
      scratch_.make_directory(checkout + "/build/objects");
    }
  }

  Arguments command(const std::string& root, const std::string& flags) const {
    Arguments argv = GetParam().hip() + archs({"gfx906"});
    for (std::string flag : words(flags)) {
      if (const std::size_t at = flag.find("ROOT"); at != std::string::npos) flag.replace(at, 4, root);
      argv.push_back(flag);
    }
    return argv + Arguments{"-I" + root + "/include", "-c", root + "/src/a.hip", "-o", "objects/a.o"};
  }

  Counts compile(const std::string& checkout, const std::string& flags, const Variables& more = {}) {
    const std::string root = scratch_ / checkout;
    Variables variables = more;
    variables["HIPCACHE_BASEDIR"] = root;
    Oracle oracle(cache_, root + "/build");
    const Counts counted = oracle.check(command(root, flags), variables);
    EXPECT_EQ(oracle.exit_code(), 0);
    return counted;
  }

  static std::int64_t steps_run(const Counts& counts) {
    return counts.run.at("device") + counts.run.at("bundle") + counts.run.at("host");
  }

  void expect_shared(const std::string& flags) {
    compile(kCheckouts[0], flags);
    const Counts other = compile(kCheckouts[1], flags);
    EXPECT_EQ(steps_run(other), 0);
    EXPECT_EQ(other.hits, 1);
    const Counts again = compile(kCheckouts[1], flags);
    EXPECT_EQ(again.hits, 1);
    EXPECT_EQ(again.run.at("probe"), 0);
  }

  void expect_apart(const std::string& flags, std::int64_t devices, std::int64_t hosts) {
    compile(kCheckouts[0], flags);
    const Counts other = compile(kCheckouts[1], flags);
    EXPECT_EQ(other.run.at("device"), devices);
    EXPECT_EQ(other.run.at("host"), hosts);
    EXPECT_EQ(steps_run(compile(kCheckouts[0], flags)), 0);
    EXPECT_EQ(steps_run(compile(kCheckouts[1], flags)), 0);
  }

  support::Scratch scratch_;
  Cache cache_;
};

// What no compiler decides.
class CheckoutsByOneCompiler : public Checkouts {};

TEST_P(Checkouts, ShareTheirSteps) {
  write_projects();
  expect_shared("-O1");
}

TEST_P(Checkouts, ShareTheirStepsAndHaveDepfilesOfTheirOwn) {
  write_projects();
  expect_shared("-O1 -MD -MP -MF objects/a.d -MT ROOT/build/objects/a.o");
}

TEST_P(CheckoutsByOneCompiler, SeeTheirOwnHeaders) {
  write_projects();
  compile(kCheckouts[0], "-O1");
  scratch_.write(std::string(kCheckouts[1]) + "/include/project/value.h", "__device__ int value = 22;\n");
  EXPECT_EQ(compile(kCheckouts[1], "-O1").run.at("device"), 1);
  EXPECT_EQ(steps_run(compile(kCheckouts[0], "-O1")), 0);
}

TEST_P(CheckoutsByOneCompiler, SeeHeadersThatAppearInOneOfThem) {
  write_projects("#if __has_include(\"project/optional.h\")\n__device__ int optional = 1;\n#endif\n");
  compile(kCheckouts[0], "-O1");
  scratch_.write(std::string(kCheckouts[1]) + "/include/project/optional.h", "");
  EXPECT_EQ(compile(kCheckouts[1], "-O1").run.at("device"), 1);
}

TEST_P(Checkouts, DoNotShareAHostObjectThatNamesItsSource) {
  write_projects("const char* name() { return __FILE__; }\n");
  expect_apart("-O1", 1, 1);
}

TEST_P(Checkouts, DoNotShareAnObjectThatOnlyMeasuredTheNameOfItsSource) {
  write_projects("", "inline int name_length() { return sizeof(__FILE__); }\nint length = name_length();\n");
  expect_apart("-O1", 1, 1);
}

// The name of a lambda's type has the name of its file, and the code depends on the hash of it.
TEST_P(Checkouts, DoNotShareCodeThatHashesTheNameOfALambda) {
  const std::string hash =
      "constexpr unsigned hash(const char* s) { unsigned h = 7; while (*s) h = h * 31 + *s++; return h; }\n"
      "template <class T> constexpr unsigned id() { return hash(__PRETTY_FUNCTION__); }\n"
      "inline constexpr auto lambda = [](int x) { return x; };\n"
      "constexpr unsigned lambda_id() { return id<decltype(lambda)>(); }\n";
  write_projects("__global__ void write(unsigned* d) { constexpr unsigned q = lambda_id(); d[0] = q; }\n", hash);
  expect_apart("-O1 -std=c++17", 1, 1);
}

TEST_P(Checkouts, ShareObjectsWhoseNamesOfSourcesAreMapped) {
  write_projects("const char* name() { return __FILE__; }\n");
  expect_shared("-O1 -fmacro-prefix-map=ROOT=.");
}

TEST_P(Checkouts, DoNotShareDebugInformationThatNamesThem) {
  write_projects();
  expect_apart("-O1 -g", 1, 1);
}

TEST_P(Checkouts, ShareDebugInformationWhoseNamesAreMapped) {
  write_projects();
  expect_shared("-O1 -g -ffile-prefix-map=ROOT=.");
}

TEST_P(Checkouts, DoNotShareDebugInformationThatIsCompressed) {
  write_projects();
  expect_apart("-O1 -g -gz=zlib", 1, 1);
}

TEST_P(Checkouts, DoNotShareWhatAMacroOnTheCommandLineNames) {
  write_projects("#ifdef PLACE\nint length = sizeof(PLACE);\n#endif\n");
  expect_apart("-O1 -DPLACE=\"ROOT/share\"", 1, 1);
}

TEST_P(Checkouts, DoNotShareWarningsThatNameThem) {
  write_projects("#ifndef __HIP_DEVICE_COMPILE__\n#warning on the host\n#endif\n");
  expect_apart("-O1", 0, 1);
}

// The directory's name begins with the first checkout's name, but it is not in the checkout.
TEST_P(CheckoutsByOneCompiler, ShareWhatReadsADirectoryBesideThem) {
  const std::string beside = scratch_.write("one.sources/x.h", "#define X 1\n");
  write_projects("", "#include \"" + beside + "\"\n__device__ int value = X;\n");
  expect_shared("-O1 -MD -MF objects/a.d -MT objects/a.o");
  scratch_.write("one.sources/x.h", "#define X 2\n");
  const Counts edited = compile(kCheckouts[1], "-O1 -MD -MF objects/a.d -MT objects/a.o");
  EXPECT_EQ(edited.run.at("device"), 1);
  EXPECT_EQ(edited.run.at("host"), 1);
  EXPECT_EQ(compile(kCheckouts[0], "-O1 -MD -MF objects/a.d -MT objects/a.o").run.at("device"), 0);
}

TEST_P(CheckoutsByOneCompiler, DoNotShareWhatIsPutBehindTheirName) {
  for (const std::string checkout : kCheckouts)
    scratch_.write(checkout + ".sources/x.h", "#define X " + std::to_string(checkout.size()) + "\n");
  write_projects("", "#include <x.h>\n__device__ int value = X;\n");
  expect_apart("-O1 -iprefix ROOT -iwithprefix .sources", 1, 1);
}

TEST_P(CheckoutsByOneCompiler, WithoutABaseDirectoryDoNotShare) {
  write_projects();
  for (const std::string checkout : kCheckouts) {
    Oracle oracle(cache_, scratch_ / (checkout + "/build"));
    EXPECT_EQ(oracle.check(command(scratch_ / checkout, "-O1")).run.at("device"), 1);
  }
}

// Worktrees of one repository: the first has git's directory, the others have a file that leads to it.
class Worktrees : public Checkouts {
 protected:
  void write_worktrees() {
    write_projects();
    scratch_.write(kCheckouts[0] + std::string("/.git/config"), "[core]\n\tbare = false\n");
    scratch_.write(kCheckouts[0] + std::string("/.git/worktrees/other/commondir"), "../..\n");
    scratch_.write(kCheckouts[1] + std::string("/.git"),
                   "gitdir: " + (scratch_ / (kCheckouts[0] + std::string("/.git/worktrees/other"))) + "\n");
  }

  Counts compile_by(const std::string& checkout, const std::string& bases = "") {
    Oracle oracle(cache_, scratch_ / (checkout + "/build"));
    const Variables variables = bases.empty() ? Variables{} : Variables{{"HIPCACHE_BASEDIR", bases}};
    return oracle.check(command(scratch_ / checkout, "-O1"), variables);
  }
};

TEST_P(Worktrees, ShareWithoutASetting) {
  write_worktrees();
  compile_by(kCheckouts[0]);
  const Counts other = compile_by(kCheckouts[1]);
  EXPECT_EQ(steps_run(other), 0) << other.json.dump();
  EXPECT_EQ(other.hits, 1);
  EXPECT_EQ(compile_by(kCheckouts[0]).hits, 1);
}

TEST_P(Worktrees, SeeTheirOwnHeadersWithoutASetting) {
  write_worktrees();
  compile_by(kCheckouts[0]);
  scratch_.write(kCheckouts[1] + std::string("/include/project/value.h"), "__device__ int value = 2;\n");
  EXPECT_EQ(compile_by(kCheckouts[1]).run.at("device"), 1);
}

TEST_P(Worktrees, InOneSettingAreEachTheBaseDirectoryOfTheirCompiles) {
  write_worktrees();
  const std::string all = (scratch_ / kCheckouts[0]) + ":" + (scratch_ / kCheckouts[1]) + "/";
  compile_by(kCheckouts[0], all);
  const Counts other = compile_by(kCheckouts[1], all);
  EXPECT_EQ(steps_run(other), 0) << other.json.dump();
  EXPECT_EQ(other.hits, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Worktrees, testing::ValuesIn(kOneCompiler), name_of);

TEST_P(CheckoutsByOneCompiler, IncludePathsInTheEnvironmentThatLieInThemAreShared) {
  write_projects("#include <late.h>\n");
  for (const std::string checkout : kCheckouts) {
    scratch_.write(checkout + "/late/late.h", "__device__ int late = 1;\n");
    compile(checkout, "-O1", {{"CPATH", scratch_ / (checkout + "/early") + ":" + scratch_ / (checkout + "/late")}});
  }
  EXPECT_EQ(cache_.counts().run.at("device"), 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Checkouts, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, CheckoutsByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

class OutputNames : public SingleCompile {};

// clang 19 writes the translation unit's id into device and host code, so the objects must differ. clang 15 writes it
// nowhere.
TEST_P(OutputNames, AreNoInputsOfStepsThatDoNotShowTheIdMadeFromThem) {
  check(command("-O1", "a.o"));
  const Counts counted = check(command("-O1", "b.o"));
  EXPECT_EQ(counted.run.at("device"), GetParam().version == "15" ? 0 : 2);
  EXPECT_EQ(counted.run.at("host"), GetParam().version == "15" ? 0 : 1);
  EXPECT_EQ(check(command("-O1", "a.o")).hits, 1);
}

TEST_P(OutputNames, AreNoInputsIfTheUserGivesTheId) {
  check(command("-O1 -cuid=mine", "a.o"));
  const Counts counted = check(command("-O1 -cuid=mine", "b.o"));
  EXPECT_EQ(counted.run.at("device"), 0);
  EXPECT_EQ(counted.run.at("host"), 0);
}

TEST_P(OutputNames, AndOptionsOfTheDriverAloneChangeNothing) {
  check(command("-O1"));
  for (const char* flags : {"-pipe -O1", "-O1 -Qunused-arguments"}) {
    const Counts counted = check(command(flags));
    EXPECT_EQ(counted.run.at("device"), 0) << flags;
    EXPECT_EQ(counted.run.at("host"), 0) << flags;
  }
}

// The depfile is an output of the host step. So asking for a new depfile runs the host step alone.
TEST_P(OutputNames, OfDepfilesAreNoInputs) {
  const Counts first = check(command("-O1"));
  EXPECT_EQ(first.run.at("device"), 2);
  const Counts with_depfile = check(command("-O1 -MD -MF a.d"));
  EXPECT_EQ(with_depfile.run.at("device"), 0);
  EXPECT_EQ(with_depfile.run.at("host"), 1);
  for (const char* flags : {"-O1 -MD -MF other.d", "-O1 -MD", "-O1 -MD -MFattached.d", "-O1 -MD -MF a.d -MT a.o"}) {
    const Counts counted = check(command(flags));
    EXPECT_EQ(counted.hits, 1) << flags;
    EXPECT_EQ(counted.run.at("device") + counted.run.at("host") + counted.run.at("bundle"), 0) << flags;
  }
  EXPECT_EQ(check(command("-O1 -MD -MP -MT another.o")).run.at("device"), 0);
}

// The counterpart: options that shape the depfile are inputs, whichever command compiled the object.
TEST_P(OutputNames, OfDepfilesAreInputsOfTheDepfiles) {
  check(command("-O1 -MD -MF a.d"));
  EXPECT_EQ(check(command("-O1 -MMD -MF a.d")).run.at("host"), 1);
  EXPECT_EQ(check(command("-O1 -MD -MP -MF a.d")).run.at("host"), 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, OutputNames, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
