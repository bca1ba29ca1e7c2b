// The compilers that --doctor finds: by their names, by compile_commands.json and by CMakeCache.txt.
#include "cli/doctor/find_compilers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/scratch.h"

namespace hipcache::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<Subject>& subjects) {
  std::vector<std::string> all;
  for (const Subject& subject : subjects)
    all.push_back(subject.name() + (subject.language == Language::hip ? " hip"
                                    : subject.language == Language::c ? " c"
                                                                      : ""));
  return all;
}

std::vector<std::string> texts_of(const Findings& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings.all()) all.push_back(finding.text);
  return all;
}

class FindCompilers : public testing::Test {
 protected:
  void program(const std::string& path) const {
    std::filesystem::permissions(scratch_.write(path, "#!/bin/sh\n"), std::filesystem::perms::owner_all);
  }
  std::vector<std::string> found(const Words& variables) {
    return names_of(find_compilers(config::lookup_in(variables), scratch_.path(), findings_));
  }

  support::Scratch scratch_;
  Findings findings_;
};

TEST_F(FindCompilers, ByNameInPathTheUnversionedAndTheNewestFirst) {
  for (const char* name : {"clang++-9", "clang++-19", "clang++", "clang-19", "clang++-tidy", "clang++-0", "hipcc",
                           "amdclang++", "g++-12", "g++", "x86_64-linux-gnu-g++", "hipcc.pl"})
    program(std::string("bin/") + name);
  program("more/g++");
  const std::vector<std::string> all = found({"PATH=" + (scratch_ / "bin") + "::/none:" + (scratch_ / "more")});
  EXPECT_THAT(all, ElementsAre("clang++", "clang++ hip", "clang++-19", "clang++-19 hip", "clang++-9", "clang++-9 hip",
                               "amdclang++", "amdclang++ hip", "hipcc hip", "g++", "g++-12"));
}

TEST_F(FindCompilers, OfRocmThatAreNotInPath) {
  program("rocm/bin/hipcc");
  program("rocm/bin/amdclang++");
  const std::string bin = scratch_ / "rocm/bin/";
  EXPECT_THAT(found({"PATH=/none", "ROCM_PATH=" + (scratch_ / "rocm")}),
              testing::IsSupersetOf({bin + "amdclang++", bin + "amdclang++ hip", bin + "hipcc hip"}));
}

TEST_F(FindCompilers, OfABuildComeFirstAndOnce) {
  scratch_.write("compile_commands.json", R"([
    {"command": "hipcache /opt/a\\ b/clang++ -x hip --offload-arch=gfx90a -c k.hip -o k.o"},
    {"command": "\"/opt/a b/clang++\" -O2 -c m.cpp"}, {"arguments": ["/opt/a b/clang++", "-c", "n.cpp"]},
    {"arguments": ["/usr/bin/cc", "-c", "c.c"]}, {"file": "x"}, 7])");
  scratch_.write(
      "CMakeCache.txt",
      "# comment\nCMAKE_CXX_COMPILER:STRING=/usr/bin/c++\nCMAKE_HIP_COMPILER:FILEPATH=/opt/rocm/llvm/bin/clang++\n"
      "CMAKE_C_COMPILER:FILEPATH=/usr/bin/cc\nCMAKE_CXX_COMPILER_LAUNCHER:STRING=hipcache\n"
      "CMAKE_CXX_COMPILER_AR:FILEPATH=/usr/bin/ar\nCMAKE_ASM_COMPILER:STRING=NOTFOUND\n");
  EXPECT_THAT(found({"PATH=/none"}), testing::IsSupersetOf({"/opt/a b/clang++ hip", "/opt/a b/clang++", "/usr/bin/cc c",
                                                            "/usr/bin/c++", "/opt/rocm/llvm/bin/clang++ hip"}));
  EXPECT_THAT(texts_of(findings_), IsEmpty());
}

TEST_F(FindCompilers, BehindAnotherCacheAreNamedWithTheRemedy) {
  EXPECT_THAT(names_of(compilers_in_database(R"([{"command": "/usr/bin/ccache g++ -c a.cpp"},
                                                 {"command": "ccache g++ -c b.cpp"}])",
                                             findings_)),
              ElementsAre("g++"));
  EXPECT_THAT(names_of(compilers_in_cmake_cache("CMAKE_HIP_COMPILER_LAUNCHER:STRING=sccache;-x\n", findings_)),
              IsEmpty());
  EXPECT_THAT(texts_of(findings_),
              ElementsAre("compile_commands.json puts ccache before the compiler; put hipcache in its place",
                          "CMakeCache.txt puts sccache before the compiler; put hipcache in its place"));
}

TEST_F(FindCompilers, OfABrokenDatabaseAreNone) {
  EXPECT_THAT(names_of(compilers_in_database("[{", findings_)), IsEmpty());
  EXPECT_THAT(texts_of(findings_), ElementsAre("compile_commands.json is no compilation database; write it anew"));
}

TEST_F(FindCompilers, AreBounded) {
  std::string json = "[";
  for (int at = 0; at < 100; ++at) json += R"({"command": "/c)" + std::to_string(at) + R"(/g++ -c a.cpp"},)";
  json.back() = ']';
  EXPECT_EQ(compilers_in_database(json, findings_).size(), kMostCompilers);
}

TEST(WordsOfACommand, FollowQuotesAndBackslashes) {
  EXPECT_THAT(words_of(R"(a  "b c"'d e' f\ g "h\"i" '' j\)"), ElementsAre("a", "b cd e", "f g", "h\"i", "", "j\\"));
  EXPECT_THAT(words_of(""), IsEmpty());
}

TEST(ProgramKinds, AreToldByTheFile) {
  const support::Scratch scratch;
  EXPECT_EQ(program_at("/bin/sh").value().kind, ProgramKind::dynamic);
  EXPECT_EQ(program_at(scratch.write("script", "#!/bin/sh\n")).value().kind, ProgramKind::script);
  EXPECT_EQ(program_at(scratch.write("text", "text")).value().kind, ProgramKind::other);
  EXPECT_EQ(program_at(scratch.write("empty", "")).value().kind, ProgramKind::other);
  EXPECT_EQ(program_at(scratch.write("cut", "\177ELF\2")).value().kind, ProgramKind::other);
  EXPECT_FALSE(program_at(scratch / "none"));
}

TEST(ProgramKinds, AProgramWithoutALoaderIsStatic) {
  std::string bytes = support::read_bytes("/bin/sh").substr(0, 4096);
  bytes[56] = bytes[57] = 0;  // e_phnum
  const support::Scratch scratch;
  EXPECT_EQ(program_at(scratch.write("static", bytes)).value().kind, ProgramKind::static_elf);
}

TEST(ProgramKinds, ALinkToAnotherCacheIsThatCache) {
  const support::Scratch scratch;
  scratch.write("usr/bin/ccache", "#!/bin/sh\n");
  const Program program = program_at(scratch.link("lib/ccache/g++", scratch / "usr/bin/ccache")).value();
  EXPECT_EQ(program.kind, ProgramKind::other_cache);
  EXPECT_TRUE(program.real_path.ends_with("/usr/bin/ccache"));
  EXPECT_TRUE(is_other_cache("sccache"));
  EXPECT_FALSE(is_other_cache("hipcache"));
}

TEST(ProgramKinds, ALinkNamedLikeAnotherCacheToHipcacheIsNone) {
  const support::Scratch scratch;
  const std::string hipcache = scratch.write("bin/hipcache", "");
  EXPECT_FALSE(is_other_cache(scratch.link("links/ccache", hipcache)));
  EXPECT_FALSE(is_other_cache(scratch.link("links/sccache", hipcache)));
  EXPECT_TRUE(is_other_cache(scratch.write("real/ccache", "")));
}

}  // namespace
}  // namespace hipcache::cli
