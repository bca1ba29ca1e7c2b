#include "hipcache/base/roots.h"

#include <gtest/gtest.h>

namespace hipcache {
namespace {

const Roots kOne("/one");
const Roots kOther("/home/another");

TEST(Roots, GivesWhatLiesInItOneNameInEveryCheckout) {
  EXPECT_EQ(kOne.portable_path("/one/a.h"), kOther.portable_path("/home/another/a.h"));
  EXPECT_EQ(kOne.portable_path("/one"), kOther.portable_path("/home/another"));
  EXPECT_NE(kOne.portable_path("/one/a.h"), "/one/a.h");
  EXPECT_EQ(kOther.local_path(kOne.portable_path("/one/a.h")), "/home/another/a.h");
}

TEST(Roots, LeavesOtherNamesAlone) {
  for (const char* path : {"/on", "/oneself", "/usr/one/a.h", "one/a.h", "a/one", "", "/"}) {
    EXPECT_EQ(kOne.portable_path(path), path);
    EXPECT_EQ(kOne.local_path(path), path);
  }
}

TEST(Roots, StandsInArgumentsWhereAPathCan) {
  EXPECT_EQ(kOne.portable_argument("-fdebug-prefix-map=/one=."),
            kOther.portable_argument("-fdebug-prefix-map=/home/another=."));
  EXPECT_EQ(kOne.portable_argument("-fmap=/one=/one/x"),
            kOther.portable_argument("-fmap=/home/another=/home/another/x"));
  for (const char* argument : {"-I/usr/one/x", "lib/one/x", "-Wl,/one", "-fmap=/oneself=."})
    EXPECT_EQ(kOne.portable_argument(argument), argument);
}

TEST(Roots, StandsInListsOfPaths) {
  EXPECT_EQ(kOne.portable_list("/one/a:/usr:/one"), kOther.portable_list("/home/another/a:/usr:/home/another"));
  EXPECT_EQ(kOne.portable_list("/usr/one:/oneself"), "/usr/one:/oneself");
}

TEST(Roots, IsMadeNormal) {
  EXPECT_EQ(Roots("/one/two/../").all().front().path, "/one");
  EXPECT_EQ(Roots("//one").all().front().path, "/one");
}

TEST(Roots, IsNoneForWhatCannotStandForACheckout) {
  for (const char* directory :
       {"", "/", "relative", "/with space", "/with$dollar", "/with\"quote", "/a:b", "/a=b", "/\x01"})
    EXPECT_TRUE(Roots(directory).empty()) << directory;
  EXPECT_EQ(Roots("").portable_path("/one"), "/one");
  EXPECT_EQ(Roots("").local_path(kOne.portable_path("/one/a.h")), "") << "it names nothing here";
}

TEST(Roots, ShowsInBytesThatMentionItInAnyWay) {
  EXPECT_EQ(kOne.shown_in("xx/oneself"), 1u);
  EXPECT_EQ(kOne.shown_in(std::string("\0/one\0", 6)), 1u);
  EXPECT_EQ(kOne.shown_in("one"), 0u);
  EXPECT_EQ(Roots("").shown_in(""), 0u);
}

TEST(Roots, AreNamedInATextWhereTheNameOfAFileEnds) {
  for (const char* text : {"/one", "x/one", "\"/one/a.h\"", "</one>", "/one\n", "/one\\", "/one$x", "/one%2f", "/one,",
                           "/one*/a.h", "/one\xc3\xa4", "/one.sources/one/..", "/one.sources /one"})
    EXPECT_EQ(kOne.named_in_text(text), 1u) << text;
  for (const char* text : {"/one.sources/x.h", "/oneself", "/one-build", "/one_2", "/one+", "/one2", "one", ""})
    EXPECT_EQ(kOne.named_in_text(text), 0u) << text;
}

TEST(Roots, AreNamedInWhatIsNoTextInAnyWay) { EXPECT_EQ(kOne.named_in_text(std::string("\0/oneself", 9)), 1u); }

TEST(Roots, KnowsItsToken) {
  EXPECT_TRUE(Roots::holds_token(kOne.portable_path("/one/a.h")));
  EXPECT_FALSE(Roots::holds_token("/one/base"));
}

TEST(Roots, ReadsPortableTextsAsTheyAreHere) {
  const Roots base("/b");
  EXPECT_EQ(base.local_text(base.portable_path("/b/x.h")), "/b/x.h");
  EXPECT_EQ(Roots("/c").local_text("-I" + base.portable_path("/b/x") + " " + base.portable_argument("-a=/b")),
            "-I/c/x -a=/c");
  EXPECT_EQ(Roots().local_text(base.portable_path("/b/x.h")), "HIPCACHE_BASEDIR/x.h");
  EXPECT_EQ(base.local_text("/x.h"), "/x.h");
}

TEST(Roots, NameAPathByTheLongestOfThem) {
  Roots roots;
  roots.add(kBuildMark, "/src/build");
  roots.add(kBaseMark, "/src");
  Roots others;
  others.add(kBuildMark, "/elsewhere/out");
  others.add(kBaseMark, "/home/me/src");
  EXPECT_EQ(roots.portable_path("/src/build/config.h"), others.portable_path("/elsewhere/out/config.h"));
  EXPECT_EQ(roots.portable_path("/src/a.h"), others.portable_path("/home/me/src/a.h"));
  EXPECT_EQ(roots.portable_argument("-fmap=/src/build=/src"),
            others.portable_argument("-fmap=/elsewhere/out=/home/me/src"));
  EXPECT_EQ(others.local_path(roots.portable_path("/src/build")), "/elsewhere/out");
  EXPECT_EQ(roots.holding("/src/build/x"), 1u);
  EXPECT_EQ(roots.holding("/src/x"), 2u);
  EXPECT_EQ(roots.holding("/x"), 0u);
  EXPECT_EQ(roots.shown_in("in /src/build/x"), 3u);
  EXPECT_EQ(roots.shown_in("in /src/x"), 2u);
}

TEST(Roots, AreEachOneDirectoryAndTheFirstMarkCounts) {
  Roots roots;
  roots.add(kBuildMark, "/src");
  roots.add(kBaseMark, "/src/");
  ASSERT_EQ(roots.all().size(), 1u);
  EXPECT_EQ(roots.all().front().mark, kBuildMark);
}

TEST(Roots, HaveOneTokenForBothNamesAndTellThemApartInVariables) {
  Roots roots;
  roots.add(kBaseMark, "/real/src", "/link");
  EXPECT_EQ(roots.portable_path("/link/a.h"), roots.portable_path("/real/src/a.h"));
  EXPECT_EQ(roots.portable_argument("-x=/link"), roots.portable_argument("-x=/real/src"));
  EXPECT_NE(roots.portable_list("/link/a"), roots.portable_list("/real/src/a"));
  EXPECT_EQ(roots.real_spelling("/link/a.h"), "/real/src/a.h");
  EXPECT_EQ(roots.local_path(roots.portable_path("/link/a.h")), "/real/src/a.h");
  EXPECT_EQ(roots.local_text(roots.portable_list("/link/a")), "/link/a");
  EXPECT_EQ(roots.shown_in("x/link"), 1u);
}

TEST(Roots, OfATextHaveATokenForEachNameAndTextIsNeverTakenForOne) {
  Roots roots;
  roots.add(kBaseMark, "/real/src", "/link");
  EXPECT_EQ(roots.portable_name("/link/a.h"), "/link/a.h") << "a root that has no other name is called alike";
  roots.note_forms({"-I/link", "/real/src/b.h"}, "");
  Roots others;
  others.add(kBaseMark, "/elsewhere", "/linked");
  const std::string odd =
      "\x01"
      "base\x01 and \x01\x01";
  const std::string text = Roots::escaped(odd) + roots.portable_name("/link/a.h") + Roots::escaped("\x01") +
                           roots.portable_name("/real/src/b.h") + roots.portable_name("/other/c.h");
  EXPECT_EQ(roots.local_text(text), odd + "/link/a.h\x01/real/src/b.h/other/c.h");
  EXPECT_EQ(others.local_text(text), odd + "/linked/a.h\x01/elsewhere/b.h/other/c.h");
  EXPECT_EQ(roots.tokens_in(text), 1u);
  EXPECT_EQ(roots.tokens_in("/link/a.h"), 0u);
  EXPECT_EQ(roots.local_path(roots.portable_name("/link/a.h")), "/link/a.h");
  EXPECT_EQ(Roots("/one").local_path(roots.portable_name("/link/a.h")), "") << "it has no other name here";
}

TEST(Roots, SayByWhichNameTheyAreCalled) {
  const auto form = [](const std::vector<std::string>& arguments, const char* logical) {
    Roots roots;
    roots.add(kBaseMark, "/real/src", "/link");
    roots.note_forms(arguments, logical);
    return roots.all().front().form;
  };
  const std::string by_path = form({"-I/real/src/a"}, "/real/src");
  EXPECT_EQ(by_path, form({"-I/real/src/b", "-c"}, "/real/src"));
  EXPECT_NE(by_path, form({"-I/link/a"}, "/real/src"));
  EXPECT_NE(by_path, form({"-I/real/src/a"}, "/link"));
  EXPECT_NE(form({"-I/real/src/a", "-I/link/b"}, "/"), form({"-I/link/a", "-I/real/src/b"}, "/"));
}

TEST(Roots, AreASetOfTheirMasksInOrder) {
  Roots roots("/one");
  roots.add(kBuildMark, "/two/build", "/link");
  roots.add(kToolchainMark, "/opt/rocm");
  const auto& all = roots.all();
  const RootMask mask = roots.mask_of(all[2]) | roots.mask_of(all[1]);
  EXPECT_EQ(roots.among(mask), (std::vector<const Root*>{&all[1], &all[2]}));
  EXPECT_TRUE(roots.among(0).empty());
  EXPECT_EQ(roots.whose_name([](const std::string& name) { return name == "/link"; }), roots.mask_of(all[1]));
  EXPECT_EQ(roots.whose_name([](const std::string&) { return true; }), roots.every());
}

TEST(Roots, HaveMarksInTheTextThatTheIdOfAUnitIsMadeOf) {
  Roots roots("/one");
  roots.add(kBuildMark, "/one/build", "/link");
  EXPECT_EQ(roots.with_marks("-I/one/build/x:/one=/link"), "-I<build>/x:<base>=<build>");
  EXPECT_EQ(roots.with_marks("-I/oneself,/one'"), "-I/oneself,/one'");
}

}  // namespace
}  // namespace hipcache
