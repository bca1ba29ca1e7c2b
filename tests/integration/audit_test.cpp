// Audits of hits (HIPCACHE_AUDIT): a hit is compiled again and compared. Compilers with an input that no trace sees
// give entries that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hipcache/base/files.h"
#include "integration/support/opaque_compile.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const Variables kAudited{{"HIPCACHE_AUDIT", "1"}};

// "hits/differences/void/skipped"
std::string audits(const Cache& cache) {
  const nlohmann::json audit = cache.counts().json.at("audit");
  std::string text;
  for (const char* name : {"hits", "differences", "void", "skipped"})
    text += (text.empty() ? "" : "/") + std::to_string(audit.at(name).get<int>());
  return text;
}

// "served", and why there are none any more.
std::string token_hits(const Cache& cache) {
  const nlohmann::json hits = cache.counts().json.at("token_hits");
  return std::to_string(hits.at("served").get<int>()) + hits.at("off").get<std::string>();
}

// The directories with evidence, oldest first.
std::vector<std::string> evidence(const Cache& cache) {
  const std::string all = cache.daemon_directory() + "/audit";
  std::vector<std::string> paths;
  const Result<std::vector<std::string>> names = list_directory(all);
  if (names)
    for (const std::string& name : *names) paths.push_back(join_path(all, name));
  return paths;
}

class AuditOfHip : public SingleCompile {};

TEST_P(AuditOfHip, MakesAGoodHitAgainAndFindsItEqual) {
  check(command());
  const std::string object = support::read_bytes(project_ / "a.o");
  const Counts audited = check(command(), kAudited);
  EXPECT_EQ(audited.run.at("device"), 2) << audited.json.dump();
  EXPECT_EQ(audited.run.at("host"), 1);
  EXPECT_EQ(audited.run.at("bundle"), 1);
  EXPECT_EQ(audited.run.at("probe"), 1);
  EXPECT_EQ(audited.misses, 1);
  EXPECT_EQ(audited.errors, 0);
  EXPECT_EQ(audits(cache_), "1/0/0/0");
  EXPECT_EQ(support::read_bytes(project_ / "a.o"), object);
  EXPECT_EQ(check(command()).hits, 1) << "the entry stays";
  EXPECT_EQ(audits(cache_), "1/0/0/0");
  EXPECT_TRUE(evidence(cache_).empty());
}

TEST_P(AuditOfHip, MakesStoredStepsOfANewRequestAgain) {
  const auto compile = [](const std::vector<std::string>& gpus) {
    return GetParam().hip() + archs(gpus) + words("-O1 -MD -c a.hip -o a.o");
  };
  check(compile({"gfx906"}));
  const Counts audited = check(compile({"gfx906", "gfx1030"}), kAudited);
  EXPECT_EQ(audited.run.at("device"), 2) << audited.json.dump();
  EXPECT_EQ(audits(cache_), "1/0/0/0");
  EXPECT_EQ(check(compile({"gfx906", "gfx1030"})).hits, 1) << "what was new is stored";
}

TEST_P(AuditOfHip, LeavesMissesAlone) {
  const Counts cold = check(command(), kAudited);
  EXPECT_EQ(cold.misses, 1);
  EXPECT_EQ(audits(cache_), "0/0/0/0");
}

TEST_P(AuditOfHip, SkipsACacheThatMayNotBeWritten) {
  check(command());
  EXPECT_EQ(check(command(), {{"HIPCACHE_AUDIT", "1"}, {"HIPCACHE_READONLY", "1"}}).hits, 1);
  EXPECT_EQ(audits(cache_), "0/0/0/1");
}

TEST_P(AuditOfHip, MakesAHitByTokensAgainAndFindsItEqual) {
  const std::string source = support::read_bytes(project_ / "a.hip");
  check(command());
  project_.write("a.hip", source + "// other words\n");
  EXPECT_EQ(check(command()).hits, 1);
  EXPECT_EQ(token_hits(cache_), "1") << "the request's";
  const Counts audited = check(command(), kAudited);
  EXPECT_EQ(audited.run.at("device"), 2) << audited.json.dump();
  EXPECT_EQ(audited.run.at("host"), 1);
  EXPECT_EQ(audits(cache_), "1/0/0/0");
  EXPECT_EQ(check(command()).hits, 1);
  EXPECT_EQ(token_hits(cache_), "2");
  project_.write("a.hip", source);
  EXPECT_EQ(check(command()).hits, 1);
  EXPECT_EQ(token_hits(cache_), "2") << "of the same bytes";
}

TEST_P(AuditOfHip, CountsEachStepThatIsFoundByTokens) {
  const auto compile = [](const std::vector<std::string>& gpus) {
    return GetParam().hip() + archs(gpus) + words("-O1 -c a.hip -o a.o");
  };
  check(compile({"gfx906"}));
  project_.write("a.hip", support::read_bytes(project_ / "a.hip") + "// other words\n");
  const Counts more = check(compile({"gfx906", "gfx1030"}));
  EXPECT_EQ(more.run.at("device gfx1030"), 1) << more.json.dump();
  EXPECT_EQ(more.hit.at("device gfx906"), 1);
  EXPECT_EQ(more.hit.at("host"), 1);
  EXPECT_EQ(token_hits(cache_), "2");
  EXPECT_EQ(check(compile({"gfx906", "gfx1030"})).hits, 1);
  EXPECT_EQ(token_hits(cache_), "3") << "the request rests on steps of other bytes";
}

INSTANTIATE_TEST_SUITE_P(Compilers, AuditOfHip, testing::ValuesIn(kOneCompiler), name_of);

class AuditOfOpaque : public OpaqueCompile, public testing::TestWithParam<std::string> {};

TEST_P(AuditOfOpaque, MakesAGoodHitAgainAndFindsItEqual) {
  project_.write("a.cpp", "#include <vector>\nint sum(int unused) { return std::vector<int>{1, 2}.back(); }\n");
  const Arguments argv = Arguments{GetParam()} + words("-O1 -g -Wextra -MD -c a.cpp -o a.o");
  check(argv);
  const Counts audited = check(argv, kAudited);
  EXPECT_EQ(audited.run.at("host"), 1) << audited.json.dump();
  EXPECT_EQ(audits(cache_), "1/0/0/0");
  const Counts hit = check(argv);
  EXPECT_EQ(hit.hits, 1);
  EXPECT_EQ(hit.run.at("host"), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, AuditOfOpaque, testing::Values("g++", "clang++-19"));

TEST(AuditOfArchives, RunsTheCommandOnTheArchiveAsItWas) {
  const support::Scratch project;
  const Cache cache;
  project.write("a.c", "int a(void) { return 1; }\n");
  ASSERT_EQ(run(words("gcc -c a.c -o a.o"), project.path()).exit_code, 0);
  const auto make = [&](const Variables& variables) {
    fs::remove(project / "liba.a");
    EXPECT_EQ(cache.run(words("ar qcD liba.a a.o"), project.path(), variables).exit_code, 0);
    return support::read_bytes(project / "liba.a");
  };
  const std::string archive = make({});
  const Counts before = cache.counts();
  EXPECT_EQ(make(kAudited), archive);
  const Counts counted = cache.counts() - before;
  EXPECT_EQ(counted.run.at("archive"), 1) << counted.json.dump();
  EXPECT_EQ(audits(cache), "1/0/0/0") << counted.json.dump();
}

// Compiles by a compiler that depends on the file "hidden".
class WrongEntries : public testing::Test {
 protected:
  WrongEntries() {
    fs::copy(HIDING_COMPILER, compiler_);
    // Not by the name of a driver, or the hiding program would be a wrapper, which runs each time.
    fs::copy(fs::canonical("/usr/bin/gcc"), compilers_ / "llc");
    project_.write("a.c", "#include \"a.h\"\nint hidden = HIDDEN;\n");
    project_.write("a.h", "#define OF_A_HEADER\n");
    hide("1");
  }

  void hide(const std::string& text) { project_.write("hidden", text + "\n"); }

  Variables variables(const Variables& more) const {
    Variables all{{"REAL_COMPILER", compilers_ / "llc"},
                  {"COMPILER_PATH", gccs_directory_},
                  {"HIPCACHE_COMPILERS", "hiding=gcc"}};
    for (const auto& [name, value] : more) all[name] = value;
    return all;
  }

  // Returns the object; "" if the compile failed.
  std::string compile(const Cache& cache, const Variables& more = {}) {
    fs::remove(project_ / "a.o");
    ended_ = cache.run(Arguments{compiler_} + words("-c a.c -o a.o"), project_.path(), variables(more));
    return support::exists(project_ / "a.o") ? support::read_bytes(project_ / "a.o") : "";
  }

  Counts counted(const Cache& cache, const Variables& more = {}) {
    const Counts before = cache.counts();
    compile(cache, more);
    return cache.counts() - before;
  }

  std::string log() const { return support::read_bytes(log_); }

  support::Scratch compilers_, project_, logs_, shared_;
  const std::string compiler_ = compilers_ / "hiding";
  const std::string gccs_directory_ = fs::path(run({"gcc", "-print-prog-name=cc1"}, "/").out).parent_path();
  const std::string log_ = logs_ / "log";
  const Variables logged_{{"HIPCACHE_LOG", log_}};
  Cache cache_{logged_};
  Ended ended_;
};

TEST_F(WrongEntries, AreFoundLoggedKeptAndDropped) {
  const std::string first = compile(cache_);
  hide("2");
  ASSERT_EQ(compile(cache_), first) << "hipcache sees the hidden file; this test needs one that it cannot see";
  const std::string second = compile(cache_, kAudited);
  EXPECT_NE(second, first) << "the user gets what the compiler makes";
  EXPECT_EQ(audits(cache_), "1/1/0/0");
  EXPECT_EQ(cache_.counts().errors, 1);

  const std::vector<std::string> kept = evidence(cache_);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(support::read_bytes(kept[0] + "/0-stored"), first);
  EXPECT_EQ(support::read_bytes(kept[0] + "/0-made"), second);
  EXPECT_THAT(support::read_bytes(kept[0] + "/report"),
              AllOf(HasSubstr("directory " + project_.path() + "\n"), HasSubstr("\n0: file a.o (stored ")));
  for (const std::string& text : {std::string("an audit found"), digest_of(first).shown(), digest_of(second).shown(),
                                  "directory " + project_.path(), kept[0]})
    EXPECT_THAT(log(), HasSubstr(text));

  const Counts next = counted(cache_);
  EXPECT_EQ(next.run.at("host"), 1) << "the entry is dropped";
  EXPECT_EQ(support::read_bytes(project_ / "a.o"), second);
  EXPECT_EQ(counted(cache_).hits, 1) << "the new one is stored";
  EXPECT_EQ(support::read_bytes(project_ / "a.o"), second);
}

TEST_F(WrongEntries, AreFoundWhereTheCompileFailsNow) {
  compile(cache_);
  hide("*");
  EXPECT_EQ(compile(cache_, kAudited), "");
  EXPECT_EQ(ended_.exit_code, 1);
  EXPECT_THAT(ended_.err, HasSubstr("error:"));
  EXPECT_EQ(audits(cache_), "1/1/0/0");
  EXPECT_THAT(log(), HasSubstr("exit code (stored 0, now 1)"));
  EXPECT_EQ(compile(cache_), "") << "the entry is dropped";
}

TEST_F(WrongEntries, AreNotFoundByAnAuditWhoseInputsChange) {
  compile(cache_);
  hide("edit");
  const Counts edited = counted(cache_, kAudited);
  EXPECT_EQ(edited.run.at("host"), 1) << edited.json.dump();
  EXPECT_EQ(audits(cache_), "0/0/1/0");
  EXPECT_EQ(edited.errors, 0);
  EXPECT_TRUE(evidence(cache_).empty());
}

TEST_F(WrongEntries, OfASharedCacheAreNamedAndNotTakenAgain) {
  const std::string url = "file://" + shared_.path();
  {
    const Cache first({{"HIPCACHE_REMOTE", url}});
    compile(first);
    EXPECT_EQ(first.control("--flush").exit_code, 0);
  }
  {
    const Cache second({{"HIPCACHE_REMOTE", url + "?mode=ro"}});
    EXPECT_EQ(counted(second, kAudited).run.at("host"), 1);
    EXPECT_EQ(audits(second), "1/0/0/0") << "a good one of a shared cache";
    EXPECT_EQ(counted(second).hits, 1);
  }
  hide("2");
  const Cache third({{"HIPCACHE_REMOTE", url + "?mode=ro"}, {"HIPCACHE_LOG", log_}});
  compile(third, kAudited);
  EXPECT_EQ(audits(third), "1/1/0/0");
  EXPECT_THAT(log(), HasSubstr("from " + url + "?mode")) << "its value is not told";
  EXPECT_EQ(counted(third).run.at("host"), 1) << "the shared cache still has it";
  third.end_daemon(SIGTERM);
  EXPECT_EQ(counted(third).hits, 1) << "its own result is stored";
}

// The fake compiler reads the hidden file in the device step, whose codegen is split.
TEST_F(WrongEntries, OfADeviceStepAreDroppedWithTheRequestsResult) {
  const std::string driver = compilers_ / "clang++";
  fs::copy(OTHER_COMPILER, driver);
  project_.write("a.hip", "code, hidden\n");
  const auto compile = [&](const Variables& more) {
    const Counts before = cache_.counts();
    const Ended ended =
        cache_.run(Arguments{driver} + words("-x hip --offload-arch=gfx906 -O2 --offload-device-only -c a.hip -o a.o"),
                   project_.path(), more);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return cache_.counts() - before;
  };
  EXPECT_EQ(compile({}).run.at("front"), 1);
  hide("2");
  ASSERT_EQ(compile({}).hits, 1);
  ASSERT_THAT(support::read_bytes(project_ / "a.o"), HasSubstr("hidden\n1"));
  const Counts audited = compile(kAudited);
  EXPECT_EQ(audited.run.at("device"), 1) << audited.json.dump();
  EXPECT_EQ(audited.run.at("front"), 0) << "it runs as one";
  EXPECT_THAT(support::read_bytes(project_ / "a.o"), HasSubstr("hidden\n2"));
  EXPECT_EQ(audits(cache_), "1/1/0/0");
  EXPECT_THAT(log(), HasSubstr("a.o: device gfx906: an audit found"));
  EXPECT_THAT(log(), HasSubstr("a.o: request: an audit found"));
  EXPECT_EQ(compile({}).run.at("device"), 1);
  EXPECT_EQ(compile({}).hits, 1);
  EXPECT_THAT(support::read_bytes(project_ / "a.o"), HasSubstr("hidden\n2"));
}

}  // namespace
}  // namespace hipcache::integration
