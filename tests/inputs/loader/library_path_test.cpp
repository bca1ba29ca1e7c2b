#include "inputs/loader/library_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(LibraryPath, IsReadFromAProgram) {
  // Debian's clang has it for its own libraries.
  EXPECT_THAT(library_paths_of("/usr/lib/llvm-19/bin/clang"), ElementsAre("$ORIGIN/../lib"));
}

TEST(LibraryPath, IsNoneOfProgramsThatHaveNoneAndOfOtherFiles) {
  const support::Scratch scratch;
  EXPECT_THAT(library_paths_of("/bin/true"), IsEmpty());
  EXPECT_THAT(library_paths_of(scratch.write("text", "#!/bin/sh\n")), IsEmpty());
  EXPECT_THAT(library_paths_of(scratch / "absent"), IsEmpty());
  EXPECT_THAT(library_paths_of(scratch.path()), IsEmpty());
}

TEST(LibraryPath, IsNoneOfAFileThatIsCutShortSomewhere) {
  const support::Scratch scratch;
  const std::string whole = support::read_bytes("/usr/lib/llvm-19/bin/clang");
  const std::string copy = scratch.write("clang", whole);
  for (std::size_t size = 0; size < 4096; size += 7) {
    std::filesystem::resize_file(copy, size);
    for (const std::string& list : library_paths_of(copy)) EXPECT_EQ(std::string("$ORIGIN/../lib").find(list), 0u);
  }
}

TEST(LibraryPath, IsPartedIntoDirectories) {
  EXPECT_THAT(directories_in("/a:b;/c", "/o"), ElementsAre("/a", "b", "/c"));
  EXPECT_THAT(directories_in("", "/o"), ElementsAre("."));
  EXPECT_THAT(directories_in("/a:", "/o"), ElementsAre("/a", "."));
}

TEST(LibraryPath, IsSeenFromWhereTheObjectLies) {
  EXPECT_THAT(directories_in("$ORIGIN/../lib:${ORIGIN}", "/o/bin"), ElementsAre("/o/bin/../lib", "/o/bin"));
}

TEST(LibraryPath, NamesAllThatTheLoadersOwnTokensMayMean) {
#ifdef __x86_64__
  EXPECT_THAT(directories_in("/x/$LIB", "/o"), ElementsAre("/x/lib", "/x/lib/x86_64-linux-gnu", "/x/lib64"));
  EXPECT_THAT(directories_in("$ORIGIN/${LIB}/$PLATFORM", "/o"), Contains("/o/lib64/haswell"));
#else
  EXPECT_THAT(directories_in("/x/$LIB", "/o"), ElementsAre("/x/lib", "/x/lib/aarch64-linux-gnu", "/x/lib64"));
  EXPECT_THAT(directories_in("$ORIGIN/${LIB}/$PLATFORM", "/o"), Contains("/o/lib64/aarch64"));
#endif
}

}  // namespace
}  // namespace hipcache::inputs
