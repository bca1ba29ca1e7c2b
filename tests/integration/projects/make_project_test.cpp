// The fixture project that make builds with gcc. make passes its own options in MAKEFLAGS, and gcc asks for them each
// time. No option of make's costs a compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "integration/support/cache.h"
#include "integration/support/tree.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSources = 4;

class MakeProject : public testing::Test {
 protected:
  MakeProject() {
    fs::copy(HIPCACHE_SOURCE "/fixtures/projects/gcc-make", project_.path(), fs::copy_options::recursive);
    project_.make_directory("build");
  }

  Arguments make(const std::string& flags) const {
    return words("make --no-print-directory " + flags) + Arguments{"LAUNCHER=" + hipcache_program()};
  }

  // Builds all objects anew. Returns what hipcache counted meanwhile. Makes the header first: a compile is not stored
  // if it starts in the clock's tick in which an input was written.
  Counts build(const std::string& flags) {
    remove_objects();
    expect_success(run(make("build/include/small_config.h"), project_.path()));
    return counted_of([&] { expect_success(run(make(flags), project_.path(), cache_.variables())); });
  }

  // Runs make's compiles one after the other, without make.
  Counts compile_by_hand() {
    remove_objects();
    const Ended listed = run(make("-n"), project_.path(), cache_.variables());
    return counted_of([&] {
      std::istringstream lines(listed.out);
      for (std::string line; std::getline(lines, line);)
        if (line.starts_with(hipcache_program()))
          expect_success(run({"/bin/sh", "-c", line}, project_.path(), cache_.variables()));
    });
  }

  Files objects() const {
    Files found = files_in(project_ / "build");
    std::erase_if(found, [](const auto& file) { return !file.first.ends_with(".o") && !file.first.ends_with(".d"); });
    return found;
  }

  static void expect_only_hits(const Counts& counted) {
    EXPECT_EQ(counted.hits, kSources) << counted.json.dump();
    for (const auto& [step, number] : counted.run) EXPECT_EQ(number, 0) << step;
  }

  support::Scratch project_;

 private:
  template <typename Work>
  Counts counted_of(const Work& work) {
    const Counts before = cache_.counts();
    work();
    return cache_.counts() - before;
  }

  static void expect_success(const Ended& ended) { EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err; }

  void remove_objects() const {
    for (const auto& [name, text] : objects()) fs::remove(project_ / ("build/" + name));
  }

  Cache cache_;
};

TEST_F(MakeProject, HitsWithAnyNumberOfJobsWithOtherOptionsOfMakeAndWithoutMake) {
  const Counts cold = build("-j1");
  EXPECT_EQ(cold.run.at("host"), kSources);
  EXPECT_EQ(cold.misses, kSources);
  const Files first = objects();
  EXPECT_EQ(first.size(), 2 * kSources) << "objects and depfiles";
  for (const char* flags : {"-j2 -k", "-j3 --output-sync=target", "-j1"}) {
    SCOPED_TRACE(flags);
    expect_only_hits(build(flags));
    EXPECT_TRUE(changes(first, objects()).empty());
  }
  expect_only_hits(compile_by_hand());
  EXPECT_TRUE(changes(first, objects()).empty());
  EXPECT_EQ(run({project_ / "build/check"}, "/").out, "ok\n");
}

TEST_F(MakeProject, CompilesWhatIncludesTheGeneratedHeaderWhereItsTextIsAnother) {
  build("-j2");
  const std::string header = project_ / "include/small_config.h.in";
  project_.write("include/small_config.h.in", support::read_bytes(header) + "\n#define LATER 1\n");
  EXPECT_EQ(build("-j2").run.at("host"), kSources);
  expect_only_hits(build("-j1"));
}

}  // namespace
}  // namespace hipcache::integration
