// The scanner against clang's own lexer: texts that a question takes for equal have the same tokens, in the places that
// the question asks for. clang prints them by -dump-raw-tokens, with comments and without the preprocessor.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <regex>

#include "hipcache/base/files.h"
#include "inputs/tokens/scan.h"
#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

struct RawToken {
  std::string text;
  bool begins_line = false;  // stands in another line than the one before
  int line = 0, column = 0;
};

using RawTokens = std::vector<RawToken>;

const std::vector<std::string>& bases() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> texts{
        "#define SUM(a, b) a + b \\\n    + 1 // x\n#if SUM(1, 2) > 3 /* y */\nint a = SUM(1,2); auto b = R\"x(// \" "
        ")x\";\n#endif\n"
        "template <class T> struct S { T* p = &q; int r = -1, s[2]{1, 2}; }; // z\n"
        "const char* t = \"/* no */\" \"// no\"; char c = '\"'; int d = 1'000'000; float e = 1.5e+3f;\n"
        "void f() {\n  while (x)\n    ;\n  a->*b; a.*b; a <=> b; a <<= 2; x ? y : z; ::g(); h<::g>();\n}\n"
        "#include <vector> // std\n#pragma once\n#error it isn't\n#line 7 \"x\"\nint u8 = u8'a'; auto v = L\"w\"_s;\n"};
    for (const char* name : {"include/hipcache/inputs/path_set.h", "src/inputs/tokens/name_reader.cpp"})
      texts.push_back(*read_file(std::string(HIPCACHE_SOURCE) + "/" + name, 1u << 20));
    return texts;
  }();
  return all;
}

std::string edited(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kPieces{" ", "\n", "// c\n", "/* c */", "\t", "  ", "\\\n", " \\\n",
                                                "/", "*",  "'",      "\"",      "#",  "+",  "<",    ">",
                                                ":", "a",  "1",      ".",       "//", "/*", "*/",   "\r\n"};
  const std::size_t at = random() % (text.size() + 1);
  switch (random() % 5) {
    case 0:
    case 1:
      return text.insert(at, kPieces[random() % 7]);
    case 2:
      return text.insert(at, kPieces[random() % kPieces.size()]);
    case 3:
      if (const std::size_t blank = text.find(' ', at); blank != text.npos) return text.replace(blank, 1, "\n");
      return text;
    default:
      if (const std::size_t blank = text.find_first_of(" \n", at); blank != text.npos) text.erase(blank, 1);
      return text;
  }
}

class RawTokensOfClang : public testing::Test {
 protected:
  RawTokens tokens_of(const std::string& text) const {
    const std::string path = scratch_.write("a.cpp", text);
    const std::string printed = scratch_ / "tokens";
    const std::string command =
        "clang++-19 -cc1 -x c++ -std=c++20 -w -dump-raw-tokens " + path + " > /dev/null 2> " + printed;
    static_cast<void>(std::system(command.c_str()));
    const std::string lines = *read_file(printed, 64u << 20);
    // "identifier 'int'\t [StartOfLine]\tLoc=<a.cpp:1:1>"; the text may hold anything.
    static const std::regex kPlace("\t[^\t]*\tLoc=<[^\n]*:([0-9]+):([0-9]+)>\n");
    RawTokens tokens;
    auto at = lines.begin();
    for (std::sregex_iterator match(lines.begin(), lines.end(), kPlace), end; match != end; ++match) {
      const std::string token(at, lines.begin() + match->position());
      at = lines.begin() + match->position() + match->length();
      if (token.starts_with("comment ") || token.starts_with("eof ") || is_blank(token)) continue;
      const int line = std::stoi((*match)[1]);
      tokens.push_back({token, tokens.empty() || tokens.back().line != line, line, std::stoi((*match)[2])});
    }
    return tokens;
  }

  // Blanks are tokens, too.
  static bool is_blank(const std::string& token) {
    return token.starts_with("unknown '") && token.find_first_not_of(" \t\r\n\\", 9) == token.size() - 1;
  }

  support::Scratch scratch_;
};

TEST_F(RawTokensOfClang, AreTheSameWhereAQuestionIsAnsweredAlike) {
  std::mt19937 random(31);
  int in_place = 0, in_order = 0, alike = 0;
  for (const std::string& base : bases()) {
    const TokenDigests before = scan_source(base, Wanted::digests).digests;
    const RawTokens raw = tokens_of(base);
    ASSERT_GT(raw.size(), 50u);
    for (int round = 0; round < 120; ++round) {
      const std::string text = edited(base, random);
      const TokenDigests now = scan_source(text, Wanted::digests).digests;
      if (now.tokens != before.tokens) continue;
      const RawTokens others = tokens_of(text);
      ASSERT_EQ(others.size(), raw.size()) << text;
      ++alike;
      in_order += now.in_order == before.in_order ? 1 : 0;
      in_place += now.in_place == before.in_place ? 1 : 0;
      for (std::size_t i = 0; i < raw.size(); ++i) {
        ASSERT_EQ(others[i].text, raw[i].text) << text;
        if (now.in_order != before.in_order) continue;
        ASSERT_EQ(others[i].column, raw[i].column) << raw[i].text << "\n" << text;
        ASSERT_EQ(others[i].begins_line, raw[i].begins_line) << raw[i].text << "\n" << text;
        if (now.in_place != before.in_place) continue;
        ASSERT_EQ(others[i].line, raw[i].line) << raw[i].text << "\n" << text;
      }
    }
  }
  EXPECT_GT(alike, 60);
  EXPECT_GT(in_order, 10);
  EXPECT_GT(in_place, 3);
}

}  // namespace
}  // namespace hipcache::inputs
