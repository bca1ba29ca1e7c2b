// Files that a compiler leaves beside its outputs, in its temporary directory: the user finds each of them, and no
// output names one that is gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// Leaves a file in the temporary directory of each lld, as an option that nobody has looked at might.
constexpr const char* kLeaves = R"(
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void leave(void) {
  if (strncmp(program_invocation_short_name, "lld", 3) != 0 && strncmp(program_invocation_short_name, "ld", 2) != 0) return;
  if (CRASHES && access("crashes", F_OK) != 0) return;
  if (CRASHES) fputs("Stack dump:\n", stderr);
  char path[4096];
  snprintf(path, sizeof path, "%s/left.txt", getenv("TMPDIR"));
  FILE* file = fopen(path, "w");
  if (file != NULL) fclose(file);
}
)";

class LostFiles : public SingleCompile {
 protected:
  // Runs the command in an empty temporary directory of the user's. Returns the files that are there afterwards.
  std::vector<std::string> left_by(const Arguments& argv, Variables variables = {}) const {
    fs::remove_all(temporary_);
    fs::create_directory(temporary_);
    variables["TMPDIR"] = temporary_;
    const Ended ended = cache_.run(argv, project_.path(), variables);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::vector<std::string> left;
    for (const auto& entry : fs::recursive_directory_iterator(temporary_))
      if (entry.is_regular_file()) left.push_back(entry.path().string());
    return left;
  }

  bool holds(const std::string& file, const std::string& text) const {
    return support::read_bytes(project_ / file).find(text) != std::string::npos;
  }

  // The compiler itself leaves one file for the user, each time, and the output has its name or no name of hipcache's.
  void expect_alone(const std::string& reason, const Arguments& argv, const std::string& output,
                    const Variables& variables = {}, bool is_named = true) {
    for (int time = 0; time < 3; ++time) {
      const Counts before = cache_.counts();
      const std::vector<std::string> left = left_by(argv, variables);
      const Counts counted = cache_.counts() - before;
      EXPECT_EQ(counted.passed, 1) << time;
      EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.at("not_cached");
      ASSERT_EQ(left.size(), 1u) << time;
      EXPECT_TRUE(!is_named || holds(output, left.front())) << time;
      EXPECT_FALSE(holds(output, cache_.directory())) << time;
    }
  }

  // `crashes`: it leaves the file only where a file called `crashes` is, and prints the beginning of a crash report.
  std::string library(bool crashes = false) const {
    project_.write("leaves.c", kLeaves);
    const Ended made =
        run(words("cc -shared -fPIC leaves.c -o leaves.so -DCRASHES=" + std::to_string(crashes)), project_.path());
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return project_ / "leaves.so";
  }

  Arguments link(const std::string& flags, const std::string& driver = "--no-offload-new-driver") const {
    const Arguments made = GetParam().hip() + archs({"gfx906"}) + words("-fPIC -fgpu-rdc -cuid=mine " + driver) +
                           words("-g -gsplit-dwarf -c a.hip -o r.o");
    const Ended ended = run(made, project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return Arguments{GetParam().program(), "-B" + GetParam().tools()} + archs({"gfx906"}) +
           words("--hip-link -fgpu-rdc -no-hip-rt --rocm-path=/usr -Wl,-z,noexecstack -shared r.o -o x.so " + driver +
                 " " + flags);
  }

  const std::string temporary_ = project_ / "tmp";
};

TEST_P(LostFiles, TheLinksDebugInformationOfDevicesIsTheUsers) {
  expect_alone("split-dwarf", link("-g -gsplit-dwarf"), "x.so");
}

// clang reads no debug information from these objects, and the link has no option for it.
TEST_P(LostFiles, ALinkWithoutThemIsAHit) {
  const Arguments argv = link("");
  EXPECT_TRUE(left_by(argv).empty());
  EXPECT_TRUE(left_by(argv).empty());
  EXPECT_EQ(cache_.counts().hits, 1);
}

// The object has the information itself, under the name of the driver's object.
TEST_P(LostFiles, AnObjectThatNamesATemporaryFileIsTheCompilersOwn) {
  const Arguments argv = GetParam().hip() + archs({"gfx906"}) + words("-g -gsplit-dwarf=single -c a.hip -o a.o");
  for (int time = 0; time < 3; ++time) {
    const Counts before = cache_.counts();
    EXPECT_TRUE(left_by(argv).empty());
    const Counts counted = cache_.counts() - before;
    EXPECT_TRUE(counted.reasons.contains("names-temporary-files")) << counted.json.at("not_cached");
    EXPECT_TRUE(holds("a.o", temporary_));
    EXPECT_FALSE(holds("a.o", cache_.directory()));
  }
}

TEST_P(LostFiles, AFileThatAStepLeavesIsTheUsers) {
  expect_alone("writes-more-than-known", command(), "a.o", {{"LD_PRELOAD", library()}}, false);
}

TEST_P(LostFiles, AFileThatAnOpaqueLinkLeavesIsTheUsers) {
  project_.write("m.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(run(words("cc -c m.c -o m.o"), project_.path()).exit_code, 0);
  expect_alone("writes-more-than-known", words("gcc m.o -o m"), "m", {{"LD_PRELOAD", library()}}, false);
}

// The next run is not kept from the cache.
TEST_P(LostFiles, AFileThatACrashLeavesSaysNothingAboutTheNextRun) {
  const Variables variables{{"LD_PRELOAD", library(true)}};
  project_.write("m.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(run(words("cc -c m.c -o m.o"), project_.path()).exit_code, 0);
  for (const auto& [argv, step] : {std::pair(command(), "device"), std::pair(words("gcc m.o -o m"), "link")}) {
    project_.write("crashes", "");
    EXPECT_EQ(left_by(argv, variables).size(), 1u);
    fs::remove(project_ / "crashes");
    const Counts before = cache_.counts();
    for (int time = 0; time < 2; ++time) EXPECT_TRUE(left_by(argv, variables).empty());
    const Counts counted = cache_.counts() - before;
    EXPECT_EQ(counted.passed, 0) << counted.json.at("not_cached");
    EXPECT_EQ(counted.hits, 1);
    EXPECT_GE(counted.run.at(step), 1);
  }
}

// Other options let equal inputs make equal outputs.
TEST_P(LostFiles, AnOrdinarySplitOfDebugInformationIsAHit) {
  const Arguments argv = command("-g -gsplit-dwarf");
  check(argv);
  EXPECT_EQ(check(argv).hits, 1);
  EXPECT_TRUE(fs::exists(project_ / "a_gfx906.dwo"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, LostFiles, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
