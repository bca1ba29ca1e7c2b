// Shared libraries: the compiler's, and others that replace them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// A small library that every program of the toolchain loads by its name.
constexpr const char* kLibrary = "libgcc_s.so.1";

class LoaderStaleness : public Staleness {
 protected:
  static constexpr Steps kEverything{.device = 2, .bundle = 1, .host = 1, .probe = 1};
  // lld and the bundler are in another directory, and load their libraries from there.
  static constexpr Steps kCompilerChanged{.device = 2, .host = 1, .probe = 1};

  Arguments argv() const { return toolchain_.compile(); }

  // Sets another RUNPATH, of the same length as "$ORIGIN/../lib".
  void set_runpath(const std::string& program, const std::string& path) const {
    const std::string old = "$ORIGIN/../lib";
    ASSERT_EQ(path.size(), old.size());
    std::string bytes = support::read_bytes(toolchain_ / program);
    const std::size_t at = bytes.find(old);
    ASSERT_NE(at, std::string::npos);
    std::fstream(toolchain_ / program, std::ios::in | std::ios::out | std::ios::binary).seekp(static_cast<long>(at))
        << path;
  }

  Toolchain toolchain_{GetParam()};
};

TEST_P(LoaderStaleness, AReplacedLibraryOfTheCompilerIsNoticed) {
  copy_library(kLibrary, toolchain_ / "lib");
  warm(argv());
  toolchain_.append_byte(std::string("lib/") + kLibrary);
  expect_runs(kCompilerChanged, argv());
}

TEST_P(LoaderStaleness, ALibraryThatAppearsAmongTheCompilersOwnIsNoticed) {
  warm(argv());
  copy_library(kLibrary, toolchain_ / "lib");
  expect_runs(kCompilerChanged, argv());
  fs::remove(toolchain_ / (std::string("lib/") + kLibrary));
  expect_hit(argv());
}

TEST_P(LoaderStaleness, ALibraryThatAppearsWhereTheCompilerSaysIsNoticed) {
  set_runpath("bin/clang", "$ORIGIN/../own");
  const Variables path{{"LD_LIBRARY_PATH", toolchain_ / "lib"}};  // so that the libraries are found without the RUNPATH
  warm(argv(), path);
  copy_library(kLibrary, toolchain_ / "own");
  expect_runs(kCompilerChanged, argv(), path);
}

TEST_P(LoaderStaleness, ALibraryThatIsReplacedOrAppearsOnTheLibraryPathIsNoticed) {
  copy_library(kLibrary, project_ / "late");
  const Variables path{{"LD_LIBRARY_PATH", (project_ / "early") + ":" + (project_ / "late")}};
  warm(argv(), path);
  std::ofstream(project_ / (std::string("late/") + kLibrary), std::ios::app) << '\0';
  expect_runs(kEverything, argv(), path);
  copy_library(kLibrary, project_ / "early");
  expect_runs(kEverything, argv(), path);
}

TEST_P(LoaderStaleness, ALibraryForTheProcessorThatAppearsIsNoticed) {
  copy_library(kLibrary, project_ / "libraries");
  const Variables path{{"LD_LIBRARY_PATH", project_ / "libraries"}};
  warm(argv(), path);
  copy_library(kLibrary, project_ / "libraries/glibc-hwcaps/x86-64-v2");
  expect_runs(kEverything, argv(), path);
}

TEST_P(LoaderStaleness, ALibraryPathSeenFromTheProgramIsFollowed) {
  const Variables path{{"LD_LIBRARY_PATH", "$ORIGIN/../extra"}};
  warm(argv(), path);
  copy_library(kLibrary, toolchain_ / "extra");
  expect_runs(kCompilerChanged, argv(), path);
}

TEST_P(LoaderStaleness, ALibraryPathThatLeadsToNoneOfTheLibrariesIsNoInput) {
  project_.write("others/libother.so.1", "no library of the compiler's");
  const std::string empty = project_.make_directory("empty");
  warm(argv());
  for (const std::string& path : {empty, project_ / "absent", project_ / "others", empty + ":" + (project_ / "others")})
    expect_hit(argv(), {{"LD_LIBRARY_PATH", path}});
}

TEST_P(LoaderStaleness, ACompileMadeWithALibraryPathThatLeadsToNothingIsGoodWithoutIt) {
  warm(argv(), {{"LD_LIBRARY_PATH", project_.make_directory("empty")}});
  expect_hit(argv());
}

TEST_P(LoaderStaleness, ALibraryPathThatLeadsToALibraryOfTheCompilersIsAnInput) {
  copy_library(kLibrary, project_ / "libraries");
  const Variables path{{"LD_LIBRARY_PATH", project_ / "libraries"}};
  warm(argv());
  expect_runs(kEverything, argv(), path);
  expect_hit(argv(), path);
  expect_hit(argv());
}

TEST_P(LoaderStaleness, APreloadedLibraryIsAnInput) {
  copy_library(kLibrary, project_ / "preloaded");
  const std::string library = project_ / (std::string("preloaded/") + kLibrary);
  const Variables preload{{"LD_PRELOAD", library}};
  warm(argv());
  expect_runs(kEverything, argv(), preload);
  std::ofstream(library, std::ios::app) << '\0';
  expect_runs(kEverything, argv(), preload);
  expect_hit(argv());
}

TEST_P(LoaderStaleness, APreloadedLibraryThatIsMissingMakesACompileOpaqueForItsMessages) {
  warm(argv());
  expect_opaque(argv(), {{"LD_PRELOAD", project_ / "absent.so"}});
}

TEST_P(LoaderStaleness, SettingsOfTheLoaderAreInputs) {
  warm(argv());
  expect_runs(kEverything, argv(), {{"GLIBC_TUNABLES", "glibc.malloc.check=0"}});
  expect_hit(argv());
}

INSTANTIATE_TEST_SUITE_P(Compilers, LoaderStaleness, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
