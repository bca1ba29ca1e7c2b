// Files that change while the compiler runs, faster than their time stamps, or against the clock.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "integration/staleness/support/gate.h"
#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class ClockStaleness : public Staleness {
 protected:
  static constexpr const char* kOld = "#define VALUE 1\n";
  static constexpr const char* kNew = "#define VALUE 2\n";
  // The host compile runs after the change, so its result is stored correctly.
  static constexpr Steps kRaced{.device = 1, .bundle = 1, .host = 0, .probe = 0, .arch = ""};

  // One step at a time, the device step first.
  ClockStaleness() : Staleness({{"HIPCACHE_JOBS", "1"}}) {
    project_.write("gate.h", "");
    project_.write("late/value.h", kOld);
    project_.make_directory("early");
    write_kernel(project_, "a.hip", kGated);
  }

  Arguments command(const std::string& flags = "-O1") const {
    return GetParam().hip() + archs({"gfx906"}) + words(flags + " -Iearly -Ilate -c a.hip -o a.o");
  }

  // A change happens after the device compile has read everything but the gate. Its result must not be recorded for the
  // new files, nor for the old ones, which `back` restores. `after`: the steps that run then; steps of the raced
  // request that never saw the change are stored.
  void expect_guarded(const std::function<void()>& change, const std::function<void()>& back, const Arguments& argv,
                      const Steps& after = {.device = 1, .host = 1}) {
    race(change, argv);
    expect_runs(kRaced, argv);
    expect_hit(argv);
    back();
    expect_runs(after, argv);
    expect_hit(argv);
  }

  void race(const std::function<void()>& change, const Arguments& argv) {
    ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
    const Gate gate(project_ / "gate.h");
    Started compile = cache_.start(argv, project_.path());
    gate.await(compile);
    change();
    gate.open_up();
    EXPECT_EQ(compile.wait().exit_code, 0);
    const Counts raced = cache_.counts();
    EXPECT_EQ(raced.run.at("device") + raced.run.at("bundle") + raced.run.at("host"), 3);
    EXPECT_EQ(raced.not_stored, (std::map<std::string, std::int64_t>{{"input-changed", 1}}));
    EXPECT_NE(raced.json.at("not_stored_detail").at("input-changed"), "");
  }

  // The host compile skips the gate, because only the device compile must stop there.
  static constexpr const char* kGated = R"(
#include <value.h>
#if __has_include("optional.h")
__device__ int optional = 1;
#endif
#ifdef __HIP_DEVICE_COMPILE__
#include "gate.h"
#endif
__device__ int value = VALUE;
int host_value = VALUE;
)";
};

TEST_P(ClockStaleness, ASourceEditedWhileTheCompilerRunsIsNotRecorded) {
  const std::string source = support::read_bytes(project_ / "a.hip");
  expect_guarded([&] { project_.write("a.hip", source + "__device__ int late = 1;\n"); },
                 [&] { project_.write("a.hip", source); }, command());
}

TEST_P(ClockStaleness, AHeaderEditedWhileTheCompilerRunsIsNotRecorded) {
  expect_guarded([this] { rewrite_unnoticed("late/value.h", kNew); }, [this] { project_.write("late/value.h", kOld); },
                 command());
}

TEST_P(ClockStaleness, AHeaderReplacedByAnOlderOneWhileTheCompilerRunsIsNotRecorded) {
  project_.write("other.h", kNew);
  fs::last_write_time(project_ / "other.h", fs::last_write_time("/usr/bin/env"));
  expect_guarded([this] { fs::rename(project_ / "other.h", project_ / "late/value.h"); },
                 [this] { project_.write("late/value.h", kOld); }, command());
}

TEST_P(ClockStaleness, ALinkRetargetedWhileTheCompilerRunsIsNotRecorded) {
  project_.write("one.h", kOld);
  project_.write("two.h", kNew);
  project_.link("late/value.h", "../one.h");
  expect_guarded([this] { project_.link("late/value.h", "../two.h"); },
                 [this] { project_.link("late/value.h", "../one.h"); }, command());
}

TEST_P(ClockStaleness, ADirectoryExchangedWhileTheCompilerRunsIsNotRecorded) {
  project_.write("other/value.h", kNew);
  const auto exchange = [this] {
    fs::rename(project_ / "late", project_ / "late.old");
    fs::rename(project_ / "other", project_ / "late");
    fs::rename(project_ / "late.old", project_ / "other");
  };
  expect_guarded(exchange, exchange, command());
}

TEST_P(ClockStaleness, AHeaderThatAppearsEarlierWhileTheCompilerRunsIsNotRecorded) {
  expect_guarded([this] { project_.write("early/value.h", kNew); }, [this] { fs::remove(project_ / "early/value.h"); },
                 command());
}

TEST_P(ClockStaleness, AnOptionalHeaderThatAppearsWhileTheCompilerRunsIsNotRecorded) {
  expect_guarded([this] { project_.write("optional.h", ""); }, [this] { fs::remove(project_ / "optional.h"); },
                 command());
}

TEST_P(ClockStaleness, ADeviceLibraryEditedWhileTheCompilerRunsIsNotRecorded) {
  const fs::path library = copy_bitcode("bitcode");
  const std::string flags = "-O1 --rocm-device-lib-path=" + library.string();
  const auto put = [&](const char* from) {
    fs::copy_file(fs::path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode") / from, library / "oclc_daz_opt_off.bc",
                  fs::copy_options::overwrite_existing);
  };
  write_kernel(project_, "a.hip",
               std::string(kGated) +
                   "extern \"C\" __constant__ const char __oclc_daz_opt;\n"
                   "__global__ void daz(int* x) { *x = __oclc_daz_opt; }\n");
  expect_guarded([&] { put("oclc_daz_opt_on.bc"); }, [&] { put("oclc_daz_opt_off.bc"); }, command(flags),
                 {.device = 1});
}

// Stricter than necessary, because the content is the same; but nothing that the guard compares shows that.
TEST_P(ClockStaleness, AHeaderDeletedAndRestoredWhileTheCompilerRunsIsNotRecorded) {
  race(
      [this] {
        fs::remove(project_ / "late/value.h");
        project_.write("late/value.h", kOld);
      },
      command());
  expect_runs({.device = 1}, command());
  expect_hit(command());
}

TEST_P(ClockStaleness, EqualSizesAndTimesHideNoEdit) {
  using Clock = fs::file_time_type::clock;
  for (const auto& time : {Clock::now() - 24h * 365 * 20, Clock::now() + 1h, Clock::now() + 24h * 365 * 50}) {
    project_.write("late/value.h", kOld);
    fs::last_write_time(project_ / "late/value.h", time);
    check(command());
    expect_hit(command());
    rewrite_unnoticed("late/value.h", kNew);
    check(command());
    expect_hit(command());
  }
  const Counts counted = cache_.counts();
  EXPECT_EQ(counted.run.at("device"), 2) << "the old header and the new one";
  EXPECT_EQ(counted.run.at("host"), 2);
}

TEST_P(ClockStaleness, EditsInQuickSuccessionAreAllSeen) {
  for (const char value : {'1', '2', '3', '2', '1', '3'}) {
    for (const char passing : {'7', '8', value})  // not Scratch::write, which waits for the next stamp
      std::ofstream(project_ / "late/value.h") << "#define VALUE " << passing << '\n';
    check(command());
  }
  EXPECT_EQ(cache_.counts().run.at("device"), 3);
  EXPECT_EQ(cache_.counts().hits, 3);
}

// A file system with stamps of whole seconds, as old network servers have. If the machine provides none (a container
// without loop devices), only tests/inputs/state_trust_test.cpp covers this.
class CoarseClockStaleness : public ClockStaleness {
 protected:
  void SetUp() override {
    const std::string image = image_ / "disk";
    ASSERT_EQ(run({"truncate", "-s", "8M", image}, "/").exit_code, 0);
    const Ended made = run({"mkfs.ext4", "-q", "-F", "-I", "128", "-O", "^has_journal", image}, "/");
    const Ended mounted = run({"mount", "-o", "loop", image, project_.path()}, "/");
    if (mounted.exit_code != 0) GTEST_SKIP() << "no file system of whole seconds: " << made.err << mounted.err;
    mounted_ = true;
    project_.write("gate.h", "");
    project_.write("late/value.h", kOld);
    project_.make_directory("early");
    write_kernel(project_, "a.hip", kGated);
  }
  void TearDown() override { EXPECT_TRUE(!mounted_ || umount2(project_.path().c_str(), MNT_DETACH) == 0); }

  // Waits until a compile that starts is in a later second than everything that was written before.
  static void await_next_second() {
    for (const time_t now = time(nullptr); time(nullptr) == now;) std::this_thread::sleep_for(10ms);
  }

 private:
  support::Scratch image_;
  bool mounted_ = false;
};

TEST_P(CoarseClockStaleness, EditsWithinOneSecondAreAllSeen) {
  struct stat status{};
  ASSERT_EQ(stat((project_ / "a.hip").c_str(), &status), 0);
  ASSERT_EQ(status.st_ctim.tv_nsec, 0);
  for (const char* text : {kOld, kNew, kOld, kNew}) {
    project_.write("late/value.h", text);
    check(command());
  }
}

TEST_P(CoarseClockStaleness, WhatWasWrittenInAnEarlierSecondIsRecorded) {
  await_next_second();
  warm(command());
  project_.write("late/value.h", kNew);
  await_next_second();
  expect_runs({.device = 1, .bundle = 1, .host = 1}, command());
  expect_hit(command());
  rewrite_unnoticed("late/value.h", kOld);
  expect_hit(command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, ClockStaleness, testing::ValuesIn(kOneCompiler), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, CoarseClockStaleness, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
