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
  EXPECT_EQ(readable("a\xc2\x9b"
                     "1m"),
            "a\\xc2\\x9b1m")
      << "U+009B begins a sequence of a terminal";
  EXPECT_EQ(readable("a\xe2\x80\xae"
                     "b\xe2\x81\xa6"),
            "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6")
      << "U+202E, U+2066";
  EXPECT_EQ(readable("\xc2\xa0\xe2\x80\x9c\xe2"), "\xc2\xa0\xe2\x80\x9c\xe2") << "U+00A0, U+201C and a part";
}

}  // namespace
}  // namespace hipcache
