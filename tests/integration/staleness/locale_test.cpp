// Tables of character sets, which libc opens by itself. For locales see fixtures/cases/locale.toml.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCharacterSets = "/usr/lib/x86_64-linux-gnu/gconv";

class LocaleStaleness : public OpaqueCompile, public testing::Test {};

// The source has a byte that is no UTF-8.
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

// In a mount namespace of the test's own, where the test writes the system's tables of character sets.
class CharacterSets : public OpaqueCompile, public testing::Test {
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

  const Arguments argv_ = words("gcc -finput-charset=OWN -c a.c -o a.o");
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
