// What of pragmas, inline assembly and built-in functions is permitted, and that nothing else is.
#include "inputs/tokens/judged.h"

#include <gtest/gtest.h>

#include <string>

#include "inputs/tokens/scan.h"

namespace hipcache::inputs {
namespace {

// What the text has that no list permits.
std::vector<Unjudged> unjudged_in(const std::string& text) { return scan_source(text, Wanted::names).names.unjudged; }

TEST(Judged, DirectivesAndPragmasThatShowNoPlace) {
  for (const char* text : {"#pragma once\n",
                           "#pragma unroll 4\n",
                           "#pragma unroll\n",
                           "#pragma GCC diagnostic push\n",
                           "#pragma GCC diagnostic ignored \"-Wall\"\n",
                           "#pragma clang diagnostic pop\n",
                           "#pragma clang loop unroll(full)\n",
                           "#pragma pack(push, 1)\n",
                           "#pragma omp parallel for\n",
                           "#pragma push_macro(\"A\")\n",
                           "#pragma\n",
                           "#\n",
                           "#pragma STDC FP_CONTRACT ON\n",
                           "_Pragma(\"unroll\") f();\n",
                           "_Pragma(\"GCC diagnostic ignored \\\"-Wa\\\"\")\n",
                           "#error it isn't\n",
                           "#pragma message(\"old\" \"er\")\n",
                           "#pragma message \"old\" NAME\n",
                           "_Pragma(\"diag_warning 1445\")\n",
                           "_Pragma(\"loop ivdep\")\n",
                           "asm(\"nop \\\n nop\");\n",
                           "#include <a.h>\n",
                           "#include_next \"a.h\"\n",
                           "#if __has_include(<a.h>)\n#endif\n",
                           "#if defined(__has_include) && 1\n#endif\n",
                           "#if __has_include (\"a.h\")\n#endif\n",
                           "#undef A\n"})
    EXPECT_TRUE(unjudged_in(text).empty()) << text << unjudged_in(text).front().what;
  for (const char* text : {"#pragma GCC diagnostic warning \"-Wall\"\n",
                           "#pragma GCC diagnostic error \"-Wall\"\n",
                           "#pragma clang diagnostic fatal \"-Wall\"\n",
                           "#pragma GCC diagnostic ignored NAME\n",
                           "#pragma GCC dependency \"a.h\"\n",
                           "#pragma GCC\n",
                           "#pragma clang module import a\n",
                           "#pragma mine\n",
                           "_Pragma(\"clang diagnostic error \\\"-Wall\\\"\")\n",
                           "_Pragma(TEXT)\n",
                           "_Pragma(\"unroll\" \"4\")\n",
                           "_Pragma(\"unr\\x6fll\")\n",
                           "#line 7\n",
                           "# 1 \"a.c\"\n",
                           "#ident \"x\"\n",
                           "#import \"a.h\"\n",
                           "#embed \"a\"\n",
                           "#assert a(b)\n",
                           "#mine\n",
                           "#include NAME\n",
                           "#include INC(a.h)\n",
                           "#if __has_include(NAME)\n#endif\n",
                           "#if __has_embed(NAME)\n#endif\n",
                           "import a;\n",
                           "export module a;\n",
                           "module;\n"})
    EXPECT_FALSE(unjudged_in(text).empty()) << text;
}

TEST(Judged, AnAssemblerReadsNoFileForATextOfJudgedDirectives) {
  for (const char* text :
       {"asm(\"nop\");", "asm volatile(\"s_nop 0\\n\\ts_nop 1\" : \"=r\"(a) : \"r\"(b) : \"memory\");",
        "int f(int) __asm(\"llvm.amdgcn.atomic.inc.i32\");", "asm(\".text\\n.globl a\\n.size a, .5\");",
        "asm goto(\"jmp %l0\" : : : : out);", "const char* name = \"a.inc\"; f(\"tea.in\" EXT);",
        "asm(\"1: jmp .L1\");", "void asmx(), casm();"})
    EXPECT_TRUE(unjudged_in(text).empty()) << text << unjudged_in(text).front().what;
  for (const char* text :
       {"asm(\".incbin \\\"a\\\"\");", "asm(\".\" \"incbin a\");", "asm(\".INCBIN a\");", "asm(\".incb\\151n a\");",
        "asm(\".%c0 a\" : : \"i\"(incbin));", "asm(\".macro x a\\n.\\\\a b\\n.endm\");", "asm(TEXT);",
        "asm(\"nop\" TEXT);", "asm(R\"(.incbin a)\");", "asm { nop }", "asm(\". include a\");", "asm(\".altmacro\");",
        "int a __attribute__((section(\"x\\n.incbin a\")));"})
    EXPECT_FALSE(unjudged_in(text).empty()) << text;
}

TEST(Judged, ATextThatMacrosMakeCountsByItsUse) {
  const SourceNames names =
      scan_source("#define A(x) asm(x)\n#define B _Pragma(\"once\")\n#define C(x) _Pragma(#x)\n#define D asm(\"nop\"",
                  Wanted::names)
          .names;
  ASSERT_EQ(names.macros.size(), 4u);
  EXPECT_TRUE(names.macros[0].assembles);
  EXPECT_FALSE(names.macros[0].is_unjudged);
  EXPECT_FALSE(names.macros[1].is_unjudged);
  EXPECT_TRUE(names.macros[2].makes_pragma);
  EXPECT_FALSE(names.macros[2].is_unjudged);
  EXPECT_TRUE(names.macros[3].is_unjudged) << "it ends elsewhere";
}

TEST(Judged, BuiltinFunctionsThatShowNoPlace) {
  for (const char* word : {"__builtin_memcpy", "__builtin_expect", "__builtin_amdgcn_workgroup_id_x", "__builtin_isnan",
                           "__builtin_LINE", "memcpy", "__builtin___memcpy_chk", "__builtin_unreachable"})
    EXPECT_TRUE(is_judged_builtin(word)) << word;
  for (const char* word : {"__builtin_annotation", "__builtin_new_in_clang_30", "__builtin_verbose_trap",
                           "__builtin_sycl_unique_stable_name", "__builtin_"})
    EXPECT_FALSE(is_judged_builtin(word)) << word;
}

TEST(Judged, WordsWithinPragmasAreWordsOfTheSource) {
  for (const char* text :
       {"_Pragma(\"unroll FACTOR\")", "#define P _Pragma(\"unroll FACTOR\")\n", "#pragma unroll FACTOR\n",
        "#pragma push_macro(\"FACTOR\")\n", "#if 0\ndon't FACTOR\n#endif\n"})
    EXPECT_TRUE(has_word(scan_source(text, Wanted::names).names, name64("FACTOR"))) << text;
}

}  // namespace
}  // namespace hipcache::inputs
