#include "inputs/mentions/directives.h"

#include <gtest/gtest.h>

namespace hipcache::inputs {
namespace {

TEST(Directives, AreAllThatHeadersOfSettingsHold) {
  for (const char* text :
       {"", "\n\n", "#pragma once\n#define A 1\n", "/* made by\n * CMake */\n#define A \"x\"\n/* #undef B */\n",
        "// made\n  #  ifdef X\n#define F(x) \\\n  ((x) + \\\n 1)\n#endif", "#define A 1 /* one */\r\n"})
    EXPECT_TRUE(is_only_directives(text)) << text;
}

TEST(Directives, AreNoCode) {
  for (const char* text :
       {"int x;", "#define A\nint x;\n", "/* a */ int x;", "/* a\n b */ int x;\n", "#define A \\\n 1\nint x;",
        "#define A \"/*\"\nint x;\n#define B \"*/\"\n", "#define A 1 /* one\n*/ int x;\n", "// a \\\nb\n", "/* a",
        "#define A 1 // /*\nint x; // */\n", "%:define A\n", "#define A 1 /* a */ /* b\nint x; */\n"})
    EXPECT_FALSE(is_only_directives(text)) << text;
}

}  // namespace
}  // namespace hipcache::inputs
