// A compiler that crashes: messages, exit code and report files are those of the compiler alone, and nothing is stored.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <regex>
#include <set>

#include "integration/staleness/support/gate.h"
#include "integration/support/process_tree.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// What a crash left, without random names and addresses.
struct Left {
  int exit_code = 0;
  std::string messages;
  std::multiset<std::string> reports;
  bool operator==(const Left&) const = default;
};

void PrintTo(const Left& left, std::ostream* out) {
  *out << "exit code " << left.exit_code << ", " << left.messages;
  for (const std::string& report : left.reports) *out << "report " << report << '\n';
}

std::string less_chance(const std::string& text) {
  const std::string named = std::regex_replace(text, std::regex("-[0-9a-f]{6}(?![0-9a-f])"), "-CHANCE");
  return std::regex_replace(named, std::regex("0x[0-9a-f]+"), "ADDRESS");
}

constexpr const char* kCrash = "#pragma clang __debug crash\n";

class Crash : public SingleCompile {
 protected:
  Crash() { EXPECT_EQ(cache_.control("--start-server").exit_code, 0); }

  Left left_by(const Arguments& argv) const {
    const std::string reports = project_.make_directory("reports");
    const Ended ended = run(argv, project_.path(), cache_.variables({{"TMPDIR", reports}}));
    Left left{.exit_code = ended.exit_code, .messages = less_chance(ended.out + ended.err), .reports = {}};
    for (const auto& entry : fs::directory_iterator(reports)) left.reports.insert(less_chance(entry.path().filename()));
    fs::remove_all(reports);
    EXPECT_FALSE(support::exists(project_ / "a.o"));
    return left;
  }

  // Expects the same through hipcache; returns what was counted.
  Counts expect_left(const Left& expected, const Arguments& argv) {
    const Counts before = cache_.counts();
    EXPECT_EQ(left_by(Arguments{hipcache_program()} + argv), expected);
    const Counts counted = cache_.counts() - before;
    EXPECT_EQ(counted.reasons.at("step-failed"), 1) << counted.json.dump();
    EXPECT_EQ(counted.errors, 0);
    return counted;
  }

  Left expected_of(const Arguments& argv) const {
    const Left alone = left_by(argv);
    EXPECT_NE(alone.exit_code, 0);
    EXPECT_GE(alone.reports.size(), 2u) << "a source and a script, or a source for each target";
    return alone;
  }

  // Its back end takes long enough for the next edit to run the front end alone.
  void write_heavy(const std::string& more) const {
    write_kernel(project_, "a.hip",
                 "__global__ void heavy(float* x, int n) {\n#pragma unroll 700\n"
                 "  for (int i = 0; i < 700; ++i) x[i] = x[i + 1] * x[n] + x[i * n];\n}\n" +
                     more);
  }
};

TEST_P(Crash, OfADevicesCompileIsTheDriversToReport) {
  write_kernel(project_, "a.hip", "#if __HIP_DEVICE_COMPILE__\n" + std::string(kCrash) + "#endif\n");
  const Left expected = expected_of(command());
  for (int time = 0; time < 2; ++time) {
    const Counts counted = expect_left(expected, command());
    EXPECT_EQ(counted.run.at("device"), 2);
    EXPECT_EQ(counted.run.at("host") + counted.hit.at("device"), 0);
  }
}

// Such a compile is not split.
TEST_P(Crash, WithoutDiagnosticsIsTheDriversToReport) {
  write_kernel(project_, "a.hip", "#if __HIP_DEVICE_COMPILE__\n" + std::string(kCrash) + "#endif\n");
  const Left expected = left_by(command("-O1 -fno-crash-diagnostics"));
  EXPECT_NE(expected.exit_code, 0);
  for (int time = 0; time < 2; ++time) {
    const Counts counted = expect_left(expected, command("-O1 -fno-crash-diagnostics"));
    EXPECT_EQ(counted.hits, 0);
    EXPECT_EQ(counted.run.at("front") + counted.run.at("back"), 0);
  }
}

// The front end runs in a process of its own, and crashes. What the back end had made before is still found.
TEST_P(Crash, OfAFrontEndIsTheDriversToReportAndSparesTheNextBackEnd) {
  const Arguments argv = GetParam().hip() + archs({"gfx906"}) + words("-O1 -c a.hip -o a.o");
  write_heavy("");
  const Counts cold = check(argv);
  EXPECT_EQ(cold.run.at("front"), 1);
  EXPECT_EQ(cold.run.at("back"), 1);
  fs::remove(project_ / "a.o");
  write_heavy("#if __HIP_DEVICE_COMPILE__\n" + std::string(kCrash) + "#endif\n");
  const Counts crashed = expect_left(expected_of(argv), argv);
  EXPECT_EQ(crashed.run.at("back") + crashed.hit.at("back"), 0) << crashed.json.dump();
  write_heavy("#define MENDED 1\n");
  const Counts mended = check(argv);
  EXPECT_EQ(mended.run.at("front"), 1) << mended.json.dump();
  EXPECT_EQ(mended.hit.at("back"), 1) << mended.json.dump();
}

TEST_P(Crash, OfTheHostsCompileIsTheDriversToReport) {
  write_kernel(project_, "a.hip", "#if !__HIP_DEVICE_COMPILE__\n" + std::string(kCrash) + "#endif\n");
  const Left expected = expected_of(command());
  EXPECT_EQ(expect_left(expected, command()).run.at("device"), 2);
  const Counts again = expect_left(expected, command());
  EXPECT_EQ(again.hit.at("device"), 2) << "those had not crashed";
  EXPECT_EQ(again.run.at("host"), 1);
}

TEST_P(Crash, OfAnOpaqueCompileIsTheDriversToReport) {
  project_.write("a.cpp", kCrash);
  const Arguments argv{GetParam().program(), "-c", "a.cpp", "-o", "a.o"};
  const Left expected = expected_of(argv);
  for (int time = 0; time < 2; ++time) EXPECT_EQ(expect_left(expected, argv).hits, 0);
}

// The compilers get a signal from another process. They print a crash report, go on, and succeed, if they have not
// opened their output yet: they wait for a file that they read before.
class Signalled : public SingleCompile {
 protected:
  Signalled() : SingleCompile({{"HIPCACHE_JOBS", "1"}}) {  // one step at a time: the others start after the signal
    EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
    project_.write("overlay.yaml", R"({"version": 0, "roots": []})");
  }

  Counts expect_reported(const Arguments& argv, int number) {
    const Counts before = cache_.counts();
    const Gate gate(project_ / "overlay.yaml");
    Started compile = cache_.start(argv, project_.path());
    gate.await(compile);
    for (const pid_t each : descendants(compile.pid()))
      if (descendants(each).empty()) kill(each, number);  // not who only waits for another
    gate.open_up();
    const Ended ended = compile.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.err.find("Stack dump:"), std::string::npos) << "the compiler printed no report: " << ended.err;
    const Counts counted = cache_.counts() - before;
    EXPECT_EQ(counted.not_stored, (std::map<std::string, std::int64_t>{{"prints-crash-report", 1}}));
    return counted;
  }

  void expect_right_afterwards(const Arguments& argv) {
    fs::remove(project_ / "a.o");
    EXPECT_EQ(check(argv).hits, 0);
    EXPECT_EQ(check(argv).hits, 1);
  }
};

TEST_P(Signalled, AnOpaqueCompileThatGoesOnIsNotStored) {
  project_.write("a.cpp", "int value() { int unused; return 1; }\n");
  const Arguments argv = Arguments{GetParam().program()} + words("-Wall -ivfsoverlay overlay.yaml -c a.cpp -o a.o");
  for (const int number : {SIGQUIT, SIGXFSZ, SIGXCPU}) expect_reported(argv, number);
  expect_right_afterwards(argv);
}

TEST_P(Signalled, AStepThatGoesOnIsNotStored) {
  const Arguments argv = command("-O1 -ivfsoverlay overlay.yaml");
  const Counts counted = expect_reported(argv, SIGQUIT);
  EXPECT_EQ(counted.run.at("device"), 2);
  expect_right_afterwards(argv);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Signalled, testing::ValuesIn(kOneCompiler), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, Crash, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
