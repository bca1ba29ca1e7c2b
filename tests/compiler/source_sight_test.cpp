// What a command may see of its sources.
#include "hipcache/compiler/source_sight.h"

#include <gtest/gtest.h>

#include "compiler/words.h"

namespace hipcache::compiler {
namespace {

using testing::words;
using Sees = SourceSight::Sees;

Sees seen(const std::string& command) { return source_sight(words(command)).sees; }

TEST(SourceSight, OfPlainCompilesIsTheirTokens) {
  for (const char* command :
       {"g++ -O2 -c a.cpp -o a.o", "clang++ -O3 -fPIC -std=c++17 -DX=1 -Iinclude -isystem /x -MD -MF a.d -c a.cpp",
        "clang++ -x hip --offload-arch=gfx90a -munsafe-fp-atomics -mcode-object-version=5 -ffast-math -c a.hip",
        "g++ -g0 -fno-exceptions -fvisibility=hidden -march=x86-64-v3 -pthread -Wextra -Werror -c a.cc",
        "clang++ -fdebug-prefix-map=/a=/b -ffile-prefix-map=/a=/b -fno-sanitize=all -c a.cpp",
        "clang++ -flto=thin -mllvm -amdgpu-early-inline-all=true -c a.cpp"})
    EXPECT_EQ(seen(command), Sees::tokens) << command;
}

TEST(SourceSight, OfWhatRecordsTheSourceIsItsBytes) {
  for (const char* option : {"-g",
                             "-ggdb",
                             "-gline-tables-only",
                             "-gdwarf-4",
                             "--coverage",
                             "-fprofile-arcs",
                             "-fprofile-instr-generate",
                             "-fcoverage-mapping",
                             "-fsanitize=address",
                             "-save-temps",
                             "-fverbose-asm",
                             "-Wdocumentation",
                             "-Weverything",
                             "-fparse-all-comments",
                             "-Wtraditional",
                             "-Wtrailing-whitespace=any",
                             "-Wimplicit-fallthrough=1",
                             "-std=c++98",
                             "-ansi",
                             "-trigraphs",
                             "-fmodules",
                             "-fplugin=x.so",
                             "-Xclang -fno-x",
                             "-frecord-gcc-switches",
                             "-fno-such-option-as-this-exists-in-19"})
    EXPECT_EQ(seen("g++ -O2 " + std::string(option) + " -c a.cpp"), Sees::bytes) << option;
}

TEST(SourceSight, OfOpenMpIsPlaces) {
  EXPECT_EQ(seen("clang++ -fopenmp -c a.cpp"), Sees::places);
  EXPECT_EQ(seen("clang++ -fopenmp=libomp -c a.cpp"), Sees::places);
}

TEST(SourceSight, KnowsLanguagesAndIndentation) {
  EXPECT_TRUE(source_sight(words("g++ -Wall -c a.cpp")).checks_indentation);
  EXPECT_TRUE(source_sight(words("g++ -Wmisleading-indentation -c a.cpp")).checks_indentation);
  EXPECT_FALSE(source_sight(words("g++ -Wextra -Wno-all -c a.cpp")).checks_indentation);
  for (const char* name : {"a.cpp", "a.cc", "a.hip", "a.cu", "a.C"}) {
    EXPECT_TRUE(source_sight(words("clang++ -c " + std::string(name))).is_cxx) << name;
    EXPECT_TRUE(source_sight(words("clang++ -c " + std::string(name))).is_c_family) << name;
  }
  EXPECT_FALSE(source_sight(words("gcc -c a.c")).is_cxx);
  EXPECT_TRUE(source_sight(words("gcc -c a.c")).is_c_family);
  EXPECT_TRUE(source_sight(words("gcc -x c++ -c a.c")).is_cxx);
  for (const char* command : {"gcc -c a.s", "gcc -c a.S", "clang -c a.ll", "gcc -x assembler-with-cpp -c a.c"})
    EXPECT_FALSE(source_sight(words(command)).is_c_family) << command;
}

TEST(SourceSight, ReadsFrontEndsOfOlderClangs) {
  EXPECT_EQ(seen("clang -cc1 -triple amdgcn-amd-amdhsa -emit-obj --mrelax-relocations -fvisibility hidden "
                 "-target-feature -sse4a -debugger-tuning=gdb -fdebug-compilation-dir=/x -x hip a.hip"),
            Sees::tokens);
  EXPECT_EQ(seen("clang -cc1 -emit-obj -debug-info-kind=constructor -x hip a.hip"), Sees::bytes);
}

TEST(MacroArguments, AreFoundWhereNoOptionTakesThem) {
  std::vector<std::string> texts;
  for (const MacroArgument& macro :
       macro_arguments(words("g++ -DA -D B=1 -UC -o -DNO -include -DNO -Xclang -DNO -O2 -DE -g -DF -isystem /x -DG")))
    texts.push_back(macro.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"-DA", "-DB=1", "-UC", "-DE", "-DF", "-DG"}));
}

}  // namespace
}  // namespace hipcache::compiler
