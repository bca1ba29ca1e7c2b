#include "hipcache/base/text.h"

#include <gtest/gtest.h>

#include "hipcache/base/roots.h"

namespace hipcache {
namespace {

TEST(Readable, LeavesTextAsItIs) {
  EXPECT_EQ(readable("/a/b.h: -DX=1 \xc3\xa4\xff <dir>"), "/a/b.h: -DX=1 \xc3\xa4\xff <dir>");
  EXPECT_EQ(readable(""), "");
}

TEST(Readable, NamesTheDirectoriesThatPlaceholdersStandFor) {
  const Roots base("/work/tree");
  EXPECT_EQ(readable(base.portable_path("/work/tree/a.h")), "<base directory>/a.h");
  EXPECT_EQ(readable("-I" + base.portable_argument("-I=/work/tree")), "-I-I=<base directory>");
  EXPECT_EQ(readable("\x01"
                     "dir"
                     "\x01/a.o"),
            "<temporary directory>/a.o");
  EXPECT_EQ(readable("-MF \x01"
                     "depfile\x01 -o \x01"
                     "object\x01"),
            "-MF <depfile> -o <object>");
  EXPECT_EQ(readable(std::string(kStoredTemporaryDirectory) + "/a.o"), "<temporary directory>/a.o");
}

TEST(Readable, ShowsControlCharactersByTheirNumbers) {
  EXPECT_EQ(readable("a\nb\tc\x1b[31md\x7f\x01"), "a\\nb\\tc\\x1b[31md\\x7f\\x01");
  EXPECT_EQ(readable(std::string("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace hipcache
