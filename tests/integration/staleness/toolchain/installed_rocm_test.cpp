// clang's driver lists /opt to find the newest ROCm. Few names count there (inputs/rules/path_class.h).
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlace = "/opt";

// In a mount namespace of the test's own, where the test may install packages.
class InstalledRocm : public Staleness {
 protected:
  void SetUp() override {
    const bool ready = unshare(CLONE_NEWNS) == 0 && mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount(own_.path().c_str(), kPlace, nullptr, MS_BIND, nullptr) == 0;
    if (!ready) GTEST_SKIP() << "no mount namespace of the test's own";
    mounted_ = true;
  }
  void TearDown() override { EXPECT_TRUE(!mounted_ || umount2(kPlace, MNT_DETACH) == 0); }

  void install(const std::string& package) const { own_.write(package + "/bin/program", ""); }

  // Looks for a ROCm: no option names one.
  Arguments searching() const { return without(command("-O1 -nogpuinc"), "--rocm-path="); }
  Arguments plain() const { return {GetParam().program(), "-c", "b.cpp", "-o", "b.o"}; }

  support::Scratch own_;
  bool mounted_ = false;
};

TEST_P(InstalledRocm, AnotherPackageIsNoInput) {
  project_.write("b.cpp", "int one() { return 1; }\n");
  install("first");
  warm(searching());
  EXPECT_EQ(check(plain()).misses, 1);
  install("second");
  fs::remove_all(own_ / "first");
  expect_hit(searching());
  EXPECT_EQ(check(plain()).hits, 1);
}

TEST_P(InstalledRocm, AnotherVersionOfRocmIsAnInputOfWhoLooksForIt) {
  install("rocm-1.0.0");
  warm(searching());
  install("rocm-2.0.0");
  EXPECT_GE(check(searching()).run.at("probe"), 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, InstalledRocm, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
