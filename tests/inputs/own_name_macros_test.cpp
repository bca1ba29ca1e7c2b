// Which files may use a macro that asks for the name of the file that uses it.
#include "inputs/mentions/own_name_macros.h"

#include <gtest/gtest.h>

namespace hipcache::inputs {
namespace {

const std::vector<std::string> kArguments{"-cc1", "-O1"};

bool may_use(std::string_view generated, std::string_view header, std::string_view installed = "",
             const std::vector<std::string>& arguments = kArguments) {
  OwnNameMacros macros;
  macros.add(generated, false);
  macros.add(header, false);
  macros.add(installed, true);
  macros.close(arguments);
  return macros.may_be_used_in(generated);
}

constexpr const char* kCheck = "#define CHECK(x) check(x, __FILE__)\n";

TEST(OwnNameMacros, AreFoundByTheirNames) {
  EXPECT_TRUE(may_use("int a = CHECK(1);", kCheck));
  EXPECT_FALSE(may_use("int a = f(1);", kCheck));
  EXPECT_FALSE(may_use("int CHECKED, MY_CHECK;", kCheck)) << "other words";
}

TEST(OwnNameMacros, MayBeUsedByOtherMacros) {
  EXPECT_TRUE(
      may_use("int a = TWICE(1);", std::string("#define TWICE(x) ONCE(x)\n#define ONCE(x) CHECK(x)\n") + kCheck));
  EXPECT_TRUE(may_use("#define MINE CHECK\nint a = MINE(1);", kCheck));
  EXPECT_TRUE(may_use("int a = DEBUG_CHECK(1);", kCheck, "#define DEBUG_CHECK(x) CHECK(x)\n"));
}

TEST(OwnNameMacros, AreFoundInEverySpelling) {
  for (const char* header :
       {"#define \\\nCHECK(x) \\\n  check(x, \\\n __FILE__)\n", "# \tdefine\tCHECK(x) f(__FILE__)\n",
        "%:define CHECK(x) f(__FILE__)\n", "#def\\\nine CH\\\nECK(x) f(__FI\\\nLE__)\n",
        "#define CHECK(x) f(__FI\\ \nLE__)\n", "/* to define it: */ #define CHECK(x) f(__FILE__)\n",
        "#if 0\n#define CHECK(x)\n#else\n#define CHECK(x) f(__FILE__)\n#endif\n", "#define CHECK/**/(x) f(__FILE__)\n",
        "#define CHECK(x) /* one \n two */ f(__FILE__)\n", "#define /* name */ CHECK(x) f(__FILE__)\n",
        "#define/**/CHECK(x) f(__FILE__)\n", "#define CHECK(x) f(__FI##LE__)\n"})
    EXPECT_TRUE(may_use("int a = CHECK(1);", header)) << header;
  EXPECT_TRUE(may_use("int a = CH\\\nECK(1);", kCheck));
}

TEST(OwnNameMacros, MayBeAnyWhereWordsArePasted) {
  constexpr const char* kPastes = "#define NAMED(x) CHE##x\n";
  EXPECT_TRUE(may_use("int a = NAMED(CK)(1);", std::string(kPastes) + kCheck));
  EXPECT_TRUE(may_use("int a = NAMED(CK)(1);", std::string("#define NAMED(x) CHE%:%:x\n") + kCheck));
  EXPECT_FALSE(may_use("int a = f(1);", std::string(kPastes) + kCheck));
}

TEST(OwnNameMacros, MayBeAnyWhereTheRulesCannotTell) {
  constexpr const char* kPlain = "int a = f(1);";
  for (const char* header : {"const char* f(const char* file = __builtin_FILE());", "std::source_location where;",
                             "#define MAIN __BASE_FILE__", "#define CHECK f(__FILE__) /* and \n", "int a;?\?/\n",
                             "#define \xc3\xa9 __FILE__", "#define \\u00e9 __FILE__"})
    EXPECT_TRUE(may_use(kPlain, header)) << header;
  EXPECT_TRUE(may_use(kPlain, std::string_view("CPCH\0", 5)));
}

TEST(OwnNameMacros, OfInstalledHeadersDoNotAskByThemselves) {
  EXPECT_FALSE(may_use("void f() { assert(1); }", "", "#define assert(x) f(x, __FILE__)\n"));
  EXPECT_FALSE(may_use("int a = JOIN(a, b);", "", "#define JOIN(a, b) a##b\n"));
}

TEST(OwnNameMacros, MayBeDefinedByTheCommand) {
  for (const char* argument : {"-DMINE=__FILE__", "MINE=CHECK", "-DMINE(x)=CHE##x", "@options", "--config=x.cfg"})
    EXPECT_TRUE(may_use("int a = MINE(1);", kCheck, "", {"-cc1", "-D", argument})) << argument;
  EXPECT_FALSE(may_use("int a = MINE(1);", kCheck, "", {"-cc1", "-D", "MINE=f"}));
  EXPECT_TRUE(may_use("int a = MINE(1);", kCheck, "", {})) << "a command that is not known";
}

}  // namespace
}  // namespace hipcache::inputs
