// Files that libc opens by itself: the user's locale, message catalogues, tables of character sets.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstalled = "/usr/lib/locale/C.utf8";
constexpr const char* kCharacterSets = "/usr/lib/x86_64-linux-gnu/gconv";

class LocaleStaleness : public OpaqueCompile, public testing::Test {
 protected:
  // gcc warns about the source, with quotes in the locale's character set.
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

TEST_F(LocaleStaleness, ASilentCompileIsAHitInAnyLocale) {
  project_.write("a.c", "const char* word = \"\xc3\xa4\xe4\"; /* \xe4 */\nint one(void) { return 1; }\n");
  project_.write("b.cpp", "int two() { return 2; }\n");
  for (const std::string line : {"gcc -Wall -O1 -g -MD -c a.c -o a.o", "g++ -Wall -c b.cpp -o b.o"}) {
    expect_run(words(line), {{"LANG", "C"}, {"LC_ALL", ""}});
    expect_hit(words(line), {{"LANG", "C.UTF-8"}, {"LC_ALL", ""}});
    expect_hit(words(line), {{"LC_ALL", "C.UTF-8"}, {"LANGUAGE", "de:en"}});
    expect_hit(words(line), {{"LC_ALL", "de_DE.ISO-8859-1"}});
    expect_hit(words(line), {{"LANG", "xx_YY"}, {"LC_MESSAGES", "C.UTF-8"}, {"LC_CTYPE", "POSIX"}});
  }
}

TEST_F(LocaleStaleness, WhatIsPrintedIsOfTheLocale) {
  expect_run(command(), {{"LC_ALL", "C"}});
  expect_run(command(), {{"LC_ALL", "C.UTF-8"}});
  expect_hit(command(), {{"LC_ALL", "C"}});
}

// hipcache does not know what another program does with the locale.
TEST_F(LocaleStaleness, AScriptThatWritesTheSourceOfTheLocaleRuns) {
  const std::string script =
      project_.write("gcc", "#!/bin/sh\nexec /usr/bin/gcc -DLOCALE=\"\\\"$LC_ALL\\\"\" \"$@\"\n");
  fs::permissions(script, fs::perms::owner_all);
  project_.write("a.c", "const char* locale = LOCALE;\n");
  for (const char* locale : {"C", "POSIX"}) expect_run(words("./gcc -c a.c -o a.o"), {{"LC_ALL", locale}});
}

TEST_F(LocaleStaleness, WhatASpecsFileMakesOfItIsNotStored) {
  project_.write("a.c", "int one(void) { return sizeof(WORD); }\n");
  for (const char* variable : {"LC_ALL", "COLUMNS"}) {
    project_.write("own.specs", "*cpp:\n+ -DWORD=\\\"%:getenv(" + std::string(variable) + " )\\\"\n\n");
    for (const char* value : {"C", "POSIX", "C"})
      EXPECT_EQ(check(words("gcc -specs=own.specs -c a.c -o a.o"), {{variable, value}}).hits, 0) << variable;
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

// In a mount namespace of the test's own, where the test writes the system's tables of character sets.
class CharacterSets : public LocaleStaleness {
 protected:
  void SetUp() override {
    if (!fs::is_directory(kCharacterSets)) GTEST_SKIP() << "the tables lie elsewhere";
    for (const char* module : {"ISO8859-1.so", "ISO8859-7.so"})
      tables_.write(module, support::read_bytes(std::string(kCharacterSets) + "/" + module));
    tables_.write("gconv-modules", means("1"));
    project_.write("a.c", "const char* word = \"\xe4\";\n");
    const bool ready = unshare(CLONE_NEWNS) == 0 && mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount(tables_.path().c_str(), kCharacterSets, nullptr, MS_BIND, nullptr) == 0;
    if (!ready) GTEST_SKIP() << "no mount namespace of the test's own";
    mounted_ = true;
  }
  void TearDown() override { EXPECT_TRUE(!mounted_ || umount2(kCharacterSets, MNT_DETACH) == 0); }

  // A table that maps OWN to that part of ISO 8859.
  static std::string means(const std::string& part) {
    std::string table = "alias OWN// ISO-8859-" + part + "//\n";
    for (const std::string one : {"1", "7"})
      table += "module ISO-8859-" + one + "// INTERNAL ISO8859-" + one + " 1\nmodule INTERNAL ISO-8859-" + one +
               "// ISO8859-" + one + " 1\n";
    return table;
  }

  void expect_run_then_hit() {
    expect_run(argv_);
    expect_hit(argv_);
  }

  const Arguments argv_ = command("-finput-charset=OWN");
  support::Scratch tables_;
  bool mounted_ = false;
};

TEST_F(CharacterSets, InAnEditedTableAreSeen) {
  expect_run_then_hit();
  tables_.write("gconv-modules", means("7"));
  expect_run_then_hit();
  tables_.write("gconv-modules", means("1"));
  expect_hit(argv_);
}

TEST_F(CharacterSets, InATableBesideADamagedCacheAreSeen) {
  tables_.write("gconv-modules.cache", "damaged");
  expect_run_then_hit();
  tables_.write("gconv-modules", means("7"));
  expect_run_then_hit();
}

TEST_F(CharacterSets, InAFurtherTableAreSeen) {
  tables_.write("gconv-modules", "");
  tables_.write("gconv-modules.d/one.conf", means("1"));
  expect_run_then_hit();
  tables_.write("gconv-modules.d/one.conf", means("7"));
  expect_run_then_hit();
  fs::rename(tables_ / "gconv-modules.d/one.conf", tables_ / "gconv-modules.d/one.off");
  EXPECT_EQ(check(argv_).failed, 1);
  tables_.write("gconv-modules.d/other.conf", means("1"));
  expect_run_then_hit();
}

}  // namespace
}  // namespace hipcache::integration
