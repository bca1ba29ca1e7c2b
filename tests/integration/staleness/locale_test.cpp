// What libc opens by itself: the files of the user's locale, message catalogues, tables of character sets.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/whole_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstalled = "/usr/lib/locale/C.utf8";

class LocaleStaleness : public WholeCompile, public testing::Test {
 protected:
  // A source that gcc warns of, with quotes that are of the locale's character set.
  LocaleStaleness() { project_.write("a.c", "static int unused;\nint one(void) { return 1; }\n"); }

  void install(const std::string& name) const { fs::copy(kInstalled, locales_ / name, fs::copy_options::recursive); }
  Variables own_locale() const { return {{"LOCPATH", locales_.path()}, {"LC_ALL", "xx_YY.UTF-8"}}; }
  Arguments command(const std::string& flags = "") const { return words("gcc -Wall " + flags + " -c a.c -o a.o"); }

  support::Scratch locales_;
};

TEST_F(LocaleStaleness, ALocaleThatIsInstalledOrRemovedIsSeen) {
  if (!fs::is_directory(kInstalled)) GTEST_SKIP() << "there is no locale to copy";
  expect_run(command(), own_locale());
  expect_hit(command(), own_locale());
  install("xx_YY.utf8");
  expect_run(command(), own_locale());
  expect_hit(command(), own_locale());
  install("zz.utf8");
  expect_hit(command(), own_locale());
  fs::remove_all(locales_ / "xx_YY.utf8");
  expect_hit(command(), own_locale());
}

TEST_F(LocaleStaleness, ALocaleOfTheLanguageAloneIsSeen) {
  if (!fs::is_directory(kInstalled)) GTEST_SKIP() << "there is no locale to copy";
  expect_run(command(), own_locale());
  install("xx");
  EXPECT_EQ(check(command(), own_locale()).misses, 1);
  expect_hit(command(), own_locale());
}

TEST_F(LocaleStaleness, OrdinaryLocalesAreCached) {
  for (const char* locale : {"C", "C.UTF-8"}) {
    expect_run(command(), {{"LC_ALL", locale}});
    expect_hit(command(), {{"LC_ALL", locale}});
    expect_hit(command(), {{"LC_ALL", locale}, {"UNRELATED", "1"}});
  }
}

TEST_F(LocaleStaleness, CharacterSetsOfTheUsersAreNotFollowed) {
  project_.write("a.c", "const char* word = \"\\xe4\";\n");
  const Arguments argv = command("-finput-charset=ISO-8859-1");
  expect_run(argv);
  expect_hit(argv);
  for (int time = 0; time < 2; ++time) {
    const Counts counted = check(argv, {{"GCONV_PATH", project_.make_directory("tables")}});
    EXPECT_EQ(counted.misses, 1);
    EXPECT_EQ(counted.not_stored.at("trace"), 1) << counted.json.dump();
  }
  expect_hit(argv);
}

}  // namespace
}  // namespace hipcache::integration
