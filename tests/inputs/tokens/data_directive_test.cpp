#include "inputs/tokens/name_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "inputs/tokens/scan.h"

namespace hipcache::inputs {
namespace {

TEST(DataDirective, IsFoundInStrings) {
  for (const char* literal :
       {"\".incbin \\\"a\\\"\"", "\"nop\\n.include \\\"a\\\"\"", "\".INCBIN\"", "R\"(.incbin a)\""})
    EXPECT_EQ(data_directive_in(literal), DataDirective::whole) << literal;
  for (const char* literal : {"\"nop;.in\"", "\".incb\"", "\".i\"", "\"a.inc\"", "R\"(.inclu)\""})
    EXPECT_EQ(data_directive_in(literal), DataDirective::begun) << literal;
  for (const char* literal : {"\"llvm.amdgcn.atomic.inc.i32\"", "\"a.inc/b\"", "\"A sentence.\"", "\"include.\"",
                              "\"\"", "\"a.inline\"", "\"%.2f\"", "'.'"})
    EXPECT_EQ(data_directive_in(literal), DataDirective::none) << literal;
}

bool reads_data(const std::string& text) { return scan_source(text, Wanted::names).names.reads_data; }

TEST(DataDirective, CountsInASourceIfSomethingIsJoined) {
  for (const char* text : {"asm(\".incbin a\");", "asm(\".inc\" \"bin a\");", "asm(\".inc\" /* a */\n \"bin a\");",
                           "asm(\".inc\" BIN);", "#define A \".inc\"\nasm(A \"bin a\");", "#define A \".incbin a\"\n",
                           "asm(TEXT(.incbin \"a\"));", "#embed \"a\"\n"})
    EXPECT_TRUE(reads_data(text)) << text;
  for (const char* text : {"open(\"a.inc\");", "open(\"a.inc\", b);", "#include \"a.inc\"\nint a;\n",
                           "f(\"a.\" \"b\");", "#define A \"llvm.atomic.inc.i32\"\n", "#include \"a.h\"\n"})
    EXPECT_FALSE(reads_data(text)) << text;
}

TEST(DataDirective, IsFoundAsAWord) {
  for (const char* word : {"incbin", "INCBIN", "include"}) EXPECT_TRUE(is_data_directive(word)) << word;
  for (const char* word : {"incbi", "incbins", "includes", "inc", ""}) EXPECT_FALSE(is_data_directive(word)) << word;
}

}  // namespace
}  // namespace hipcache::inputs
