#include "hipcache/base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace hipcache {
namespace {

TEST(MemoryFileTest, HasWhatWasAppendedAndTakesNoMoreOnceItIsSealed) {
  Result<MemoryFile> memory = MemoryFile::make("object");
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_TRUE(memory->append("one, "));
  EXPECT_TRUE(memory->append("two"));
  const Result<UniqueFd> file = std::move(*memory).seal();
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(*read_file("/proc/self/fd/" + std::to_string(file->get()), 100), "one, two");
  EXPECT_EQ(write(file->get(), "x", 1), -1);
  EXPECT_NE(ftruncate(file->get(), 0), 0);
}

}  // namespace
}  // namespace hipcache
