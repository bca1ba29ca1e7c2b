// Places that may not be written to, and the umask. For the other places of outputs see fixtures/cases/place.toml.
#include <gtest/gtest.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// Root may write to read-only places. Programs that start while this object exists may not, whoever runs the test.
class WithoutPrivileges {
 public:
  WithoutPrivileges() : before_(prctl(PR_GET_SECUREBITS)) { prctl(PR_SET_SECUREBITS, before_ | SECBIT_NOROOT); }
  ~WithoutPrivileges() { prctl(PR_SET_SECUREBITS, before_); }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

 private:
  int before_;
};

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  ~Umask() { umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

class PlaceStaleness : public Staleness {
 protected:
  PlaceStaleness() { project_.make_directory("out"); }

  static constexpr const char* kDepfile = "-O1 -MD -MF a.d";

  // One arch is enough if nothing must happen between two.
  Arguments command(const std::string& flags = "-O1", const std::string& object = "a.o") const {
    return GetParam().hip() + archs({"gfx906"}) + words(flags) + Arguments{"-c", "a.hip", "-o", object};
  }

  // With the outputs' places as they are, the compile is a bypass for that reason, with that exit code.
  void expect_left_alone(const std::string& reason, int exit_code, const Arguments& argv) {
    SCOPED_TRACE(reason);
    const Counts counted = oracle_.check(argv);
    EXPECT_EQ(counted.passed, 1);
    EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.at("not_cached");
    EXPECT_EQ(oracle_.exit_code(), exit_code);
  }

  void remove_outputs() const {
    for (const char* name : {"a.o", "a.d"}) fs::remove_all(project_ / name);
  }
};

TEST_P(PlaceStaleness, ModesAreThoseOfTheUmaskAtEveryCompile) {
  for (const mode_t mask : {077, 002, 0}) {
    const Umask changed(mask);
    for (const char* name : {"a.o", "a.d"}) fs::remove(project_ / name);
    EXPECT_EQ(check(command(kDepfile)).hits, mask == 077 ? 0 : 1);
  }
}

TEST_P(PlaceStaleness, AReadOnlyOutputIsLeftToTheCompiler) {
  const WithoutPrivileges ordinary;
  for (const char* name : {"a.o", "a.d"}) {
    remove_outputs();
    fs::permissions(project_.write(name, "old"), fs::perms(0444));
    expect_left_alone("output-not-writable", 1, command(kDepfile));
    remove_outputs();
    warm(command(kDepfile + std::string(std::string(name) == "a.o" ? " -fwrapv" : " -fno-builtin")));
  }
}

TEST_P(PlaceStaleness, AnOutputInAReadOnlyDirectoryIsLeftToTheCompiler) {
  const WithoutPrivileges ordinary;
  const Arguments argv = command("-O1 -MD", "out/a.o");
  const auto allow = [this](int mode) { fs::permissions(project_ / "out", fs::perms(mode)); };
  allow(0555);
  expect_left_alone("output-not-writable", 1, argv);
  allow(0755);
  warm(argv);
  allow(0555);
  expect_left_alone("output-not-writable", 0, argv);  // the old ones are writable
  allow(0755);
}

INSTANTIATE_TEST_SUITE_P(Compilers, PlaceStaleness, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
