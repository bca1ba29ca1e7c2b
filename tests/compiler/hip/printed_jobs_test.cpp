#include "compiler/hip/jobs/printed_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipcache::hip {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PrintedJobs, UndoesQuotes) {
  const auto read = read_printed_jobs(" \"/x/clang\" \"\" \"a \\\"b\\\" \\\\ \\$c\" \"d\ne\"\n");
  ASSERT_TRUE(read);
  EXPECT_THAT(read.value().jobs, ElementsAre(ElementsAre("/x/clang", "", "a \"b\" \\ $c", "d\ne")));
}

TEST(PrintedJobs, TakesTheBannerAndWarningsApart) {
  const auto read = read_printed_jobs(
      "AMD clang version 19.0.0git (x)\nTarget: x86_64\nThread model: posix\nInstalledDir: /x\nBuild config: "
      "+assertions\n"
      "Configuration file: /y\nclang: warning: one\nclang: note: two\n \"/x\"\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().diagnostics, "clang: warning: one\nclang: note: two\n");
  EXPECT_EQ(read.value().jobs.size(), 1u);
}

TEST(PrintedJobs, MayBeNone) {
  const auto read = read_printed_jobs("");
  ASSERT_TRUE(read);
  EXPECT_THAT(read.value().jobs, IsEmpty());
}

TEST(PrintedJobs, RefuseEverythingElse) {
  for (const char* text : {"clang: error: x\n", "clang: fatal error: x\n", "x\n", "\n", " (in-process)\n",
                           "a b: warning: x\n", ": warning: x\n", " \"/x\" y\n", " \"/x\"", " \"/x\n", " \"/x\\n\"\n",
                           " \"/x\\", " \"\"\n", " \"/x\"\"y\"\n", "\x1b[31mclang: error: x\n", "\x1b[31",
                           "Found HIP installation: /opt/rocm\n", " Arguments passed via response file:\n"}) {
    EXPECT_FALSE(read_printed_jobs(text)) << text;
  }
}

TEST(PrintedJobs, AreBounded) {
  std::string many;
  for (std::size_t i = 0; i <= kMaxJobs; ++i) many += " \"/x\"\n";
  EXPECT_FALSE(read_printed_jobs(many));
  EXPECT_FALSE(read_printed_jobs(std::string(kMaxPrintedBytes + 1, '\n')));
}

}  // namespace
}  // namespace hipcache::hip
