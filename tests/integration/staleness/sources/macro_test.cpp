// Macros of the command line: those that a source can use count, and no others.
#include <gtest/gtest.h>

#include "integration/support/compiler.h"
#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

class MacroStaleness : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  MacroStaleness() {
    project_.write("a.cpp", "#include \"header.h\"\nint f() { return 1; }\n");
    project_.write("header.h", "");
  }

  Arguments command(const std::string& macros, const std::string& flags = "-O1") const {
    return words(GetParam()) + words(flags) + words(macros) + Arguments{"-c", "a.cpp", "-o", "a.o"};
  }

  std::int64_t hits(const std::string& macros, const std::string& flags = "-O1") {
    return check(command(macros, flags)).hits;
  }
};

TEST_P(MacroStaleness, ThatNothingUsesCostsNothing) {
  EXPECT_EQ(hits("-DCOMMIT=1"), 0);
  EXPECT_EQ(hits("-DCOMMIT=2"), 1);
  EXPECT_EQ(hits("-D COMMIT=3"), 1);
  EXPECT_EQ(hits("-UCOMMIT"), 1);
  EXPECT_EQ(hits(""), 1);
  EXPECT_EQ(hits("-DCOMMIT=2 -DBUILD=7 -U OTHER"), 1);
  EXPECT_EQ(hits("-DCOMMIT=2", "-O2"), 0);
}

TEST_P(MacroStaleness, ThatAHeaderUsesCounts) {
  project_.write("header.h",
                 "#ifdef COMMIT\ninline const char* commit() { return \"x\"; }\nint id = COMMIT;\n#endif\n");
  EXPECT_EQ(hits("-DCOMMIT=1"), 0);
  EXPECT_EQ(hits("-DCOMMIT=1 -DMORE"), 1);
  EXPECT_EQ(hits("-DCOMMIT=2"), 0);
  EXPECT_EQ(hits("-UCOMMIT"), 0);
  EXPECT_EQ(hits(""), 0) << "asked otherwise";
  EXPECT_EQ(hits("-DCOMMIT=1"), 1);
  EXPECT_EQ(hits("-DCOMMIT=2 -DMORE=3"), 1);
  EXPECT_EQ(hits("-DCOMMIT=2 -UCOMMIT"), 0);
  EXPECT_EQ(hits("-UCOMMIT -DCOMMIT=2"), 0) << "the order counts";
}

// As rocRAND's table of direction vectors.
TEST_P(MacroStaleness, ThatNothingUsesCostsNothingBesideATableOfManyMegabytes) {
  std::string table;
  for (int i = 0; i < 400'000; ++i) table += "// 0x8000000000000000, 0x4000000000000000, 0x2000000000000000\n";
  ASSERT_GT(table.size(), 24'000'000u);
  project_.write("header.h", table);
  EXPECT_EQ(hits("-DCOMMIT=1"), 0);
  EXPECT_EQ(hits("-DCOMMIT=2"), 1);
  project_.write("header.h", table + "int id = COMMIT;\n");
  EXPECT_EQ(hits("-DCOMMIT=2"), 0);
  EXPECT_EQ(hits("-DCOMMIT=3"), 0);
}

TEST_P(MacroStaleness, ThatTheSourceUsesCounts) {
  project_.write("a.cpp", "int f() { return ID; }\n");
  EXPECT_EQ(hits("-DID=1"), 0);
  EXPECT_EQ(hits("-DID=2"), 0);
  EXPECT_EQ(hits("-DID=1 -DMORE=1"), 1);
}

TEST_P(MacroStaleness, ThatComesLaterCountsIfAFileUsesIt) {
  project_.write("header.h", "#ifdef LATER\nint later;\n#endif\n");
  EXPECT_EQ(hits(""), 0);
  EXPECT_EQ(hits("-DUNUSED"), 1);
  EXPECT_EQ(hits("-DLATER"), 0);
  EXPECT_EQ(hits("-DLATER -DUNUSED"), 1);
}

TEST_P(MacroStaleness, OfPastedWordsCounts) {
  project_.write("header.h",
                 "#define CAT(a, b) CAT_(a, b)\n#define CAT_(a, b) a##b\n#define USE(x) USE_##x\n"
                 "int id = CAT(COM, MIT) + USE(FAST);\n");
  EXPECT_EQ(hits("-DCOMMIT=1 -DUSE_FAST=1 -DUSE_SLOW=1"), 0);
  EXPECT_EQ(hits("-DCOMMIT=2 -DUSE_FAST=1 -DUSE_SLOW=1"), 0);
  EXPECT_EQ(hits("-DCOMMIT=1 -DUSE_FAST=2 -DUSE_SLOW=1"), 0);
  EXPECT_EQ(hits("-DCOMMIT=1 -DUSE_FAST=1 -DUSE_SLOW=2"), 1);
}

TEST_P(MacroStaleness, InTheValueOfAnotherCounts) {
  project_.write("header.h", "int id = MAIN;\n");
  EXPECT_EQ(hits("-DMAIN=OTHER -DOTHER=1"), 0);
  EXPECT_EQ(hits("-DMAIN=OTHER -DOTHER=2"), 0);
  EXPECT_EQ(hits("-DMAIN=OTHER -DOTHER=1 -DMORE=3"), 1);
}

TEST_P(MacroStaleness, ThatAnInstalledHeaderUsesCounts) {
  project_.write("header.h", "#include <assert.h>\ninline void g(int a) { assert(a); }\n");
  EXPECT_EQ(hits("-DNDEBUG"), 0);
  EXPECT_EQ(hits(""), 0);
  EXPECT_EQ(hits("-DNDEBUG -DMORE"), 1);
}

TEST_P(MacroStaleness, CountsWhereItIsRecordedPrintedOrOdd) {
  EXPECT_EQ(hits("-DCOMMIT=1", "-g3"), 0);
  EXPECT_EQ(hits("-DCOMMIT=2", "-g3"), 0);
  EXPECT_EQ(hits("-DCOMMIT=1", "-Wall"), 0);
  EXPECT_EQ(hits("-DCOMMIT=don't", "-Wall"), 0) << "the compiler warns";
  EXPECT_EQ(hits("-D__reserved=1"), 0);
  EXPECT_EQ(hits("-D__reserved=2"), 0);
}

TEST_P(MacroStaleness, DoesNotCountInDebugInformationWithoutMacros) {
  EXPECT_EQ(hits("-DCOMMIT=1", "-g"), 0);
  EXPECT_EQ(hits("-DCOMMIT=2", "-g"), 1);
}

// The same definitions in another order, one of them out of reach.
TEST_P(MacroStaleness, BesideAnotherOfItsNameCountsInItsPlace) {
  project_.write("header.h", "int id = COMMIT;\n");
  EXPECT_EQ(hits("-DCOMMIT=1 -UCOMMIT -DCOMMIT=2"), 0);
  EXPECT_EQ(hits("-DCOMMIT=2 -UCOMMIT -DCOMMIT=1"), 0);
  if (GetParam() == "g++") return;
  EXPECT_EQ(hits("-Xclang -UCOMMIT -Xclang -DCOMMIT=3 -UCOMMIT -DCOMMIT=1"), 0);
  EXPECT_EQ(hits("-UCOMMIT -DCOMMIT=1 -Xclang -UCOMMIT -Xclang -DCOMMIT=3"), 0);
}

TEST_P(MacroStaleness, ThatNoJudgedWarningCanNameCostsNothing) {
  project_.write("header.h", "inline int g() { int unused; return 1; }\n");
  EXPECT_EQ(hits("-DCOMMIT=1", "-Wall"), 0);
  EXPECT_EQ(hits("-DCOMMIT=2 -DMORE", "-Wall"), 1);
  project_.write("header.h", "inline int g() { int unused; return 1; } // a comment\n");
  EXPECT_EQ(hits("-DCOMMIT=2", "-Wall"), 0) << "messages may show lines of the source";
  project_.write("header.h", "inline int g() { int COMMIT; return 1; }\n");
  EXPECT_EQ(hits("-DCOMMIT=unused", "-Wall"), 0);
  EXPECT_EQ(hits("-DCOMMIT=other", "-Wall"), 0);
}

// clang looks for a macro that stands for the null pointer, or for an attribute, and both look for similar names.
TEST_P(MacroStaleness, CountsWhereOtherMessagesWerePrinted) {
  for (const char* text : {"int g() { int* a; return *a; }\n",
                           "int g(int a) { switch (a) { case 1: ++a; case 2: ++a; } return a; }\n", "#warning odd\n"}) {
    project_.write("header.h", text);
    EXPECT_EQ(hits("-DCOMMIT=1", "-O1 -Wall -Wextra -Wimplicit-fallthrough"), 0) << text;
    EXPECT_EQ(hits("-DCOMMIT=[[fallthrough]]", "-O1 -Wall -Wextra -Wimplicit-fallthrough"), 0) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, MacroStaleness, testing::Values("g++", "clang++-15", "clang++-19"),
                         [](const auto& one) {
                           return one.param == "g++" ? std::string("Gcc") : "Clang" + one.param.substr(8);
                         });

}  // namespace
}  // namespace hipcache::integration
