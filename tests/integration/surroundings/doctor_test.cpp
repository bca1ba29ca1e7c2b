// hipcache --doctor with real compilers, in good and bad surroundings.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

// Short, because the doctor's cache has to fit into the path of a socket.
std::string temporary(const support::Scratch& scratch) { return scratch.make_directory("t"); }

class Doctor : public testing::Test {
 protected:
  Ended doctor(const Arguments& compiler = {}, const Variables& variables = {},
               const std::string& directory = "/") const {
    Variables all{{"TMPDIR", temporary(scratch_)}};
    for (const auto& [name, value] : variables) all[name] = value;
    Arguments words{"--doctor"};
    if (!compiler.empty()) words = words + Arguments{"--"} + compiler;
    return cache_.run(words, directory, all);
  }

  // A directory with these links, before the system's in PATH.
  std::string path_with(const std::map<std::string, std::string>& links) const {
    scratch_.make_directory("bin");
    for (const auto& [name, target] : links) scratch_.link("bin/" + name, target);
    return scratch_ / "bin:/usr/bin:/bin";
  }

  // A healthy installation: each line is a finding, and none is an error.
  static void expect_good(const Ended& ended) {
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, Not(ContainsRegex("(^|\n)error ")));
    EXPECT_THAT(ended.out, HasSubstr("ok       hipcache "));
    EXPECT_THAT(ended.out, HasSubstr("ok       the daemon answers\n"));
  }

  static void expect_error(const Ended& ended, const std::string& text) {
    EXPECT_EQ(ended.exit_code, 1) << ended.out;
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, ContainsRegex("error +[^\n]*" + text));
  }

  support::Scratch scratch_;
  Cache cache_;
};

TEST_F(Doctor, FindsACompilerWhoseSecondCompileIsAHit) {
  const Ended clang = doctor({"clang++-19"});
  expect_good(clang);
  EXPECT_THAT(clang.out, HasSubstr("clang version 19"));
  EXPECT_THAT(clang.out, ContainsRegex("ok +clang\\+\\+-19: a C\\+\\+ compile is cached as one step: .* a hit"));
  const Ended gcc = doctor({"g++", "-O2"});
  expect_good(gcc);
  EXPECT_THAT(gcc.out, ContainsRegex("ok +g\\+\\+: a C\\+\\+ compile is cached as one step: .* a hit"));
}

TEST_F(Doctor, TellsThatHipCompilesAreSplit) {
  const Arguments hip = Compiler{"19"}.hip() + words("-nogpulib");
  const Ended old_driver = doctor(hip + archs({"gfx906", "gfx1030"}));
  expect_good(old_driver);
  EXPECT_THAT(old_driver.out, ContainsRegex("clang\\+\\+-19: a HIP compile is split by architecture: .* a hit"));
  EXPECT_THAT(doctor(hip + archs({"gfx906"}), {{"HIPCACHE_CUID", "keep"}}).out,
              HasSubstr("a HIP compile is cached as one step"))
      << "the setting counts in the trial";
}

TEST_F(Doctor, WithoutACompilerTriesThoseOfPath) {
  const Ended ended = doctor({}, {{"PATH", path_with({{"clang++", "/usr/bin/clang++-19"}, {"hipcc", "/bin/false"}})}});
  expect_good(ended);
  EXPECT_THAT(ended.out, HasSubstr("clang++: a C++ compile is cached as one step"));
  EXPECT_THAT(ended.out, HasSubstr("clang++: a HIP compile is split by architecture"));
  EXPECT_THAT(ended.out, HasSubstr("g++: a C++ compile is cached as one step"));
  EXPECT_THAT(ended.out, ContainsRegex("note +hipcc: a HIP compile fails"));
}

TEST_F(Doctor, TriesEachVersionOfACompilerOnce) {
  const Ended ended =
      doctor({}, {{"PATH", path_with({{"clang++", "/usr/bin/clang++-19"}, {"g++-99", "/usr/bin/g++"}})}});
  expect_good(ended);
  EXPECT_THAT(ended.out, ContainsRegex("ok +clang\\+\\+-15: a HIP compile is split by architecture"));
  for (const char* again : {"clang++-19: ", "g++-12: ", "g++-99: "})
    EXPECT_THAT(ended.out, Not(HasSubstr(std::string(" ") + again))) << "another name of clang++, of g++";
}

TEST_F(Doctor, TriesTheCompilersOfTheBuildInTheCurrentDirectory) {
  const std::string compiler =
      path_with({{"clang++", "/usr/bin/clang++-19"}}).substr(0, (scratch_ / "bin").size()) + "/clang++";
  scratch_.write("build/compile_commands.json",
                 R"([{"command": "ccache )" + compiler + R"( -x hip --offload-arch=gfx906 -c a.hip -o a.o"}])");
  const Ended ended = doctor({}, {{"PATH", "/usr/bin:/bin"}}, scratch_ / "build");
  expect_good(ended);
  EXPECT_THAT(ended.out, HasSubstr(compiler + ": a HIP compile is split by architecture"));
  EXPECT_THAT(ended.out,
              HasSubstr("warning  compile_commands.json puts ccache before the compiler; put hipcache in its place"));
}

TEST_F(Doctor, SaysWhatDoesWithoutTheLimitsOfHipcc) {
  if (access("/usr/bin/hipcc", X_OK) != 0) GTEST_SKIP() << "hipcc is not installed";
  const auto said_of = [&](const std::string& flag) {
    return doctor({"hipcc", "--offload-arch=gfx906", "-nogpulib", "-nogpuinc", flag}).out;
  };
  EXPECT_THAT(said_of("-O1"), Not(HasSubstr("may read any variable")));
  EXPECT_THAT(said_of("-DTEXT=$HOME"),  // which a shell of hipcc's might expand
              ContainsRegex("note +hipcc: a HIP compile is kept to this machine: hipcc, or what it runs, may read "
                            "any variable; [^\n]*; the clang that it runs, as clang\\+\\+ -x hip"));
  EXPECT_THAT(doctor({"g++"}).out, Not(HasSubstr("kept to this machine")));
}

TEST_F(Doctor, LeavesTheUsersStatisticsAndCacheAndNothingElse) {
  const Ended started = cache_.control("--start-server");
  ASSERT_EQ(started.exit_code, 0) << started.err;
  const Counts before = cache_.counts();
  expect_good(doctor({"g++"}));
  const nlohmann::json after = cache_.counts().json;
  EXPECT_EQ(after.at("compile_requests"), before.json.at("compile_requests"));
  EXPECT_EQ(after.at("store").at("actions"), 0);
  EXPECT_TRUE(fs::is_empty(temporary(scratch_)));
}

TEST_F(Doctor, NamesWrongSettings) {
  EXPECT_THAT(doctor({"g++"}, {{"HIPCACHE_MAXSIZE", "5G"}}).out,
              HasSubstr("warning  HIPCACHE_MAXSIZE is no variable of hipcache; is HIPCACHE_MAX_SIZE meant?\n"));
  EXPECT_THAT(doctor({"g++"}, {{"HIPCACHE_CONFIG", scratch_ / "none.toml"}}).out,
              HasSubstr("warning  HIPCACHE_CONFIG names " + (scratch_ / "none.toml")));
  EXPECT_THAT(doctor({"g++"}, {{"HIPCACHE_BASEDIR", scratch_ / "none"}}).out,
              HasSubstr("warning  basedir " + (scratch_ / "none") + " is no directory"));
  expect_error(doctor({"g++"}, {{"HIPCACHE_CONFIG", scratch_.write("h.toml", "maxsize = '5G'\n")}}),
               "is max_size meant");
  expect_error(doctor({"g++"}, {{"HIPCACHE_JOBS", "many"}}), "HIPCACHE_JOBS");
}

TEST_F(Doctor, NamesASettingThatTheRunningDaemonDoesNotUse) {
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  const Ended ended = doctor({"g++"}, {{"HIPCACHE_MAX_SIZE", "7G"}});
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("warning  HIPCACHE_MAX_SIZE is 7G, but the running daemon uses 20G;"));
}

TEST_F(Doctor, NamesACacheDirectoryThatCannotBeUsed) {
  fs::create_directory(cache_.directory());
  fs::permissions(cache_.directory(), fs::perms::all);
  expect_error(doctor({"g++"}), "is writable by others; chmod o-w");
}

TEST_F(Doctor, SaysWhatToDoWhereNoCacheDirectoryCanBeMade) {
  const std::string below = scratch_.write("file", "") + "/cache";
  expect_error(doctor({"g++"}, {{"HIPCACHE_DIR", below}}), "Not a directory; HIPCACHE_DIR may name another");
}

TEST_F(Doctor, NamesACompilerThatIsMissingOrFails) {
  expect_error(doctor({"no-such-clang++"}), "could not find compiler \"no-such-clang\\+\\+\" in PATH; install it");
  expect_error(doctor({"g++", "-no-such-option"}), "g\\+\\+: a C\\+\\+ compile fails: .*no-such-option");
}

TEST_F(Doctor, NamesACompilerWhoseResultsAreNotCached) {
  const Variables path{{"PATH", path_with({{"mycc", "/usr/bin/gcc"}})}};
  expect_error(doctor({"mycc"}, path),
               "mycc: a C compile is no hit the second time: not-a-compiler: .*"
               "HIPCACHE_COMPILERS=mycc");
  Variables named = path;
  named["HIPCACHE_COMPILERS"] = "mycc=gcc";
  expect_good(doctor({"mycc"}, named));
}

TEST_F(Doctor, NamesAnotherCacheInPath) {
  scratch_.write("cache/ccache", "#!/bin/sh\n");
  fs::permissions(scratch_ / "cache/ccache", fs::perms::owner_all);
  const Variables path{{"PATH", path_with({{"g++", scratch_ / "cache/ccache"}})}};
  EXPECT_THAT(doctor({}, path).out, ContainsRegex("warning +[^\n]*/bin/g\\+\\+ is another cache"));
  expect_error(doctor({"g++"}, path), "/bin/g\\+\\+ is another cache");
}

TEST_F(Doctor, AsksTheSharedCaches) {
  const std::string shared = scratch_.make_directory("shared");
  const Ended good = doctor({"g++"}, {{"HIPCACHE_REMOTE", "file://" + shared}});
  expect_good(good);
  EXPECT_THAT(good.out, ContainsRegex("ok +shared cache file://" + shared + "[^\n]* answers in [0-9.]+ ms"));
  EXPECT_TRUE(fs::is_empty(shared)) << "nothing of the trial is written to it";
  expect_error(doctor({"g++"}, {{"HIPCACHE_REMOTE", "http://127.0.0.1:1/"}}),
               "shared cache http://127.0.0.1:1 does not answer: fails: cannot connect: Connection refused");
}

TEST_F(Doctor, NamesAnEngineThatDoesNotAnswer) {
  expect_error(doctor({"g++"}, {{"HIPCACHE_EXECUTE", "grpc://127.0.0.1:1/"}}),
               "the engine grpc://127.0.0.1:1 cannot be used: ");
}

}  // namespace
}  // namespace hipcache::integration
