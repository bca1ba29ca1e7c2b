// The fixture projects, built as users build: CMake in both of its styles, ninja -j8, hipcache as the launcher. The
// oracle then checks every compile that the build tool ran, which is a hit by now. The contents of objects, libraries
// and programs are checked separately.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

struct Build {
  std::string project;
  Compiler compiler;
};

void PrintTo(const Build& build, std::ostream* out) { *out << build.project << " " << build.compiler.program(); }

std::string build_name(const testing::TestParamInfo<Build>& info) {
  std::string name = info.param.project + "Clang" + info.param.compiler.version;
  std::erase(name, '-');
  return name;
}

// Splits a command line as the shell does that ninja gives it to.
Arguments shell_words(const std::string& command) {
  std::istringstream lines(run({"/bin/sh", "-c", "printf '%s\\n' " + command}, "/").out);
  Arguments list;
  for (std::string line; std::getline(lines, line);) list.push_back(line);
  return list;
}

class Projects : public testing::TestWithParam<Build> {
 protected:
  std::string build() const { return project_ / "build"; }

  void configure(const std::string& archs) const {
    const Ended ended = run({HIPCACHE_SOURCE "/fixtures/configure", GetParam().project, build(), "--clang",
                             GetParam().compiler.version, "--archs", archs, "--launcher", hipcache_program()},
                            "/", cache_.variables());
    ASSERT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  }

  // Builds, and returns what was counted meanwhile.
  Counts make() const {
    const Counts before = cache_.counts();
    const Ended ended = run({"ninja", "-j8", "-C", build()}, "/", cache_.variables());
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    return cache_.counts() - before;
  }

  // Expects code for every arch in the right files, and programs that run.
  void expect_contents(const std::string& archs) const {
    const Ended checked = run({HIPCACHE_SOURCE "/tests/checks/fixture_contents.sh", GetParam().project,
                               GetParam().compiler.version, archs, build()},
                              "/");
    EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  }

  void clean() const { EXPECT_EQ(run({"ninja", "-C", build(), "clean"}, "/").exit_code, 0); }

  // The bytes of the build's objects.
  Files objects() const {
    Files found = files_in(build());
    std::erase_if(found, [](const auto& file) { return !file.first.ends_with(".o"); });
    return found;
  }

  // The build's compiles through hipcache: the command without it, and the directory.
  struct Compile {
    Arguments argv;
    std::string directory;

    bool is_hip() const { return std::find(argv.begin(), argv.end(), "hip") != argv.end(); }
  };
  std::vector<Compile> compiles() const {
    const Ended database = run({"ninja", "-C", build(), "-t", "compdb"}, "/");
    const auto entries = nlohmann::json::parse(database.out.substr(database.out.find('[')));
    std::vector<Compile> compiles;
    for (const auto& entry : entries) {
      Arguments argv = shell_words(entry.at("command"));
      if (argv[0] != hipcache_program() || std::find(argv.begin(), argv.end(), "-c") == argv.end()) continue;
      argv.erase(argv.begin());
      compiles.push_back({argv, entry.at("directory")});
    }
    return compiles;
  }

  support::Scratch project_;
  Cache cache_;
};

// With one job, no unit of a build but the first reads clang's wrapper header itself, where options allow it.
class ProjectsOfManyUnits : public Projects {};

TEST_P(ProjectsOfManyUnits, ParseTheWrapperHeaderOnceInTheirFirstBuild) {
  configure("gfx906");
  const Ended ended = run({"ninja", "-j1", "-C", build()}, "/", cache_.variables());
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  const Counts counts = cache_.counts();
  const nlohmann::json& headers = counts.json.at("wrapper_headers");
  EXPECT_EQ(headers.at("made"), 2);
  EXPECT_GE(headers.at("used").get<int>() + headers.at("audited").get<int>(), 18) << counts.json.dump();
}

TEST_P(Projects, BuildColdThenHitRebuildTheSameBytesAndCompileOnlyAnAddedArch) {
  configure("gfx906");
  const auto all = compiles();
  const std::int64_t hip = std::count_if(all.begin(), all.end(), [](const Compile& each) { return each.is_hip(); });
  const std::int64_t plain = static_cast<std::int64_t>(all.size()) - hip;
  ASSERT_GE(hip, 7);
  ASSERT_GE(plain, 1);
  const Counts cold = make();
  EXPECT_EQ(cold.run.at("device"), hip);
  EXPECT_EQ(cold.run.at("host"), hip + plain) << "a compile that is no HIP is the host's, whole";
  EXPECT_EQ(cold.misses, hip + plain);

  clean();
  const Counts warm = make();
  EXPECT_EQ(warm.run.at("device") + warm.run.at("host") + warm.run.at("probe"), 0);
  EXPECT_EQ(warm.hits, hip + plain);

  const Files first = objects();
  EXPECT_GE(first.size(), all.size());
  EXPECT_EQ(cache_.control("--clear").exit_code, 0);
  clean();
  const Counts again = make();
  EXPECT_EQ(again.run.at("device"), hip);
  EXPECT_EQ(again.run.at("host"), hip + plain);
  EXPECT_TRUE(changes(first, objects()).empty()) << "a clean rebuild makes the same objects";

  configure("gfx906,gfx1030");
  const Counts added = make();
  EXPECT_EQ(added.run.at("device"), hip);
  EXPECT_EQ(added.run.at("device gfx1030"), hip);
  EXPECT_EQ(added.run.at("host"), 0);
  EXPECT_EQ(added.hit.at("host"), hip);
  EXPECT_EQ(added.partials, hip);

  cache_.end_daemon(SIGTERM);
  configure("gfx906,gfx1030,gfx90a");
  const Counts after = make();
  EXPECT_EQ(after.run.at("device"), hip) << "by a new daemon";
  EXPECT_EQ(after.run.at("device gfx90a"), hip);
  EXPECT_EQ(after.run.at("host") + after.run.at("proof"), 0);
  EXPECT_EQ(after.partials, hip);
  for (const Counts& each : {cold, warm, again, added, after}) EXPECT_EQ(each.errors + each.passed, 0);
  EXPECT_TRUE(cache_.leaves_nothing());

  for (const Compile& compile : compiles()) {
    Oracle oracle(cache_, compile.directory);
    EXPECT_EQ(oracle.check(compile.argv).hits, 1);
    EXPECT_EQ(oracle.exit_code(), 0);
  }
  expect_contents("gfx906,gfx1030,gfx90a");
}

INSTANTIATE_TEST_SUITE_P(Compilers, Projects,
                         testing::Values(Build{"cxx-style", {"15"}}, Build{"hip-language", {"19"}}), build_name);
INSTANTIATE_TEST_SUITE_P(Compilers, ProjectsOfManyUnits, testing::Values(Build{"hip-language", {"19"}}), build_name);

}  // namespace
}  // namespace hipcache::integration
