// Questions about sources: for each thing that a compiler can see of a source beside its tokens, an edit that it does
// not see must be a hit, and the edit beside it must run.
#include <gtest/gtest.h>

#include "integration/support/compiler.h"
#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

// One source and its header, in three states.
struct Text {
  std::string source, header;
};

struct Case {
  std::string name;
  std::string flags;
  Text before;
  std::vector<Text> hits;  // each an edit of the one before
  std::vector<Text> runs;
  std::string only = "";  // compilers whose names begin so
};

const std::string kBody = "int f(int a) {\n  return a;\n}\n";

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"Plain",
       "-O1",
       {kBody, "// one\n"},
       {{"// new\n" + kBody, "// one\n"},
        {"// new\n" + kBody, "/* two\n * lines */\n\n"},
        {"int f(int a)\n{ return a; } // x\n", "\n"}},
       {{"int f(int a) { return a + 1; }\n", "\n"}, {kBody, "inline int more() { return 1; }\n"}}},
      {"JoinedLastLine",
       "-O1",
       {kBody, "// one\n"},
       {{kBody + "/* two\n lines */\n", "// one\n"}},
       {{kBody + "/* two\\\n lines */", "// one\n"}, {kBody, "/* two\\\n lines */"}}},
      {"Line",
       "-O1",
       {"int f() { return __LINE__; } // one\n", "// one\n"},
       {{"int f() { return __LINE__; } // two, longer\n", "// one\n"}, {"int f() { return __LINE__; }\n", "\n\n\n"}},
       {{"\nint f() { return __LINE__; }\n", "\n"}}},
      {"LineByMacro",
       "-O1",
       {"int f() { return HERE(1); }\n", "#define HERE(x) (x + WHERE)\n#define WHERE __LINE__\n"},
       {{"int f() { return HERE(1); }\n", "// a line more\n#define HERE(x) (x + WHERE)\n#define WHERE __LINE__\n"},
        {"int f() { return HERE(1); } // words\n", "#define HERE(x)  (x   +  WHERE)\n#define WHERE __LINE__\n"}},
       {{"// a line more\nint f() { return HERE(1); }\n", "#define HERE(x) (x + WHERE)\n#define WHERE __LINE__\n"}}},
      {"LineByPasting",
       "-O1",
       {"int f() { return CAT(__LI, NE__); }\n", "#define CAT(a, b) a##b\n"},
       {{"int f() { return CAT(__LI, NE__); } // words\n", "#define CAT(a, b) a##b\n"}},
       {{"\nint f() { return CAT(__LI, NE__); }\n", "#define CAT(a, b) a##b\n"}}},
      {"LineOfTheCaller",
       "-O1",
       {"int f() { return line(); }\n", "inline int line(int at = __builtin_LINE()) { return at; }\n"},
       {{"int f() { return line(); } // words\n", "inline int line(int at = __builtin_LINE()) { return at; }\n"}},
       {{"\nint f() { return line(); }\n", "inline int line(int at = __builtin_LINE()) { return at; }\n"}}},
      {"Column",
       "-O1",
       {"int f() { return __builtin_COLUMN(); }\n", ""},
       {{"int f() { return __builtin_COLUMN(); } // words\n", ""}},
       {{"int f() {  return __builtin_COLUMN(); }\n", ""}},
       "clang"},
      {"Assert",
       "-O1",
       {"#include <assert.h>\nint f(int a) { assert(a > 1); return a; }\n", ""},
       {{"#include <assert.h> // words\nint f(int a) { assert(a > 1); return a; }\n", "// more\n"}},
       {{"#include <assert.h>\n\nint f(int a) { assert(a > 1); return a; }\n", ""},
        {"#include <assert.h>\n\nint f(int a) { assert(a>1); return a; }\n", ""}}},
      {"AssertLeftOut",
       "-O1 -DNDEBUG",
       {"#include <assert.h>\nint f(int a) { assert(a > 1); return a; }\n", ""},
       {{"// more\n#include <assert.h>\nint f(int a) { assert(a > 1); return a; }\n", "// more\n"},
        {"#include <assert.h>\nint f(int a) {\n  assert(a>1);\n  return a;\n}\n", ""}},
       {{"#include <assert.h>\nint f(int a) { assert(a > 1); return a + 1; }\n", ""}}},
      {"AssertOfOneSource",
       "-O1 -DNDEBUG",
       {"#undef NDEBUG\n#include <assert.h>\nint f(int a) { assert(a > 1); return a; }\n", ""},
       {{"#undef NDEBUG\n#include <assert.h> // words\nint f(int a) { assert(a > 1); return a; }\n", "// more\n"}},
       {{"\n#undef NDEBUG\n#include <assert.h>\nint f(int a) { assert(a > 1); return a; }\n", ""}}},
      {"CheckLeftOut",
       "-O1",
       {"int f() { return CHECK(1); }\n",
        "#ifdef MY_DEBUG\n#define CHECK(x) x + __LINE__\n#else\n#define CHECK(x) x\n#endif\n"},
       {{"\nint f() {\n  return CHECK(1);\n}\n",
         "#ifdef MY_DEBUG // words\n\n#define CHECK(x) x + __LINE__\n#else\n#define CHECK(x) x\n#endif\n"}},
       {{"#define MY_DEBUG\nint f() { return CHECK(1); }\n",
         "#ifdef MY_DEBUG\n#define CHECK(x) x + __LINE__\n#else\n#define CHECK(x) x\n#endif\n"},
        {"int f() { return CHECK(1); }\n",
         "#ifndef MY_DEBUG\n#define CHECK(x) x + __LINE__\n#else\n#define CHECK(x) x\n#endif\n"}}},
      {"CheckOfTheCommand",
       "-O1 -DMY_DEBUG",
       {"#include \"header.h\"\nint f() { return CHECK(1); }\n",
        "#ifdef MY_DEBUG\n#define CHECK(x) x + __LINE__\n#else\n#define CHECK(x) x\n#endif\n"},
       {{"#include \"header.h\"\nint f() { return CHECK(1); } // words\n",
         "#ifdef MY_DEBUG\n#define CHECK(x)  x  +   __LINE__\n#else\n#define CHECK(x) x\n#endif\n"}},
       {{"\n#include \"header.h\"\nint f() { return CHECK(1); }\n",
         "#ifdef MY_DEBUG\n#define CHECK(x) x + __LINE__\n#else\n#define CHECK(x) x\n#endif\n"}}},
      {"Spelling",
       "-O1",
       {"const char* f() { return TEXT(a + b); }\n", "#define TEXT(x) #x\n"},
       {{"\n\nconst char* f() { return TEXT(a + b); }\n", "#define TEXT(x) #x\n"}},
       {{"const char* f() { return TEXT(a+b); }\n", "#define TEXT(x) #x\n"}}},
      {"SpellingOfMacros",
       "-O1",
       {"const char* f() { return TEXT(SUM); }\n",
        "#define TEXT(x) TEXT_(x)\n#define TEXT_(x) #x\n#define SUM a + b\n"},
       {{"const char* f() { return TEXT(SUM); }\n",
         "// more\n#define TEXT(x) TEXT_(x)\n#define TEXT_(x) #x\n#define SUM a + b\n"}},
       {{"const char* f() { return TEXT(SUM); }\n",
         "#define TEXT(x) TEXT_(x)\n#define TEXT_(x) #x\n#define SUM a+b\n"}}},
      {"DefinedTwice",
       "-O1",
       {"#define SUM(a, b) a + b\n" + kBody, "#define SUM(a, b) a + b\n"},
       {{"\n#define SUM(a, b) a + b\n" + kBody, "// x\n#define SUM(a, b) a + b\n"}},
       {{"#define SUM(a, b) a+b\n" + kBody, "#define SUM(a, b) a + b\n"}}},
      {"UnnamedTypes",
       "-O1",
       {"const char* f() { return name(lambda); }\n",
        "template <class T> const char* name(T) { return __PRETTY_FUNCTION__; }\nstatic auto lambda = [] {};\n"},
       {{"const char* f() { return name(lambda); }\n",
         "template <class T> const char* name(T) { return __PRETTY_FUNCTION__; }\nstatic auto lambda = [] {}; // x\n"}},
       {{"const char* f() { return name(lambda); }\n",
         "template <class T> const char* name(T) { return __PRETTY_FUNCTION__; }\n\nstatic auto lambda = [] {};\n"}},
       "clang"},
      {"UnnamedTypesByMacro",
       "-O1",
       {"const char* f() { return name(value); }\n",
        "#define PACKED\ntemplate <class T> const char* name(T) { return __PRETTY_FUNCTION__; }\n"
        "static struct PACKED { int a; } value;\n"},
       {{"const char* f() { return name(value); } // x\n",
         "#define PACKED\ntemplate <class T> const char* name(T) { return __PRETTY_FUNCTION__; }\n"
         "static struct PACKED { int a; } value; // x\n"}},
       {{"const char* f() { return name(value); }\n",
         "#define PACKED\ntemplate <class T> const char* name(T) { return __PRETTY_FUNCTION__; }\n\n"
         "static struct PACKED { int a; } value;\n"}},
       "clang"},
      {"DebugInformation",
       "-g",
       {kBody, "// one\n"},
       {},
       {{kBody, "// two\n"}, {"// one\n" + kBody, "// two\n"}},
       "clang"},
      {"DebugInformationWithoutDigests",
       "-gdwarf-4",
       {kBody, "// one\n"},
       {{kBody, "// two, longer\n"}, {"int f(int a) { // words\n  return a;\n}\n", "// two\n"}},
       {{"\n" + kBody, "// one\n"}, {"int f(int a) {\n   return a;\n}\n", "// one\n"}}},
      {"DebugInformationOfGcc",
       "-g -O2",
       {kBody, "// one\n"},
       {{kBody, "// two, longer\n"}},
       {{"\n" + kBody, "// one\n"}, {"int f(int a) {\n   return a;\n}\n", "// one\n"}},
       "g++"},
      {"MacrosInDebugInformation", "-g3", {kBody, "// one\n"}, {}, {{kBody, "// two\n"}}},
      {"OpenMp", "-fopenmp", {kBody, "// one\n"}, {}, {{kBody, "// two\n"}}, "g++"},
      {"Coverage", "--coverage", {kBody, "// one\n"}, {}, {{kBody, "// two\n"}, {"\n" + kBody, "// two\n"}}, "clang"},
      {"Sanitizer",
       "-fsanitize=undefined",
       {"int f(int a) { return a << a; }\n", ""},
       {},
       {{"\nint f(int a) { return a << a; }\n", ""}}},
      {"MessagesShowLines",
       "-Wall",
       {"int f() { int a; return 1; } // one\n", ""},
       {},
       {{"int f() { int a; return 1; } // two\n", ""}, {"\nint f() { int a; return 1; }\n", ""}}},
      {"Indentation",
       "-Wall",
       {"int f(int a) {\n  if (a)\n    a++;\n  return a;\n}\n", "// x\n"},
       {{"int f(int a) {\n  if (a)\n    a++; // words\n  return a;\n}\n", "// words\n"}},
       {{"int f(int a) {\n  if (a)\n    a++;\n    return a;\n}\n", "// x\n"}}},
      {"IndentationOfComments",
       "-Wall",
       {"int f(int a) {\n  if (a)\n    a++;\n// x\n    return a;\n}\n", ""},
       {{"int f(int a) {\n  if (a)\n    a++;\n// other words\n    return a;\n}\n", ""},
        {"// f\nint f(int a) {\n  // what\n\n  /* of\n\n     a */\n  if (a)\n    a++;\n// x\n    return a;\n}\n", ""}},
       {{"int f(int a) {\n  if (a)\n    a++;\n    // x\n    return a;\n}\n", ""}},
       "g++"},
      {"IndentationByError",
       "-Werror=all",
       {"int f(int a) {\n  if (a)\n    a++;\n  return a;\n}\n", "// x\n"},
       {{"int f(int a) {\n  if (a)\n    a++; // words\n  return a;\n}\n", "// words\n"}},
       {{"int f(int a) {\n  if (a)\n    a++;\n    return a;\n}\n", "// x\n"}}},
      {"IndentationByLongName",
       "--all-warnings",
       {"int f(int a) {\n  if (a)\n    a++;\n  return a;\n}\n", "// x\n"},
       {},
       {{"int f(int a) {\n  if (a)\n    a++;\n    return a;\n}\n", "// x\n"}}},
      {"ParenthesesInALine",
       "-Wparentheses",
       {"int f() {\n  extern int (a[3]\n  );\n  return a[0];\n}\n", ""},
       {{"int f() { // x\n  extern int (a[3] // words\n  );\n  return a[0];\n}\n", ""}},
       {{"int f() {\n  extern int (a[3]);\n\n  return a[0];\n}\n", ""}},
       "g++"},
      {"BlanksAroundAnOperator",
       "-Wbool-operation",
       {"bool f();\nbool g();\nbool h() { return f()&g(); }\n", ""},
       {{"bool f();\nbool g(); // words\nbool h() { return f()&g(); }\n", ""}},
       {{"bool f();\nbool g();\nbool h() { return f() & g(); }\n", ""}},
       "clang++-19"},
      {"MovedDown",
       "-Wall",
       {"int f(int a) {\n  if (a)\n    a++;\n  return a;\n}\n", ""},
       {{"// x\nint f(int a) {\n\n  if (a)\n    a++;\n  return a;\n}\n", "\n"},
        {"int f(int a) {\n  if (a)\n    // words\n    a++;\n  // and\n  return a;\n}\n", "\n"}},
       {{"int f(int a) {\n  if (a)\n   a++;\n  return a + 1;\n}\n", ""}}},
      {"EmptyBody",
       "-O1",
       {"void g();\nvoid f(int a) {\n  while (a)\n    ;\n  g();\n}\n", ""},
       {{"void g();\nvoid f(int a) {\n  while (a)\n   ;\n g();\n}\n", ""}},
       {{"void g();\nvoid f(int a) {\n  while (a);\n    g();\n}\n", ""}}},
      {"FallThrough",
       "-Wextra",
       {"void g();\nvoid f(int a) {\n  switch (a) {\n    case 1: g(); // fall through\n    case 2: g();\n  }\n}\n", ""},
       {{"void g();\nvoid f(int a) { // x\n  switch (a) {\n    case 1: g(); // fall through\n    case 2: g();\n  "
         "}\n}\n",
         ""}},
       {{"void g();\nvoid f(int a) {\n  switch (a) {\n    case 1: g(); // go on\n    case 2: g();\n  }\n}\n", ""}},
       "g++"},
      {"CommentWithinComment",
       "-Wcomment",
       {"/* a */\n" + kBody, ""},
       {{"/* b */\n" + kBody, ""}},
       {{"/* a /* b */\n" + kBody, ""}}},
      {"Documentation",
       "-Wdocumentation",
       {"/// \\param a one\n" + kBody, ""},
       {},
       {{"/// \\param b one\n" + kBody, ""}},
       "clang"},
      {"NameOfHeader",
       "-O1",
       {"#if __has_include(<x//a.h>)\nint g;\n#endif\n" + kBody, ""},
       {{"#if __has_include(<x//a.h>) // words\nint g;\n#endif\n" + kBody, ""}},
       {{"#if __has_include(<x//../header.h>) || 1\nint g;\n#endif\n" + kBody, ""}}},
      {"Trigraphs", "-std=c++14", {"// a?\?/\nint g;\n" + kBody, ""}, {}, {{"// a?\?\nint g;\n" + kBody, ""}}},
      {"OldLanguage", "-std=c++98", {kBody, "// one\n"}, {}, {{kBody, "// two\n"}}},
      {"OptionOfGccAlone", "-fira-loop-pressure", {kBody, "// one\n"}, {{kBody, "// two\n"}}, {}, "g++"},
      {"OptionThatNobodyJudged",
       "-fno-canonical-system-headers",
       {kBody, "// one\n"},
       {},
       {{kBody, "// two\n"}},
       "g++"},
      {"Assembly", "-S", {kBody, "// one\n"}, {}, {{"\n" + kBody, "// one\n"}}},
      {"Assembler",
       "-O1",
       {"asm(\".incbin \\\"header.h\\\"\");\n" + kBody, "// one\n"},
       {},
       {{"asm(\".incbin \\\"header.h\\\"\");\n" + kBody, "// two\n"}}},
      {"AssemblerByJoinedStrings",
       "-O1",
       {"asm(\".inc\" \"bin \\\"header.h\\\"\");\n" + kBody, "// one\n"},
       {},
       {{"asm(\".inc\" \"bin \\\"header.h\\\"\");\n" + kBody, "// two\n"}}},
      {"AssemblerByMacro",
       "-O1",
       {"#define TEXT(x) #x\nasm(TEXT(.INCBIN \"header.h\"));\n" + kBody, "// one\n"},
       {},
       {{"#define TEXT(x) #x\nasm(TEXT(.INCBIN \"header.h\"));\n" + kBody, "// two\n"}}},
      {"NamesLikeTheAssemblers",
       "-O1",
       {"int f(int) __asm(\"llvm.amdgcn.atomic.inc.i32\");\nconst char* name = \"a.inc\";\n" + kBody, "// one\n"},
       {{"int f(int) __asm(\"llvm.amdgcn.atomic.inc.i32\");\nconst char* name = \"a.inc\";\n" + kBody, "// two\n"}},
       {}},
  };
  return all;
}

struct OfCompiler {
  std::string compiler;
  Case tested;
};

void PrintTo(const OfCompiler& one, std::ostream* out) { *out << one.compiler << " " << one.tested.name; }

std::vector<OfCompiler> all_cases() {
  std::vector<OfCompiler> all;
  for (const char* compiler : {"g++", "clang++-15", "clang++-19"})
    for (const Case& one : cases())
      if (std::string_view(compiler).starts_with(one.only)) all.push_back({compiler, one});
  return all;
}

class TokenStaleness : public OpaqueCompile, public testing::TestWithParam<OfCompiler> {
 protected:
  const Case& tested() const { return GetParam().tested; }

  Arguments command() const {
    return words(GetParam().compiler) + words(tested().flags) +
           Arguments{"-c", "a.cpp", "-o", "a.o", "-MD", "-MF", "a.d"};
  }

  void write(const Text& text) {
    project_.write("a.cpp", "#include \"header.h\"\n" + text.source);
    project_.write("header.h", text.header);
  }
};

TEST_P(TokenStaleness, AsksForNoMoreAndNoLess) {
  write(tested().before);
  check(command());
  EXPECT_EQ(check(command()).hits, 1);
  for (const Text& text : tested().hits) {
    write(text);
    EXPECT_EQ(check(command()).hits, 1) << text.source << "---\n" << text.header;
  }
  for (const Text& text : tested().runs) {
    write(text);
    EXPECT_EQ(check(command()).hits, 0) << text.source << "---\n" << text.header;
  }
  write(tested().before);
  EXPECT_EQ(check(command()).hits, 1) << "the first state is still known";
}

INSTANTIATE_TEST_SUITE_P(Compilers, TokenStaleness, testing::ValuesIn(all_cases()), [](const auto& one) {
  const std::string& compiler = one.param.compiler;
  return one.param.tested.name + (compiler == "g++" ? "Gcc" : "Clang" + compiler.substr(8));
});

}  // namespace
}  // namespace hipcache::integration
