// Which edits of a text each question about its tokens holds through, and which it does not.
#include "inputs/tokens/scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/inputs/run.h"

namespace hipcache::inputs {
namespace {

// The strongest question for which two texts are equal; the weaker ones are equal as well.
enum class Equal { never, tokens, in_order, in_place };

Equal compare(const std::string& one, const std::string& other) {
  const TokenDigests left = scan_source(one, Wanted::digests).digests;
  const TokenDigests right = scan_source(other, Wanted::digests).digests;
  if (left.in_place == right.in_place) {
    EXPECT_EQ(left.in_order, right.in_order) << one << "\n" << other;
    EXPECT_EQ(left.tokens, right.tokens) << one << "\n" << other;
    return Equal::in_place;
  }
  if (left.in_order == right.in_order) {
    EXPECT_EQ(left.tokens, right.tokens) << one << "\n" << other;
    return Equal::in_order;
  }
  return left.tokens == right.tokens ? Equal::tokens : Equal::never;
}

struct Edit {
  std::string one, other;
};

void expect(Equal equal, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    EXPECT_EQ(compare(edit.one, edit.other), equal) << edit.one << "\n---\n" << edit.other;
    EXPECT_EQ(compare(edit.other, edit.one), equal) << edit.one << "\n---\n" << edit.other;
  }
}

TEST(Scan, WordsOfCommentsAndBlanksAtTheEndsOfLinesLeaveEachTokenInPlace) {
  expect(Equal::in_place, {{"// one\nint a;\n", "// another, and longer\nint a;\n"},
                           {"/* one */\nint a;\n", "/* two\\brief */\nint a;\n"},
                           {"int a; // one\n", "int a;\n"},
                           {"int a;\n", "int a;  \t\n"},
                           {"int a; /* x */ int b;\n", "int a; /* y */ int b;\n"},
                           {"#include <a.h> // one\n", "#include <a.h> /* two */\n"},
                           {"#if 1 // one\n#endif\n", "#if 1\n#endif // two\n"},
                           {"/* © 2023 */\n", "/* © 2024, us */\n"},
                           {"\n\n", "\n \n"},
                           {"// a\n", "// b\n"}});
}

TEST(Scan, WholeLinesOfCommentsMoveOthersDown) {
  expect(Equal::in_order, {{"int a;\n", "// one\nint a;\n"},
                           {"int a;\nint b;\n", "int a;\n\n\nint b;\n"},
                           {"int a;\nint b;\n", "int a;\n/* one\n * two\n */\nint b;\n"},
                           {"#define A 1\nint b;\n", "#define A 1\n\nint b;\n"},
                           {"#define A(x) x + \\\n  1\n", "// more\n#define A(x) x + \\\n  1\n"}});
}

// gcc looks for lines that are less indented than the statements around them.
TEST(Scan, LinesOfCommentsCountWhereTheCodeBehindThemIsIndentedFurther) {
  expect(Equal::in_order, {{"  f();\n  g();\n", "  f();\n  // c\n  g();\n"},
                           {"  f();\n  g();\n", "  f();\n    /* a\n\n     b */\n  g();\n"},
                           {"\tf();\n\tg();\n", "\tf();\n\t// c\n\tg();\n"},
                           {"#if A\n#endif\n", "#if A\n// c\n#endif\n"}});
  expect(Equal::in_place, {{"int a;\n", "int a;\n// the end\n"}});
  expect(Equal::tokens, {{"  f();\n  g();\n", "  f();\n// c\n  g();\n"},
                         {"  f();\n  g();\n", "  f();\n  /*\n c */\n  g();\n"},
                         {"\tf();\n\tg();\n", "\tf();\n        // c\n\tg();\n"},
                         {"  f(1\n)\n;\n", "  f(1\n  // c\n)\n;\n"}});
}

TEST(Scan, ReformattingKeepsTheTokens) {
  expect(Equal::tokens, {{"int a;\n", "int  a;\n"},
                         {"int a = f(1, 2);\n", "int a=f( 1,2 );\n"},
                         {"int a = -1;\n", "int a=-1;\n"},
                         {"int f() { return 1; }\n", "int f()\n{\n  return 1;\n}\n"},
                         {"std::vector<int>& a;\n", "std::vector<int> &a;\n"},
                         {"  int a;\n", "\tint a;\n"},
                         {"#define A(x) f(x) + 1\n", "#define A(x)  f(x)   +  1\n"},
                         {"#define A(x) \\\n  f(x)\n", "#define A(x)   \\\n f(x)\n"},
                         {"#if a + b\n#endif\n", "#if a+b\n#endif\n"},
                         {"#define A 1\n", "#  define A 1\n"},
                         {"f(\"a\"\n  \"b\");\n", "f(\"a\" \"b\");\n"},
                         {"int a[3]{1};\n", "int a [ 3 ] { 1 };\n"},
                         {"a ? b : c;\n", "a?b:c;\n"}});
}

TEST(Scan, OtherTokensAreOtherTokens) {
  expect(Equal::never, {{"int a;\n", "int b;\n"},
                        {"a + +b;\n", "a++b;\n"},
                        {"a - -b;\n", "a--b;\n"},
                        {"a > > b;\n", "a >> b;\n"},
                        {"a < : b;\n", "a <: b;\n"},
                        {"a < < < b;\n", "a <<< b;\n"},
                        {"a & & b;\n", "a && b;\n"},
                        {"a = = b;\n", "a == b;\n"},
                        {"a : : b;\n", "a :: b;\n"},
                        {"a - > b;\n", "a->b;\n"},
                        {"a. * b;\n", "a.* b;\n"},
                        {". . .;\n", "...;\n"},
                        {"[ : x;\n", "[: x;\n"},
                        {"^ ^ x;\n", "^^ x;\n"},
                        {"1. f;\n", "1.f;\n"},
                        {"x = 1 .5;\n", "x = 1.5;\n"},
                        {"1e+5;\n", "1e +5;\n"},
                        {"L \"a\";\n", "L\"a\";\n"},
                        {"\"a\"_x;\n", "\"a\" _x;\n"},
                        {"u8 'a';\n", "u8'a';\n"},
                        {"\"a b\";\n", "\"a  b\";\n"},
                        {"'a';\n", "'b';\n"},
                        {"R\"(a b)\";\n", "R\"(a  b)\";\n"},
                        {"R\"x(// )\" one)x\";\n", "R\"x(// )\" two)x\";\n"},
                        {"\"// one\";\n", "\"// two\";\n"},
                        {"\"\\\"// one\";\n", "\"\\\"// two\";\n"},
                        {"'\"'; // one\nint a;", "'\"'; // one\nint b;"},
                        {"#define A (x)\n", "#define A(x)\n"},
                        {"#define A +1\n", "#define A+1\n"},
                        {"#define A(x) f(x) + 1\n", "#define A(x) f(x)+1\n"},
                        {"#define A(x) \\\n  f(x)\n", "#define A(x) f(x)\n"},
                        {"#define A a,\\\nb\n", "#define A a, \\\nb\n"},
                        {"#define A a\n", "#define A a \\\n\n"},
                        {"int a;\n", "int a;\n\\\n"},
                        {"#define A 1\nint b;\n", "#define A 1 int b;\n"},
                        {"#define A 1 \\\n+ 2\n", "#define A 1\n+ 2\n"},
                        {"#include <a//b.h>\n", "#include <a//c.h>\n"},
                        {"#include \"a b.h\"\n", "#include \"a  b.h\"\n"},
                        {"#if __has_include(<a//b.h>)\n#endif\n", "#if __has_include(<a//c.h>)\n#endif\n"},
                        {"#if __has_include( <a b.h>)\n#endif\n", "#if __has_include( <a  b.h>)\n#endif\n"},
                        {"#error it isn't // one\n", "#error it isn't // two\n"},
                        {"#pragma message (a)\n", "#pragma message(a)\n"},
                        {"#if 0\nit isn't // one\n#endif\n", "#if 0\nit isn't // two\n#endif\n"},
                        {"a\n#b\n", "a #b\n"},
                        {"int a;\n", "int a;"},
                        {"\xef\xbb\xbfint a;\n", "\xef\xbb\xbfint b;\n"}});
}

TEST(Scan, WhatACommentCausesCounts) {
  expect(Equal::never, {{"/* a /* b */\n", "/* a  * b */\n"},
                        {"// a \\\nint b;\n", "// a\nint b;\n"},
                        {"// a \\\n b\nint c;\n", "// a \\\n d\nint c;\n"},
                        {"/* \xff */\n", "/* \xfe */\n"},
                        {"/* \xe2\x80\xae */\n", "/* */\n"},
                        {"// fall through\ncase 1:\n", "// fell through\ncase 1:\n"},
                        {"/* FALLTHRU */\n", "/* FALSETHRU */\n"},
                        {"a/**/b;\n", "ab;\n"}});
}

TEST(Scan, ATextThatLanguagesReadInTwoWaysIsItsBytes) {
  for (const std::string text : {"/* a?\?/ */\n",
                                 "in\\\nt a;\n",
                                 "int a; /\\\n/ b\n",
                                 "a\\ \nb;\n",
                                 "int a;\f\n",
                                 "int a;\rint b;\n",
                                 "int a;\r\n",
                                 "int a; \\\nint b;\n",
                                 "int a = b$c;\n",
                                 "int \xc3\xa4;\n",
                                 "int \\u00e4;\n",
                                 "// a\rint b;\n",
                                 "/* \x01 */\n",
                                 "@a\n",
                                 "a = \"\x02\";\n",
                                 "%:define A\n",
                                 "int a ?\?( 3 ?\?);\n",
                                 "\xef\xbb\xbfint a;\n",
                                 "don't /* one\nint a; /* two */\n",
                                 "/* a *\\\n/ int b; /* c */\n",
                                 "int a;\n/* b\\\n c */",
                                 "int a; // b\\\n c",
                                 "R\"(\n",
                                 "/* open",
                                 "#include <a\nb>\n"})
    EXPECT_EQ(compare(text, "// x\n" + text), Equal::never) << text;
  const std::string zero("int a;\0\n", 8);
  EXPECT_EQ(compare(zero, zero + "\n"), Equal::never);
}

TEST(Scan, AnEmptyBodyInItsLineKeepsItsColumn) {
  expect(Equal::never, {{"while (x);\n  f();\n", "while (x);\nf();\n"},
                        {"while (x)\n  ;\n", "while (x);\n"},
                        {"if (x) ; f();\n", "if (x); f();\n"},
                        {"RUN(while (x)); f();\n", "RUN(while (x));  f();\n"},
                        {"if constexpr (x); f();\n", "if constexpr (x);  f();\n"}});
  expect(Equal::tokens, {{"do { f(); } while (x);\n", "do { f(); } while(x) ;\n"}, {"f(x);\n", "f(x) ;\n"}});
}

// What is not permitted may hide names, or may not.
TEST(Scan, NamesAreUnknownWhereCompilersMayReadOtherWords) {
  for (const std::string text : {"// a?\?/\n", "int a;\rint b;\n", "int a = b$c;\n", "\xc3\xa4;\n", "\\u00e4;\n",
                                 "@a\n", "in\\\nt a;\n", "/* open", "R\"(", "%:define A\n", "a ?\?( 3 ?\?)\n"})
    EXPECT_NE(scan_source(text, Wanted::names).names.unknown_by, "") << text;
  for (const std::string text : {"int a;\r\n// b\r\n", "int a;\f\n", "/* \xc3\xa4 */ \"\xc3\xa4\"\n", "// what?\?)\n",
                                 "f( \\\na);\n", "\xef\xbb\xbfint a;\n", "#if 0\nit isn't\n#endif\n"})
    EXPECT_EQ(scan_source(text, Wanted::names).names.unknown_by, "") << text;
  EXPECT_EQ(scan_source("int a;\nint b@;\n", Wanted::names).names.unknown_by,
            "line 2 has a character beyond plain text");
}

TEST(Scan, ColumnsCountBehindCommentsAndTabs) {
  expect(Equal::tokens, {{"int a; /* x */ int b;\n", "int a; /* xx */ int b;\n"},
                         {"/* x */ int a;\n", "/* y */ int a;\n"},
                         {"if (a)\n\tb;\n", "if (a)\n        b;\n"}});
}

// Any bytes, also those that end in the middle of something.
TEST(Scan, TakesAnyText) {
  constexpr std::string_view kAlphabet = "ab1. \t\n\r\\\"'/*#<>()R?:;%LuU8_,\0\xff";
  const std::vector<std::string> words{"#define ", "#include ", "R\"(", ")\"", "__has_include(<", "#error ", "?\?/"};
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t left = random() % 40; left > 0; --left) {
      if (random() % 9 == 0)
        text += words[random() % words.size()];
      else
        text += kAlphabet[random() % kAlphabet.size()];
    }
    const SourceText one = scan_source(text, Wanted::both);
    EXPECT_EQ(scan_source(text, Wanted::digests).digests.tokens, one.digests.tokens);
  }
}

TEST(Scan, AValueIsPlainIfItsMacroCausesNoMessage) {
  for (const char* value : {"", "1", "\"abc\"", "a + b", "f(x)", "'c'", "\"it isn't\"", "-1"})
    EXPECT_TRUE(is_plain_value(value)) << value;
  for (const char* value : {"don't", "\"open", "a // b", "/* a */", "a\nb", "a\\", "a?\?/b"})
    EXPECT_FALSE(is_plain_value(value)) << value;
}

}  // namespace
}  // namespace hipcache::inputs
