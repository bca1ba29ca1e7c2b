// Files of options: named, found by default, nested.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr Steps kEverything{.device = 2, .bundle = 1, .host = 1, .probe = 1};

class ConfigurationStaleness : public Staleness {
 protected:
  ConfigurationStaleness() {
    write_kernel(project_, "a.hip", "#ifdef VALUE\n__device__ int value = VALUE;\nint host_value = VALUE;\n#endif\n");
    fs::create_symlink("clang", toolchain_ / ("bin/" + driver_name()));
  }

  // clang 15 has a default file only for drivers that are named after a target.
  std::string driver_name() const { return clang15() ? "x86_64-linux-gnu-clang++" : "named-clang++"; }
  std::string default_name() const { return clang15() ? driver_name() + ".cfg" : "clang++.cfg"; }
  Arguments by_default(const std::string& flags = "-O1") const {
    return Toolchain::compile_by(toolchain_ / ("bin/" + driver_name()), flags);
  }

  Toolchain toolchain_{GetParam()};
};

TEST_P(ConfigurationStaleness, AnEditedFileIsReadAgainAndRunsWhatItChanges) {
  const Arguments argv = command("-O1 --config " + project_.write("flags.cfg", "-DVALUE=1\n"));
  warm(argv);
  project_.write("flags.cfg", "# a remark\n-DVALUE=1\n");
  expect_runs({.probe = 1}, argv);
  project_.write("flags.cfg", "-DVALUE=2\n");
  expect_runs(kEverything, argv);
  project_.write("flags.cfg", "-DVALUE=1\n");
  expect_hit(argv);
}

TEST_P(ConfigurationStaleness, AFileThatAnotherNamesIsReadAgain) {
  project_.write("more.cfg", "-DVALUE=1\n");
  const Arguments argv = command("-O1 --config " + project_.write("flags.cfg", "@more.cfg\n"));
  warm(argv);
  project_.write("more.cfg", "-DVALUE=2\n");
  expect_runs(kEverything, argv);
}

TEST_P(ConfigurationStaleness, AFileThatAsksForMoreThanIsUnderstoodMakesACompileOpaque) {
  const Arguments argv = command("-O1 --config " + project_.write("flags.cfg", "-DVALUE=1\n"));
  warm(argv);
  project_.write("flags.cfg", "-DVALUE=1 -save-temps\n");
  expect_opaque(argv);
}

TEST_P(ConfigurationStaleness, ADefaultFileThatAppearsIsEditedAndVanishesIsSeen) {
  const fs::path file = toolchain_ / ("bin/" + default_name());
  warm(by_default());
  toolchain_.write("bin/" + default_name(), "-DVALUE=1\n");
  expect_runs(kEverything, by_default());
  toolchain_.write("bin/" + default_name(), "-DVALUE=2\n");
  expect_runs(kEverything, by_default());
  fs::remove(file);
  expect_hit(by_default());
}

TEST_P(ConfigurationStaleness, ADefaultFileThatAppearsInTheUsersDirectoryIsSeen) {
  const std::string directory = project_.make_directory("user");
  const Arguments argv = by_default("-O1 --config-user-dir=" + directory);
  toolchain_.write("bin/" + default_name(), "-DVALUE=1\n");
  warm(argv);
  project_.write("user/" + default_name(), "-DVALUE=2\n");
  expect_runs(kEverything, argv);
  fs::remove(project_ / ("user/" + default_name()));
  expect_hit(argv);
}

TEST_P(ConfigurationStaleness, DefaultFilesCanBeSwitchedOffInTheEnvironment) {
  toolchain_.write("bin/" + default_name(), "-DVALUE=1\n");
  warm(by_default());
  const Variables off{{"CLANG_NO_DEFAULT_CONFIG", "1"}};
  if (clang15()) {
    expect_hit(by_default(), off);  // does not know the variable
  } else {
    expect_runs(kEverything, by_default(), off);
  }
  expect_hit(by_default());
}

TEST_P(ConfigurationStaleness, TheUsersHomeIsNoInput) {
  const std::string home = project_.make_directory("home");
  const Variables variables{{"HOME", home}, {"XDG_CONFIG_HOME", home + "/.config"}};
  warm(by_default());
  expect_hit(by_default(), variables);
  for (const std::string& directory : {std::string("home"), std::string("home/.config"), std::string("home/.llvm")})
    project_.write(directory + "/" + default_name(), "-DVALUE=1\n");
  expect_hit(by_default(), variables);
}

INSTANTIATE_TEST_SUITE_P(Compilers, ConfigurationStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
