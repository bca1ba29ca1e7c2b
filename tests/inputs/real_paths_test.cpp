#include "inputs/observe/links.h"

#include <gtest/gtest.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "support/scratch.h"
#include "support/system_calls.h"

namespace hipcache::inputs {
namespace {

TEST(RealPaths, AreThoseOfTheLibrary) {
  const support::Scratch scratch;
  scratch.write("two/a", "");
  scratch.link("l", "two");
  scratch.link("two/b", "a");
  scratch.link("two/back", "..");
  scratch.link("two/dangling", "nowhere");
  RealPaths real_paths;
  for (const std::string name : {"two/a", "l/a", "l/b", "two/b", "l/../two/a", "two/./a", "two//a", "l/back/l/b", "l/",
                                 "two/.", "l/..", "two/back", "two/dangling", "two/none", "none/a", "two/a/b"}) {
    char resolved[PATH_MAX];
    const bool resolves = ::realpath((scratch / name).c_str(), resolved) != nullptr;
    for (const char* time : {"first", "again"})
      EXPECT_EQ(real_paths.of(scratch / name), resolves ? std::optional<std::string>(resolved) : std::nullopt)
          << name << ", " << time;
  }
  EXPECT_EQ(real_paths.of("/"), "/");
  EXPECT_EQ(real_paths.of("/usr"), "/usr");
}

TEST(RealPaths, TakeOneCallForEachFileAndTheirDirectoryOnce) {
  const support::Scratch scratch;
  for (int i = 0; i < 50; ++i) scratch.write("d/e/f/a" + std::to_string(i), "");
  auto calls = support::system_calls_of([&] {
    RealPaths real_paths;
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(real_paths.of(scratch / ("d/e/f/a" + std::to_string(i))));
  });
  std::uint64_t links = calls[SYS_readlinkat];
#ifdef SYS_readlink
  links += calls[SYS_readlink];
#endif
  EXPECT_GE(links, 50u);
  EXPECT_LE(links, 50u + 20u);
}

}  // namespace
}  // namespace hipcache::inputs
