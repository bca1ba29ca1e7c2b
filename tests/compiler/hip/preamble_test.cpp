// Which front end jobs may use a wrapper header that was made before, and with which commands it is made.
#include "compiler/hip/codegen/preamble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hipcache/base/text.h"

namespace hipcache::hip {
namespace {

using compiler::ArchId;

const char* const kDeviceJob =
    "/bin/clang -cc1 -triple amdgcn-amd-amdhsa -emit-obj -main-file-name a.hip -fcuda-is-device -target-cpu gfx906 "
    "-mlink-builtin-bitcode /lib/ocml.bc -fdebug-compilation-dir=/build -resource-dir /r -dependency-file a.d -MT a.o "
    "-sys-header-deps -I include -internal-isystem /r/include -include __clang_hip_runtime_wrapper.h -D X=1 -D __Y=1 "
    "-fcolor-diagnostics -O2 -std=c++17 -cuid=0123 -o a.o -x hip a.hip";

Job job_of(const std::string& text, const std::string& more = "") {
  Job job;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    job.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (std::size_t at = 0; at < more.size();) {
    const std::size_t end = std::min(more.find(' ', at), more.size());
    job.insert(job.begin() + 2, more.substr(at, end - at));
    at = end + 1;
  }
  return job;
}

std::optional<Preamble> preamble_for(const std::string& more = "", const std::string& job = kDeviceJob,
                                     bool lists_files = false) {
  const Result<FrontendJob> read = read_frontend_job(job_of(job, more));
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? preamble_of(*read, ArchId{.name = "gfx906"}, "gfx906", lists_files) : std::nullopt;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Preamble, IsOfJobsThatReadTheWrapperHeader) {
  const std::optional<Preamble> preamble = preamble_for();
  ASSERT_TRUE(preamble);
  EXPECT_EQ(preamble->why_not, "");
  ASSERT_NE(preamble->make, nullptr);
  EXPECT_EQ(preamble->make->kind, StepKind::preamble);
  EXPECT_EQ(preamble->make->arch.name, "gfx906");
  std::string without = kDeviceJob;
  without.erase(without.find("-include"), std::string("-include __clang_hip_runtime_wrapper.h ").size());
  EXPECT_FALSE(preamble_for("", without));
}

// What belongs to one job is in neither the header nor its key; what bears on the text is in both.
TEST(Preamble, IsMadeWithTheOptionsThatBearOnTheText) {
  const Preamble preamble = preamble_for().value();
  for (const std::vector<std::string>& words : {preamble.make->commands.front().argv, preamble.make->keyed.front()}) {
    for (const char* kept : {"-fcuda-is-device", "gfx906", "__Y=1", "-O2", "-std=c++17", "/r/include",
                             "__clang_hip_runtime_wrapper.h", "-emit-pch", "-fno-pch-timestamp", "/dev/null"})
      EXPECT_TRUE(has(words, kept)) << kept;
    for (const char* left : {"-emit-obj", "a.hip", "a.o", "a.d", "X=1", "include", "-cuid=0123",
                             "-fdebug-compilation-dir=/build", "/lib/ocml.bc", "-fcolor-diagnostics"})
      EXPECT_FALSE(has(words, left)) << left;
  }
}

TEST(Preamble, IsOneForAllUnitsWithTheSameOptions) {
  std::string other = kDeviceJob;
  for (const auto& [from, to] :
       {std::pair("a.hip", "b.hip"), std::pair("-o a.o", "-o b.o"), std::pair("-cuid=0123", "-cuid=4567")})
    other = replace_all(std::move(other), from, to);
  EXPECT_EQ(preamble_for("", other)->make->keyed, preamble_for()->make->keyed);
  EXPECT_EQ(preamble_for("-DZ -UNDEBUG")->make->keyed, preamble_for()->make->keyed);
  EXPECT_EQ(preamble_for("-DZ(x)=y")->left_out, (std::vector<std::string>{"Z", "X"}));
  EXPECT_NE(preamble_for("-D__Z")->make->keyed, preamble_for()->make->keyed);
}

TEST(Preamble, IsMadeWithoutTheUsersSearchDirectories) {
  const Preamble preamble = preamble_for("-Imore quotes -iquote -I=of_sysroot -I/r/include system -isystem").value();
  EXPECT_EQ(preamble.left_out_directories, (std::vector<std::string>{"quotes", "more", "include"}));
  EXPECT_EQ(preamble.system_directories, (std::vector<std::string>{"system", "/r/include"}));
  const std::vector<std::string>& words = preamble.make->keyed.front();
  for (const char* kept : {"-I=of_sysroot", "-I/r/include", "system"}) EXPECT_TRUE(has(words, kept)) << kept;
  EXPECT_EQ(preamble_for("-Imore quotes -iquote")->make->keyed, preamble_for()->make->keyed);
  EXPECT_NE(preamble_for("more -isystem")->make->keyed, preamble_for()->make->keyed);
  EXPECT_NE(preamble_for("more -idirafter")->make->keyed, preamble_for()->make->keyed);
}

// A depfile of the user's without system headers needs the list without them.
TEST(Preamble, HasTheDepfileThatTheJobNeeds) {
  EXPECT_TRUE(has(preamble_for("", kDeviceJob, true)->make->keyed.front(), "-sys-header-deps"));
  const std::string users = replace_all(kDeviceJob, "-sys-header-deps ", "");
  EXPECT_FALSE(has(preamble_for("", users, true)->make->keyed.front(), "-sys-header-deps"));
  EXPECT_TRUE(has(preamble_for("", users, false)->make->keyed.front(), "-sys-header-deps"));
}

TEST(Preamble, IsNotForOptionsThatNobodyJudged) {
  for (const char* more : {"-debug-info-kind=constructor", "-fopenmp", "-menable-experimental-extensions"}) {
    const std::optional<Preamble> preamble = preamble_for(more);
    ASSERT_TRUE(preamble) << more;
    EXPECT_EQ(preamble->why_not, std::string(more) + " was not judged");
    EXPECT_EQ(preamble->make, nullptr);
  }
  EXPECT_EQ(preamble_for("-debug-info-kind=line-tables-only")->why_not, "");
  EXPECT_EQ(preamble_for("", replace_all(kDeviceJob, "-x hip", "-x cuda"))->why_not, "-x was not judged");
  EXPECT_EQ(preamble_for("", replace_all(kDeviceJob, "-emit-obj", "-S"))->why_not, "-S was not judged");
  EXPECT_EQ(preamble_for("first.h -include")->why_not, "-include was not judged")
      << "of the user's, before the wrapper";
}

TEST(Preamble, TakesThePlaceOfTheTextInTheFirstCommandOnly) {
  std::vector<std::string> argv{"clang", "-cc1", "-include", "__clang_hip_runtime_wrapper.h", "-DX", kThen, "clang"};
  ASSERT_TRUE(use_preamble(argv, "/d/h.pch"));
  EXPECT_EQ(argv, (std::vector<std::string>{"clang", "-cc1", "-include-pch", "/d/h.pch", "-DX", kThen, "clang"}));
  EXPECT_FALSE(use_preamble(argv, "/d/h.pch"));
  std::vector<std::string> later{"clang", "-cc1", kThen, "clang", "-include", "__clang_hip_runtime_wrapper.h"};
  EXPECT_FALSE(use_preamble(later, "/d/h.pch"));
}

}  // namespace
}  // namespace hipcache::hip
