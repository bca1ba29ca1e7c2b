// Where a source may have a literal with which the text of inline assembly begins.
#include "inputs/sources/assembly_texts.h"

#include <gtest/gtest.h>

namespace hipcache::inputs {
namespace {

struct Source {
  const char* text;
  bool may_begin;
};

TEST(AssemblyTexts, MayBeginWithAnyLiteralThatIsALikeBeginning) {
  const std::string text = "; hack\n$0";
  for (const Source& one : {
           Source{"asm(\"; hack\\n%0\")", true},
           Source{"asm(\"; hack\" \"\\n%0\")", true},
           Source{"asm(\"; ha\" /* c */ \"ck\\n%0\")", true},
           Source{"asm(\"; ha\" CK)", true},
           Source{"asm(\"\" HACK)", true},
           Source{"asm(\"; ha\"\n#if 1\n\"ck\"\n#endif\n)", true},
           Source{"\"; ha\"", true},  // the file that includes this one goes on
           Source{"asm(\"; ha\\\nck\\n%0\")", true},
           Source{"asm(\"\\073 hack\\n%0\")", true},
           Source{"asm(\"\\x3b hack\")", true},
           Source{"asm(\"?\?= hack\")", true},
           Source{"asm(R\"(; hack)\")", true},
           Source{"asm(R\"x(; hack)x\")", true},
           Source{"\"#define\" \"; hack\"", true},
           Source{"/*\n#define */ asm(\"; hack\\n%0\")", true},
           Source{"f(\"; \", 1)", false},
           Source{"f(\"\", 1)", false},
           Source{"s = \"\";", false},
           Source{"asm(\"nop\")", false},
           Source{"asm(\"; hook\")", false},
           Source{"printf(\"%d\\n\")", false},
           Source{"printf(\"\\n\")", false},
           Source{"f(\"a\"); g(\"b\");", false},
           Source{"\"a\"; hack", false},
           Source{"operator\"\" _s(const char*)", false},
           Source{"operator \"\"s(const char*)", false},
           Source{"#define VERSION \"\"\n#define MORE", false},
           Source{"# define T(x) \\\n  asm(\"; hack\")\n", false},
           Source{"f(R\"(nop)\")", false},
           Source{"", false},
       })
    EXPECT_EQ(may_begin_literal(one.text, text), one.may_begin) << one.text;
  EXPECT_TRUE(may_begin_literal("", "")) << "asm(\"\")";
  EXPECT_TRUE(may_begin_literal("asm(\"%0\")", "$0"));
}

}  // namespace
}  // namespace hipcache::inputs
