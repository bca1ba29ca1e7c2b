// A full disk disables the cache and fails no compile: exit code, object and messages are those of the compiler alone.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "hipcache/base/files.h"
#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// A small file system that can be filled. Mounting it needs root.
class SmallDisk {
 public:
  SmallDisk(std::string place, const std::string& options) : place_(std::move(place)) {
    EXPECT_EQ(mount("tmpfs", place_.c_str(), "tmpfs", 0, (options + ",mode=700").c_str()), 0)
        << "the tests run as root";
  }
  ~SmallDisk() { umount2(place_.c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  void fill() const {
    const UniqueFd ballast(open((place_ + "/ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    ASSERT_TRUE(ballast);
    const std::string piece(64 * 1024, 'x');
    while (write(ballast.get(), piece.data(), piece.size()) > 0) {
    }
  }
  void empty() const { fs::remove(place_ + "/ballast"); }

 private:
  std::string place_;
};

struct Language {
  std::string compiler;
  std::string name;  // stem of the source: "c", "c++", "hip"
};

void PrintTo(const Language& language, std::ostream* out) { *out << language.compiler << " " << language.name; }

class FullDisk : public testing::TestWithParam<Language> {
 protected:
  FullDisk() {
    const std::string warning = "int warned(int x) { int unused; return x; }\n";
    const std::string error = "int failed() { return nothing; }\n";
    project_.write("a.c", warning);
    project_.write("bad.c", warning + error);
    project_.write("a.cpp", warning);
    project_.write("bad.cpp", warning + error);
    if (GetParam().name != "hip") return;
    write_kernel(project_, "a.hip", warning);
    write_kernel(project_, "bad.hip", warning + error);
  }

  Arguments command(const std::string& stem) const {
    const std::string& name = GetParam().name;
    if (name == "hip") {
      const Compiler compiler{GetParam().compiler == "clang-15" ? "15" : "19"};
      return compiler.hip() + archs({"gfx906", "gfx1030"}) + words("-cuid=abc -Wall -O1 -c " + stem + ".hip -o a.o");
    }
    const std::string file = stem + (name == "c" ? ".c" : ".cpp");
    return words(GetParam().compiler + (name == "c" ? "" : " -x c++") + " -Wall -O1 -c " + file + " -o a.o");
  }

  std::string object() const { return project_ / "a.o"; }

  // The compile through the cache equals the compiler's own, byte for byte.
  void expect_as_alone(const Cache& cache, const std::string& stem, const Variables& variables = {}) {
    SCOPED_TRACE(stem);
    fs::remove(object());
    const Ended alone = run(command(stem), project_.path());
    const bool made = support::exists(object());
    const std::string bytes = made ? support::read_bytes(object()) : "";
    fs::remove(object());
    const Ended cached = cache.run(command(stem), project_.path(), variables);
    EXPECT_EQ(cached.exit_code, alone.exit_code);
    EXPECT_EQ(cached.out, alone.out);
    EXPECT_EQ(cached.err, alone.err);
    EXPECT_EQ(support::exists(object()), made);
    if (made && support::exists(object())) {
      EXPECT_EQ(support::read_bytes(object()) == bytes, true) << "another object";
    }
  }

  support::Scratch project_;
};

TEST_P(FullDisk, OfTheCacheDirectoryFailsNoCompileAndChangesNoMessage) {
  const std::string place = project_.make_directory("small");
  const SmallDisk disk(place, "size=16m");
  const Cache cache(Variables{{"HIPCACHE_DIR", place}});
  ASSERT_EQ(cache.control("--start-server").exit_code, 0);
  disk.fill();
  expect_as_alone(cache, "a");
  expect_as_alone(cache, "a");
  expect_as_alone(cache, "bad");
  disk.empty();
  expect_as_alone(cache, "a");
  expect_as_alone(cache, "bad");
  cache.control("--stop-server");
}

// Only compiles whose compiler, run alone, needs no room for temporary files.
class FullTemporaryDirectory : public FullDisk {};

// The temporary directory is the cache's disk too, so there is no other place. Files can be made there, but not
// written.
TEST_P(FullTemporaryDirectory, AndCacheFailNoCompileEither) {
  const std::string place = project_.make_directory("small");
  const SmallDisk disk(place, "size=16m");
  const Variables variables{{"HIPCACHE_DIR", place}, {"TMPDIR", place}};
  const Cache cache(variables);
  ASSERT_EQ(cache.control("--start-server").exit_code, 0);
  disk.fill();
  expect_as_alone(cache, "a", variables);
  expect_as_alone(cache, "bad", variables);
  cache.control("--stop-server");
}

TEST_P(FullDisk, WithoutRoomForOneMoreFileFailsNoCompile) {
  const std::string place = project_.make_directory("small");
  const SmallDisk disk(place, "size=64m,nr_inodes=64");
  const Cache cache(Variables{{"HIPCACHE_DIR", place}});
  ASSERT_EQ(cache.control("--start-server").exit_code, 0);
  int made = 0;
  while (UniqueFd(open((place + "/f" + std::to_string(made)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600))) ++made;
  expect_as_alone(cache, "a");
  expect_as_alone(cache, "bad");
  cache.control("--stop-server");
}

// A result that was stored before the disk filled is served.
TEST_P(FullDisk, OfTheCacheStillServesWhatIsStored) {
  const std::string place = project_.make_directory("small");
  const SmallDisk disk(place, "size=64m");
  const Cache cache(Variables{{"HIPCACHE_DIR", place}});
  expect_as_alone(cache, "a");
  const Counts before = cache.counts();
  disk.fill();
  expect_as_alone(cache, "a");
  const Counts after = cache.counts();
  EXPECT_EQ((after - before).hits, 1) << before.json.dump() << after.json.dump();
  cache.control("--stop-server");
}

// The compiler's messages need no room, and the compiler reports that the object's disk is full.
TEST_P(FullDisk, OfTheObjectIsTheCompilersToTell) {
  const std::string place = project_.make_directory("small");
  const SmallDisk disk(place, "size=4m");
  const Cache cache;
  Arguments full = command("a");
  full.back() = "small/a.o";
  ASSERT_EQ(cache.run(full, project_.path()).exit_code, 0);
  fs::remove(place + "/a.o");
  disk.fill();
  const Ended alone = run(full, project_.path());
  const Ended cached = cache.run(full, project_.path());
  EXPECT_EQ(cached.exit_code, alone.exit_code);
  EXPECT_NE(cached.exit_code, 0);
  EXPECT_FALSE(support::exists(place + "/a.o.hipcache-0"));
  disk.empty();
  fs::remove(place + "/a.o");
  EXPECT_EQ(cache.run(full, project_.path()).exit_code, 0);
  EXPECT_TRUE(support::exists(place + "/a.o"));
}

std::string name_of_language(const testing::TestParamInfo<Language>& info) {
  std::string name = info.param.compiler + "_" + info.param.name;
  for (char& letter : name)
    if (letter == '-' || letter == '+') letter = 'x';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Languages, FullDisk,
                         testing::Values(Language{"gcc", "c"}, Language{"gcc", "c++"}, Language{"clang-15", "hip"},
                                         Language{"clang-19", "c"}, Language{"clang-19", "c++"},
                                         Language{"clang-19", "hip"}),
                         name_of_language);

INSTANTIATE_TEST_SUITE_P(Languages, FullTemporaryDirectory,
                         testing::Values(Language{"clang-15", "c++"}, Language{"clang-19", "c"}), name_of_language);

}  // namespace
}  // namespace hipcache::integration
