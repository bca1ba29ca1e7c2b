// What LD_PRELOAD names: a library that cannot be loaded is passed over with a message, and may be loaded later.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// The library adds a directory to the search path of each program that loads it.
class PreloadedLater : public Staleness {
 protected:
  PreloadedLater() {
    project_.write("found/later.h", "#define VALUE 7\n");
    project_.write("b.cpp",
                   "#if __has_include(<later.h>)\n#include <later.h>\n#else\n#define VALUE 0\n#endif\n"
                   "int value = VALUE;\n");
    project_.write("l.c",
                   "#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) {\n"
                   "  setenv(\"CPATH\", \"" +
                       project_ / "found" + "\", 1);\n}\n");
    const Ended made = run({"gcc", "-shared", "-fPIC", project_ / "l.c", "-o", project_ / "made.so"}, "/");
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }

  void install(const std::string& name) const {
    fs::create_directories(fs::path(project_ / name).parent_path());
    fs::copy_file(project_ / "made.so", project_ / name, fs::copy_options::overwrite_existing);
  }

  // The entry is passed over, then the library is loaded, then it is gone. Messages are compared each time.
  void expect_noticed(const std::string& entry, const std::string& name, const Variables& more = {}) {
    for (const Arguments& argv :
         {Arguments{GetParam().program(), "-c", "b.cpp", "-o", "b.o"}, words("g++ -c b.cpp -o b.o")}) {
      Variables variables = more;
      variables["LD_PRELOAD"] = entry;
      check(argv, variables);
      EXPECT_EQ(check(argv, variables).hits, 1) << entry;
      install(name);
      EXPECT_EQ(check(argv, variables).hits, 0) << entry;
      EXPECT_EQ(check(argv, variables).hits, 1) << entry;
      fs::remove(project_ / name);
      EXPECT_EQ(check(argv, variables).hits, 1) << entry;
    }
  }
};

TEST_P(PreloadedLater, ByAPathThatIsAbsentFirst) { expect_noticed(project_ / "lib/l.so", "lib/l.so"); }

TEST_P(PreloadedLater, ByARelativePath) { expect_noticed("./lib/l.so", "lib/l.so"); }

TEST_P(PreloadedLater, AmongOtherEntries) {
  expect_noticed("libc.so.6:" + (project_ / "none.so") + " " + (project_ / "l.so"), "l.so");
}

TEST_P(PreloadedLater, ByAPathWithATokenInIt) { expect_noticed(project_ / "$LIB/l.so", "lib/x86_64-linux-gnu/l.so"); }

TEST_P(PreloadedLater, ByItsNameAlone) {
  expect_noticed("libof-no-system.so.1", "lib/libof-no-system.so.1", {{"LD_LIBRARY_PATH", project_ / "lib"}});
}

TEST_P(PreloadedLater, WhereAFileWasThatIsNoLibrary) {
  const std::string library = project_.write("l.so", "no library");
  const Variables variables{{"LD_PRELOAD", library}};
  const Arguments argv = words("g++ -c b.cpp -o b.o");
  check(argv, variables);
  EXPECT_EQ(check(argv, variables).hits, 1);
  install("l.so");
  EXPECT_EQ(check(argv, variables).hits, 0);
}

// Why the loader passed it over, and when it will not, cannot be asked.
TEST_P(PreloadedLater, WhereALibraryWasThatTheLoaderRefusesNothingIsStored) {
  fs::copy_file("/bin/true", project_ / "l.so");
  const Arguments argv = words("g++ -c b.cpp -o b.o");
  const Variables variables{{"LD_PRELOAD", project_ / "l.so"}};
  check(argv, variables);
  EXPECT_EQ(check(argv, variables).not_stored.at("trace"), 1);
  install("l.so");
  EXPECT_EQ(check(argv, variables).hits, 0);
  EXPECT_EQ(check(argv, variables).hits, 1);
}

// As container images set it for all processes. It opens its files by system calls that no function of libc makes.
TEST_P(PreloadedLater, AnAllocatorWithSettingsOfItsOwnIsCachedWithThem) {
  const std::string allocator = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2";
  if (!fs::exists(allocator)) GTEST_SKIP() << "no jemalloc";
  for (const std::string& entry : {allocator, std::string("libjemalloc.so.2")}) {
    check(command(), {{"LD_PRELOAD", entry}});
    expect_hit(command(), {{"LD_PRELOAD", entry}});
  }
}

TEST_P(PreloadedLater, WhatALibraryReadsBySystemCallsIsAnInput) {
  project_.write("l.c", R"(#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void) {
  char path[4096];
  long size = syscall(SYS_readlinkat, AT_FDCWD, "settings", path, sizeof path - 1);
  if (size <= 0) {
    const int file = (int)syscall(SYS_openat, AT_FDCWD, "include.txt", O_RDONLY);
    size = read(file, path, sizeof path - 1);
  }
  path[size > 0 ? size : 0] = 0;
  if (size > 0) setenv("CPATH", path, 1);
}
)");
  ASSERT_EQ(run({"gcc", "-shared", "-fPIC", project_ / "l.c", "-o", project_ / "l.so"}, "/").exit_code, 0);
  const Variables variables{{"LD_PRELOAD", project_ / "l.so"}};
  for (const Arguments& argv :
       {Arguments{GetParam().program(), "-c", "b.cpp", "-o", "b.o"}, words("g++ -c b.cpp -o b.o")}) {
    check(argv, variables);
    EXPECT_EQ(check(argv, variables).hits, 1);
    project_.write("include.txt", project_ / "found");
    EXPECT_EQ(check(argv, variables).hits, 0);
    EXPECT_EQ(check(argv, variables).hits, 1);
    project_.link("settings", project_ / "nowhere");
    EXPECT_EQ(check(argv, variables).hits, 0);
    EXPECT_EQ(check(argv, variables).hits, 1);
    fs::remove(project_ / "settings");
    EXPECT_EQ(check(argv, variables).hits, 1);
    fs::remove(project_ / "include.txt");
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, PreloadedLater, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
