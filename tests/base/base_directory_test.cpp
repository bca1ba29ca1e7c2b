#include "hipcache/base/base_directory.h"

#include <gtest/gtest.h>

namespace hipcache {
namespace {

const BaseDirectory kOne("/one");
const BaseDirectory kOther("/home/another");

TEST(BaseDirectory, GivesWhatLiesInItOneNameInEveryCheckout) {
  EXPECT_EQ(kOne.portable_path("/one/a.h"), kOther.portable_path("/home/another/a.h"));
  EXPECT_EQ(kOne.portable_path("/one"), kOther.portable_path("/home/another"));
  EXPECT_NE(kOne.portable_path("/one/a.h"), "/one/a.h");
  EXPECT_EQ(kOther.local_path(kOne.portable_path("/one/a.h")), "/home/another/a.h");
}

TEST(BaseDirectory, LeavesOtherNamesAlone) {
  for (const char* path : {"/on", "/oneself", "/usr/one/a.h", "one/a.h", "a/one", "", "/"}) {
    EXPECT_EQ(kOne.portable_path(path), path);
    EXPECT_EQ(kOne.local_path(path), path);
  }
}

TEST(BaseDirectory, StandsInArgumentsWhereAPathCan) {
  EXPECT_EQ(kOne.portable_argument("-fdebug-prefix-map=/one=."),
            kOther.portable_argument("-fdebug-prefix-map=/home/another=."));
  EXPECT_EQ(kOne.portable_argument("-fmap=/one=/one/x"),
            kOther.portable_argument("-fmap=/home/another=/home/another/x"));
  for (const char* argument : {"-I/usr/one/x", "lib/one/x", "-Wl,/one", "-fmap=/oneself=."})
    EXPECT_EQ(kOne.portable_argument(argument), argument);
}

TEST(BaseDirectory, StandsInListsOfPaths) {
  EXPECT_EQ(kOne.portable_list("/one/a:/usr:/one"), kOther.portable_list("/home/another/a:/usr:/home/another"));
  EXPECT_EQ(kOne.portable_list("/usr/one:/oneself"), "/usr/one:/oneself");
}

TEST(BaseDirectory, IsMadeNormal) {
  EXPECT_EQ(BaseDirectory("/one/two/../").path(), "/one");
  EXPECT_EQ(BaseDirectory("//one").path(), "/one");
}

TEST(BaseDirectory, IsNoneForWhatCannotStandForACheckout) {
  for (const char* directory :
       {"", "/", "relative", "/with space", "/with$dollar", "/with\"quote", "/a:b", "/a=b", "/\x01"})
    EXPECT_FALSE(BaseDirectory(directory).is_set()) << directory;
  EXPECT_EQ(BaseDirectory("").portable_path("/one"), "/one");
  EXPECT_EQ(BaseDirectory("").local_path(kOne.portable_path("/one/a.h")), "") << "it names nothing here";
}

TEST(BaseDirectory, ShowsInBytesThatMentionItInAnyWay) {
  EXPECT_TRUE(kOne.shows_in("xx/oneself"));
  EXPECT_TRUE(kOne.shows_in(std::string("\0/one\0", 6)));
  EXPECT_FALSE(kOne.shows_in("one"));
  EXPECT_FALSE(BaseDirectory("").shows_in(""));
}

TEST(BaseDirectory, KnowsItsToken) {
  EXPECT_TRUE(BaseDirectory::holds_token(kOne.portable_path("/one/a.h")));
  EXPECT_FALSE(BaseDirectory::holds_token("/one/base"));
}

TEST(BaseDirectory, ReadsPortableTextsAsTheyAreHere) {
  const BaseDirectory base("/b");
  EXPECT_EQ(base.local_text(base.portable_path("/b/x.h")), "/b/x.h");
  EXPECT_EQ(BaseDirectory("/c").local_text("-I" + base.portable_path("/b/x") + " " + base.portable_argument("-a=/b")),
            "-I/c/x -a=/c");
  EXPECT_EQ(BaseDirectory().local_text(base.portable_path("/b/x.h")), "HIPCACHE_BASEDIR/x.h");
  EXPECT_EQ(base.local_text("/x.h"), "/x.h");
}

}  // namespace
}  // namespace hipcache
