// Options that a driver passes on, in each spelling, by what they do to an opaque compile.
#include <gtest/gtest.h>

#include "compiler/words.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/opaque/opaque_command.h"

namespace hipcache::compiler {
namespace {

// The reason against the command, or "" if it is cached as an opaque compile.
std::string refusal_of(const std::string& line) {
  const auto parsed = parse_opaque(testing::words(line), "/");
  const auto* refused = std::get_if<Uncacheable>(&parsed);
  return refused == nullptr ? "" : text_of(refused->reason);
}

TEST(PassedOnOptions, OfTheFrontEndAreRefusedInEverySpelling) {
  const std::pair<const char*, const char*> refused[] = {{"-print-stats", "frontend-option"},
                                                         {"-ftime-report", "frontend-option"},
                                                         {"-load", "plugin"},
                                                         {"-fmodules", "modules"},
                                                         {"-emit-pch", "precompiled-header"}};
  for (const auto& [option, why] : refused)
    for (const char* spelling : {"-Xclang ", "-Xclang=", "-Xpreprocessor ", "-Wp,", "-Wp,-DX,"})
      EXPECT_EQ(refusal_of("clang++ " + std::string(spelling) + option + " -c a.cpp"), why) << spelling << option;
}

TEST(PassedOnOptions, OfLlvmAreRefusedInEverySpelling) {
  for (const char* option : {"-time-passes", "-stats"})
    for (const char* spelling : {"-mllvm ", "-mllvm=", "-Xclang -mllvm -Xclang ", "-Xarch_host -mllvm="})
      EXPECT_FALSE(refusal_of("clang++ " + std::string(spelling) + option + " -c a.cpp").empty()) << spelling << option;
  EXPECT_EQ(refusal_of("clang++ -mllvm=-time-passes -c a.cpp"), "backend-option");
}

TEST(PassedOnOptions, ForTheAssemblerAreRefusedIfTheyMeasure) {
  for (const char* option : {"-Wa,--statistics", "-Wa,-g,--stat", "-Xassembler --statistics", "-Wa,-statistics",
                             "--for-assembler --statistics", "--for-assembler=--statistics"})
    EXPECT_EQ(refusal_of("gcc " + std::string(option) + " -c a.c"), "statistics") << option;
}

TEST(PassedOnOptions, ForTheLinkerAreRefusedInEverySpelling) {
  for (const char* spelling : {"-Wl,", "-Xlinker ", "--for-linker ", "--for-linker="})
    EXPECT_EQ(refusal_of("gcc a.o " + std::string(spelling) + "--build-id=uuid"), "linker-option") << spelling;
}

TEST(PassedOnOptions, ThatDoNothingOfThatKindAreCached) {
  for (const char* line :
       {"gcc -Wp,-MD,lib/.stats.o.d -c a.c", "gcc -Wp,-MMD,plugin.d -c a.c", "clang -Wp,-D_FORTIFY_SOURCE=2 -c a.c",
        "clang -Wp,-DWITH_stats,-Iplugin -c a.c", "clang -Xclang -include -Xclang time-zone.h -c a.c",
        "clang -mllvm=-inline-threshold=9 -c a.c", "clang -Xclang=-fno-validate-pch -c a.c",
        "gcc -Wa,--noexecstack -c a.c", "gcc a.o -Wl,--start-group"})
    EXPECT_EQ(refusal_of(line), "") << line;
}

TEST(PassedOnOptions, MakeAPrecompiledHeaderWhateverTheLanguageIs) {
  for (const char* line :
       {"clang++ -Xclang -emit-pch -x c++ -c p.cpp -o p.pch", "clang++ -Xclang=-emit-pch -x c++ -c p.cpp -o p.pch",
        "hipcc -Xclang -emit-pch -c p.cpp -o p.pch", "clang++ -E -Xclang -emit-pch p.cpp -o p.pch",
        "clang++ -emit-ast p.cpp -o p.ast"})
    EXPECT_EQ(refusal_of(line), "precompiled-header") << line;
}

TEST(PassedOnOptions, LeaveTimesOutOfAPrecompiledHeaderWhereEveryClangObeysThem) {
  EXPECT_EQ(refusal_of("clang++ -x c++-header -Xclang -fno-pch-timestamp p.h"), "");
  EXPECT_EQ(refusal_of("clang++ -x c++-header -Xpreprocessor -fno-pch-timestamp p.h"), "");
  for (const char* ignored : {"-Xclang=-fno-pch-timestamp", "-Xanalyzer -fno-pch-timestamp", "-D -fno-pch-timestamp"})
    EXPECT_EQ(refusal_of("clang++ -x c++-header " + std::string(ignored) + " p.h"), "precompiled-header") << ignored;
}

}  // namespace
}  // namespace hipcache::compiler
