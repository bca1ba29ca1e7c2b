// Which messages show no more than lines of the files that they name.
#include "daemon/run/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hipcache::daemon {
namespace {

using testing::ElementsAreArray;

struct Judged {
  const char* printed;
  std::vector<std::string> files;
};

TEST(Messages, OfJudgedWarningsShowLinesOfTheFilesThatTheyName) {
  for (const Judged& one : {
           // clang 19, with the numbers of lines
           Judged{"a.hip:3:15: warning: ignoring return value of function declared with 'nodiscard' attribute "
                  "[-Wunused-result]\n    3 | void host() { f(); }\n      |               ^\n"
                  "1 warning generated when compiling for gfx906.\n",
                  {"a.hip"}},
           // clang 15, without
           Judged{"In file included from a.c:1:\n./b.h:1:12: warning: unused function 'f' [-Wunused-function]\n"
                  "static int f(void) { return 3; }\n           ^\n1 warning generated.\n",
                  {"./b.h", "a.c"}},
           Judged{
               "a.c:1:5: warning: unused variable 'a' [-Wunused-variable]\nerror: x.h:2: warning: a line\n    ~~^~~\n",
               {"a.c"}},
           Judged{
               "a.c:4:5: warning: 'f' is deprecated: see https://x/ROCm-Developer-Tools [-Wdeprecated-declarations]\n"
               "a.c:4:5: note: 'f' has been explicitly marked deprecated here\n"
               "/x y/hip.h:7:3: note: expanded from macro 'DEPRECATED'\n",
               {"/x y/hip.h", "a.c"}},
           Judged{"a.c:1:5: warning: the first of the list [-W#warnings]\n"
                  "a.c:1:5: warning: the last [-Wvla-cxx-extension]\n",
                  {"a.c"}},
           Judged{"a.cc:3:32: warning: field 'a' will be initialized after field 'b' [-Wreorder-ctor]\n"
                  "struct A { int b; int a; A() : a(1), b(2) {} };\n                               ^~~~  ~~~~\n"
                  "                               b(2)  a(1)\n1 warning generated.\n",
                  {"a.cc"}},
           // colours, and no excerpt
           Judged{"\x1b[1ma.c:1:5: \x1b[0m\x1b[0;1;35mwarning: \x1b[0m\x1b[1munused variable 'a' [-Wunused-variable]"
                  "\x1b[0m\n",
                  {"a.c"}},
           // a terminal of eighty columns
           Judged{"a.hip:3:15: warning: ignoring return value of function declared with\n"
                  "      'nodiscard' attribute [-Wunused-result]\n    f();\n    ^\n"
                  "a.hip:1:1: note: a long text of several words that is about\n      a declaration\n      f();\n      "
                  "^\n",
                  {"a.hip"}},
           // a message that the line says
           Judged{"a.h:3:9: warning: old, so new [-W#pragma-messages]\n    3 | #pragma message(\"old,\" \" so new\")\n"
                  "      |         ^\n",
                  {"a.h"}},
           // gcc
           Judged{"a.c: In function 'f':\na.c:1:5: warning: unused variable 'a' [-Wunused-variable]\n", {"a.c"}},
           Judged{"In file included from b.h:3,\n                 from a.c:2:\nc.h: At global scope:\n"
                  "c.h:1:5: warning: 'a' defined but not used [-Wunused-function]\n    1 | static int a() {\n"
                  "      |            ^\n",
                  {"a.c", "b.h", "c.h"}},
           Judged{"a.cc: In instantiation of 'int k(T) [with T = int]':\na.cc:2:19:   required from here\n"
                  "a.cc:1:36: warning: unused variable 'a' [-Wunused-variable]\n",
                  {"a.cc"}},
           Judged{"\x1b[01m\x1b[Ka.c:1:5:\x1b[m\x1b[K \x1b[01;35m\x1b[Kwarning: \x1b[m\x1b[Kunused variable "
                  "[\x1b[01;35m\x1b[K-Wunused-variable\x1b[m\x1b[K]\n",
                  {"a.c"}},
       }) {
    const std::optional<JudgedMessages> messages = judged_messages(one.printed);
    ASSERT_TRUE(messages) << one.printed;
    EXPECT_THAT(messages->files, ElementsAreArray(one.files)) << one.printed;
    EXPECT_EQ(messages->text.find('\x1b'), std::string::npos) << one.printed;
  }
}

TEST(Messages, OfOtherWarningsOrFormsProveNothing) {
  const std::string judged = "a.c:1:5: warning: unused variable 'a' [-Wunused-variable]\n";
  ASSERT_TRUE(judged_messages(judged));
  for (const std::string& one : {
           judged + "a.c:2:5: warning: variable 'p' is uninitialized [-Wuninitialized]\n",
           judged + "a.h:3:9: warning: old, so new [-W#pragma-messages]\n    3 | #pragma message(\"old,\" MORE)\n",
           judged + "a.h:3:9: warning: old [-W#pragma-messages]\n",
           judged + "a.h:3:9: note: '#pragma message: old'\n    3 | #pragma message(\"old\")\n",
           judged + "a.c:2:5: error: unused variable 'b' [-Werror,-Wunused-variable]\n",
           judged + "a.c:2:5: remark: unrolled loop [-Rpass]\n",
           judged + "a.c:2:5: Warnung: Variable [-Wunused-variable]\n",
           judged + "a.c:2:5: warning: text\n",
           judged + "a.c:2:5: warning: text [-Wunused-variable] and more\n",
           judged + "a.c:2:5: warning: text\n      of several lines\n",
           judged + "<command line>:1:9: note: expanded from macro 'A'\n",
           judged + "<scratch space>:2:1: note: expanded from here\n",
           judged + "In file included from <built-in>:3:\n",
           judged + "cc1plus: warning: command line option [-Wunused-variable]\n",
           judged + "a line of the source without marks\n",
           judged + "a line of the source\n      of several lines\n",
           judged + "\n",
           judged + "\x1b]8;;https://gcc.gnu.org\x07",
           judged + "a.c:1:5: note: call of 'f'; did you mean 'FF'?\n",
           judged + "fix-it:\"a.c\":{1:2-1:3}:\"x\"\n",
           judged + "a.c(2,5): warning: unused variable 'a' [-Wunused-variable]\n",
           "<built-in>:1:5: warning: unused variable 'a' [-Wunused-variable]\n" + judged,
           " \"clang\" -cc1 -x c\n" + judged,
           " as -v --64 -o a.o\n" + judged,
           judged + "PLEASE submit a bug report\n",
           std::string("a.c:1:5: note: only a note\n"),
           std::string("1 warning generated.\n"),
           std::string("some text\n"),
           std::string(),
       })
    EXPECT_FALSE(judged_messages(one)) << one;
}

class NamesInMessages : public testing::Test {
 protected:
  static inputs::RunContext in(const std::string& base) {
    inputs::RunContext context;
    context.roots = Roots(base);
    return context;
  }
  // What a run in the directory /one printed, as it is shown of a hit in /another/name.
  static std::string elsewhere(const std::string& printed, const std::vector<std::string>& arguments = {},
                               const std::string& streams = "") {
    inputs::RunContext from = in("/one");
    from.streams = streams;
    cache::ActionResult said{.stderr_text = Roots::escaped(printed)};
    make_portable(said, arguments, from);
    EXPECT_EQ(from.roots.local_text(said.stderr_text), printed);
    return in("/another/name").roots.local_text(said.stderr_text);
  }
};

TEST_F(NamesInMessages, AreTheOtherCheckoutsWhereLinesBeginWithThem) {
  EXPECT_EQ(elsewhere("In file included from /one/a.c:1:\n/one/b.h:1:2: warning: \x01 in /one/c.h [-Wx]\n"
                      "    1 | /one/d.h: \"/one/e.h:3:4: warning: y\"\n      | ^~~\n1 warning generated.\n"),
            "In file included from /another/name/a.c:1:\n/another/name/b.h:1:2: warning: \x01 in /one/c.h [-Wx]\n"
            "    1 | /one/d.h: \"/one/e.h:3:4: warning: y\"\n      | ^~~\n1 warning generated.\n");
  EXPECT_EQ(elsewhere("/one/b.h:1:2: warning: x\n/one/q.h:1:1: note: of the source\n       ^~\n"),
            "/another/name/b.h:1:2: warning: x\n/one/q.h:1:1: note: of the source\n       ^~\n")
      << "an excerpt";
  EXPECT_EQ(elsewhere("\x1b[1m/one/b.h:1:2: \x1b[0m\x1b[0;1;35mwarning: \x1b[0mx\n"),
            "\x1b[1m/another/name/b.h:1:2: \x1b[0m\x1b[0;1;35mwarning: \x1b[0mx\n");
  EXPECT_EQ(elsewhere("/one/a.c: In function 'f':\n/onetime/a.c:1:2: warning: x\n"),
            "/another/name/a.c: In function 'f':\n/onetime/a.c:1:2: warning: x\n");
}

TEST_F(NamesInMessages, StayWhereALineIsUnknownOrWidthCounts) {
  const std::string warning = "/one/b.h:1:2: warning: x\n";
  for (const std::string& printed : {warning + "PLEASE submit\n", warning + "ld: /one/b.o: undefined\n",
                                     std::string("/one/b.h:1:2: warning: no end")})
    EXPECT_EQ(elsewhere(printed), printed);
  EXPECT_EQ(elsewhere(warning, {"-fmessage-length=80"}), warning);
  EXPECT_EQ(elsewhere(warning, {}, ",,80x25"), warning) << "standard error is a terminal";
  EXPECT_NE(elsewhere(warning, {"-fmessage-length=0"}), warning);
}

}  // namespace
}  // namespace hipcache::daemon
