// Installing a library changes the loader's cache. A compile depends only on the cache's entries for the libraries that
// its programs load.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>

#include "integration/staleness/support/gate.h"
#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCache = "/etc/ld.so.cache";
constexpr const char* kLibrary = "libgcc_s.so.1";

// In a mount namespace of the test's own, where the test may write the cache.
class InstalledLibraries : public Staleness {
 protected:
  void SetUp() override {
    own_.write("cache", support::read_bytes(kCache));
    const bool ready = unshare(CLONE_NEWNS) == 0 && mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount((own_ / "cache").c_str(), kCache, nullptr, MS_BIND, nullptr) == 0;
    if (!ready) GTEST_SKIP() << "no mount namespace of the test's own";
    mounted_ = true;
  }
  void TearDown() override { EXPECT_TRUE(!mounted_ || umount2(kCache, MNT_DETACH) == 0); }

  // The cache that ldconfig makes for the system's directories and one more.
  void install(const std::string& directory) const {
    const Ended made = run({"/sbin/ldconfig", "-X", "-C", own_ / "made", directory}, "/");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string bytes = support::read_bytes(own_ / "made");
    ASSERT_NE(bytes, support::read_bytes(kCache));
    std::ofstream(kCache, std::ios::binary | std::ios::trunc) << bytes;
    ASSERT_EQ(support::read_bytes(kCache), bytes);
  }

  std::string unrelated_library(const std::string& name = "other") const {
    project_.write("other.c", "int other(void) { return 1; }\n");
    const std::string directory = own_.make_directory(name);
    const std::string file = "lib" + name + ".so.1";
    const Ended made = run(
        {"gcc", "-shared", "-fPIC", "-Wl,-soname," + file, project_ / "other.c", "-o", directory + "/" + file}, "/");
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return directory;
  }

  support::Scratch own_;
  bool mounted_ = false;
};

TEST_P(InstalledLibraries, AreNoInputWhereNoProgramOfTheCompileLoadsThem) {
  const Arguments opaque = words("g++ -O1 -c b.cpp -o b.o");
  project_.write("b.cpp", "int one() { return 1; }\n");
  const std::string directory = unrelated_library();
  warm(command());
  EXPECT_EQ(check(opaque).misses, 1);
  install(directory);
  expect_hit(command());
  EXPECT_EQ(check(opaque).hits, 1);
}

TEST_P(InstalledLibraries, AreAnInputWhereThePlaceOfALoadedOneIsAnother) {
  const Arguments opaque = words("g++ -O1 -c b.cpp -o b.o");
  project_.write("b.cpp", "int one() { return 1; }\n");
  for (const char* name : {kLibrary, "libz.so.1"}) {
    copy_library(name, own_ / "newer");
    std::ofstream(own_ / (std::string("newer/") + name), std::ios::app) << '\0';
  }
  warm(command());
  EXPECT_EQ(check(opaque).misses, 1);
  install(own_ / "newer");
  const Counts counted = check(command());
  EXPECT_EQ(counted.run.at("device"), 2);
  EXPECT_EQ(counted.run.at("host"), 1);
  EXPECT_EQ(check(opaque).misses, 1);
}

// A package is installed while the compiler runs, after it was loaded.
class LibrariesInstalledMeanwhile : public InstalledLibraries {
 protected:
  static constexpr const char* kOpaque = "g++ -O1 -c b.cpp -o b.o";

  LibrariesInstalledMeanwhile() {
    project_.write("gate.h", "");
    project_.write("b.cpp", "#include \"gate.h\"\nint one() { return 1; }\n");
    write_kernel(project_, "a.hip", "#if defined(__HIP_DEVICE_COMPILE__)\n#include \"gate.h\"\n#endif\n");
  }
};

TEST_P(LibrariesInstalledMeanwhile, DoNotKeepAResultFromTheStoreIfNoProgramLooksForThem) {
  const std::string one = unrelated_library("one"), two = unrelated_library("two");
  EXPECT_EQ(check(words("g++ -O1 -c other.c -o other.o")).misses, 1) << "after which hipcache knows the loader's cache";
  hold_at_gate(cache_, project_.path(), command(), [&] { install(one); });
  EXPECT_EQ(cache_.counts().not_stored, (std::map<std::string, std::int64_t>{}));
  expect_hit(command());
  hold_at_gate(cache_, project_.path(), words(kOpaque), [&] { install(two); });
  EXPECT_EQ(cache_.counts().not_stored, (std::map<std::string, std::int64_t>{}));
  EXPECT_EQ(check(words(kOpaque)).hits, 1);
}

TEST_P(LibrariesInstalledMeanwhile, KeepAResultFromTheStoreIfALoadedOneIsFoundElsewhere) {
  copy_library("libz.so.1", own_ / "newer");
  project_.write("other.cpp", "int other() { return 1; }\n");
  EXPECT_EQ(check(words("g++ -O1 -c other.cpp -o other.o")).misses, 1);
  hold_at_gate(cache_, project_.path(), words(kOpaque), [&] { install(own_ / "newer"); });
  EXPECT_EQ(cache_.counts().not_stored, (std::map<std::string, std::int64_t>{{"input-changed", 1}}));
  EXPECT_EQ(check(words(kOpaque)).misses, 1);
  EXPECT_EQ(check(words(kOpaque)).hits, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, LibrariesInstalledMeanwhile, testing::ValuesIn(kOneCompiler), name_of);

INSTANTIATE_TEST_SUITE_P(Compilers, InstalledLibraries, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
