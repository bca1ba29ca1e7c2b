#include "hipcache/compiler/hip/depfile.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace hipcache::hip {
namespace {

const Roots kOne("/one");
const Roots kOther("/another/checkout/with/a/long/name");

std::string moved(const std::string& depfile) {
  const std::optional<std::string> portable = portable_depfile(depfile, kOne);
  if (!portable) return "not portable";
  EXPECT_EQ(local_depfile(*portable, kOne), depfile) << "there and back again";
  return local_depfile(*portable, kOther).value_or("not local");
}

TEST(Depfile, IsWrittenWithTheNamesOfTheOtherCheckout) {
  EXPECT_EQ(moved("/one/a.o: /one/a.hip /usr/include/b.h\n"),
            "/another/checkout/with/a/long/name/a.o: \\\n"
            "  /another/checkout/with/a/long/name/a.hip /usr/include/b.h\n");
}

// Both were written by clang 19 for the same sources in these directories.
TEST(Depfile, HasItsLinesBrokenAsClangBreaksThem) {
  EXPECT_EQ(moved("a.o: /one/src/a.hip /one/src/runtime.h /one/include/project/value.h\n"),
            "a.o: /another/checkout/with/a/long/name/src/a.hip \\\n"
            "  /another/checkout/with/a/long/name/src/runtime.h \\\n"
            "  /another/checkout/with/a/long/name/include/project/value.h\n");
}

// Both were written by gcc 12 for the same sources under two names of the object.
TEST(Depfile, HasItsLinesBrokenAsGccBreaksThem) {
  const std::string target = "a/quite/long/target/name/which/is/long/enough/to/break/the/line/of/the/depfile/soon.o";
  const std::string brief =
      "t.o: src/many.c /usr/include/stdc-predef.h inc/header_number_1.h \\\n"
      " inc/header_number_2.h inc/header_number_3.h inc/header_number_4.h\n"
      "/usr/include/stdc-predef.h:\n";
  const std::string lengthy = target +
                              ": \\\n"
                              " src/many.c /usr/include/stdc-predef.h inc/header_number_1.h \\\n"
                              " inc/header_number_2.h inc/header_number_3.h inc/header_number_4.h\n"
                              "/usr/include/stdc-predef.h:\n";
  const std::optional<std::string> portable = portable_depfile(brief, kOne, DepfileForm::gcc, "t.o");
  ASSERT_TRUE(portable);
  EXPECT_EQ(portable_depfile(lengthy, kOther, DepfileForm::gcc, target), portable);
  EXPECT_EQ(local_depfile(*portable, kOne, DepfileForm::gcc, "t.o"), brief);
  EXPECT_EQ(local_depfile(*portable, kOther, DepfileForm::gcc, target), lengthy);
  EXPECT_EQ(portable_depfile(brief, kOne, DepfileForm::clang, "t.o"), std::nullopt);
}

// As clang 19 writes them: the header's files first, and the empty source of which the header was made.
TEST(Depfile, OfACompileWithAPrecompiledHeaderBecomesThePlainOne) {
  const std::string of_header = "preamble: /dev/null /r/wrapper.h /r/math.h\n";
  const auto plain = [&](const std::string& depfile, const std::string& source = "a.hip") {
    return depfile_without_header(depfile, of_header, "/d/w.pch", source);
  };
  EXPECT_EQ(plain("a.o: /dev/null /r/wrapper.h /r/math.h a.hip b.h\n"), "a.o: a.hip /r/wrapper.h /r/math.h b.h\n");
  EXPECT_EQ(plain("a.o: /d/w.pch a.hip b.h /r/math.h\na.hip:\nb.h:\n", "./a.hip"),
            "a.o: a.hip /r/wrapper.h /r/math.h b.h\n/r/wrapper.h:\n/r/math.h:\nb.h:\n");
  EXPECT_EQ(plain("no rule"), std::nullopt);
  EXPECT_EQ(plain("a.o:  a.hip\n"), std::nullopt) << "another form";
  EXPECT_EQ(plain("a.o: /r/wrapper.h b.h a.hip\n"), std::nullopt) << "the source is not the first of its own files";
}

TEST(Depfile, IsWrittenForAnotherTarget) {
  const std::optional<std::string> portable =
      portable_depfile("/one/a.o: /one/a.c b.h\n", kOne, DepfileForm::clang, "/one/a.o");
  ASSERT_TRUE(portable);
  EXPECT_EQ(local_depfile(*portable, kOther, DepfileForm::clang, "b.o"),
            "b.o: /another/checkout/with/a/long/name/a.c b.h\n");
}

TEST(Depfile, WithOtherTargetsThanTheExpectedOneIsNotPortable) {
  EXPECT_EQ(portable_depfile("b.o: a.c\n", kOne, DepfileForm::clang, "a.o"), std::nullopt);
  EXPECT_EQ(portable_depfile("a.o b.o: a.c\n", kOne, DepfileForm::clang, "a.o"), std::nullopt);
  EXPECT_EQ(portable_depfile("a.o: \x01target\x01\n", kOne, DepfileForm::clang, "a.o"), std::nullopt);
}

TEST(Depfile, KeepsTheEmptyRulesOfMpInTheFormOfTheirClang) {
  EXPECT_EQ(moved("a.o: a.hip /one/b.h\n/one/b.h:\n"),
            "a.o: a.hip /another/checkout/with/a/long/name/b.h\n/another/checkout/with/a/long/name/b.h:\n");
  EXPECT_EQ(moved("a.o: a.hip /one/b.h\n\n/one/b.h:\n"),
            "a.o: a.hip /another/checkout/with/a/long/name/b.h\n\n/another/checkout/with/a/long/name/b.h:\n");
}

TEST(Depfile, KeepsWhatIsQuoted) {
  EXPECT_EQ(moved("a\\ b.o $$x.o: /one/with\\ space.h /one/a$$b.h /one/a\\#b.h\n"),
            "a\\ b.o $$x.o: /another/checkout/with/a/long/name/with\\ space.h \\\n"
            "  /another/checkout/with/a/long/name/a$$b.h \\\n"
            "  /another/checkout/with/a/long/name/a\\#b.h\n");
}

TEST(Depfile, OfAnotherFormIsNotPortable) {
  for (const char* depfile : {"", "a.o", "a.o:  /one/a.h\n", "a.o: /one/a.h", "a.o : /one/a.h\n", "a.o:\t/one/a.h\n",
                              "a.o: /one/a.h \\\n  b.h\n", "a.o: b.h\n\n/one/b.h:\n/one/c.h:\n", "a.o: b.h\nb.h\n"})
    EXPECT_EQ(portable_depfile(depfile, kOne), std::nullopt) << depfile;
}

TEST(Depfile, ThatShowsTheCheckoutInOtherWaysIsNotPortable) {
  EXPECT_EQ(portable_depfile("x/one/a.o: a.hip\n", kOne), std::nullopt);
  EXPECT_EQ(portable_depfile("a.o: x/one\n", kOne), std::nullopt);
}

TEST(Depfile, MayNameADirectoryWhoseNameBeginsWithTheCheckouts) {
  EXPECT_EQ(moved("a.o: /one/a.hip /one.sources/x.h\n"),
            "a.o: /another/checkout/with/a/long/name/a.hip /one.sources/x.h\n");
}

TEST(Depfile, NeverReadsPastItsEndWhateverTheBytesAre) {
  const std::string alphabet = "ab/one \\\n:#$\x01";
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned length = random() % 40; length > 0; --length) text += alphabet[random() % alphabet.size()];
    const std::optional<std::string> portable = portable_depfile(text, kOne);
    EXPECT_EQ(portable ? local_depfile(*portable, kOne) : text, text);
    local_depfile(text, kOther);
  }
}

}  // namespace
}  // namespace hipcache::hip
