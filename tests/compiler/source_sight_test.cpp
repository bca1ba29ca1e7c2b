// What a command may see of its sources.
#include "hipcache/compiler/source_sight.h"

#include <gtest/gtest.h>
#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/Option.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/StringSaver.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "compiler/options/option_table.h"
#include "compiler/words.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

using testing::words;
using Sees = SourceSight::Sees;

Sees seen(const std::string& command) { return source_sight(words(command)).sees; }

TEST(SourceSight, OfPlainCompilesIsTheirTokens) {
  for (const char* command :
       {"g++ -O2 -c a.cpp -o a.o",
        "clang++ -O3 -fPIC -std=c++17 -DX=1 -Iinclude -isystem /x -MD -MF a.d -MT a.o -c a.cpp",
        "clang++ -x hip --offload-arch=gfx90a -munsafe-fp-atomics -mcode-object-version=5 -ffast-math -c a.hip",
        "g++ -g0 -fno-exceptions -fvisibility=hidden -march=x86-64-v3 -pthread -Wextra -Werror -c a.cc",
        "clang++ -fdebug-prefix-map=/a=/b -ffile-prefix-map=/a=/b -fno-sanitize=all -c a.cpp",
        "clang++ -flto=thin -mllvm -amdgpu-early-inline-all=true -c a.cpp",
        "/usr/bin/c++ -O3 -DNDEBUG -std=gnu++17 -fPIC -Wall -Wextra -Werror -march=native -fvisibility=hidden "
        "-fvisibility-inlines-hidden -Winvalid-pch -pthread -isystem /x -c a.cpp",
        "cc -std=gnu11 -O2 -Wall -Wno-unused-parameter -Wstrict-prototypes -c a.c",
        "hipcc -O3 -std=c++17 --offload-arch=gfx906 --offload-arch=gfx1030 -fno-gpu-rdc "
        "-mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false -Wno-unused-command-line-argument "
        "-Wno-c++98-compat --rocm-path=/opt/rocm -c a.cpp",
        "hipcc -c a.cu",
        "clang++ -Xclang -target-feature -Xclang +avx -Xarch_device -O1 -Xarch_host -march=native -c a.hip",
        "clang++ -std=c++20 --include-directory=x --std=c++17 --target=x86_64-linux-gnu --compile a.cpp",
        "clang -mavx2 -mno-avx512f -mwavefrontsize64 -fno-strict-aliasing -fno-plt -fno-builtin-memcpy -c a.c",
        "gcc -mavx2 -mno-red-zone -fno-tree-vectorize -falign-functions=16 --param max-inline-insns-single=9 "
        "-Wimplicit-fallthrough=3 -Wformat=2 -Werror=format-security -Wa,--noexecstack -fno-builtin-memcpy -c a.c",
        "g++ -Wno-no-such-warning -Wno-error=whatever -Wno-traditional -c a.cpp",
        "clang++ -pedantic -pedantic-errors -W -w -Wpedantic -Werror=return-type -c -- a.cpp",
        "g++ a.cpp b.o libc.a -lm -Wl,-z,now -shared -o d.so"})
    EXPECT_EQ(seen(command), Sees::tokens) << command << ": " << source_sight(words(command)).because;
}

// What nobody has judged also keeps macros in the key.
TEST(SourceSight, OfAnOptionOnNoListIsBytes) {
  const char* commands[] = {
      // Other spellings, and what hands options on.
      "gcc --all-warnings", "gcc --warn-all", "gcc --warn-error=all", "gcc --extra-warnings", "gcc --debug=3",
      "gcc --debug", "gcc --std=c99", "gcc --language=c++", "gcc --ansi", "gcc --define-macro=X", "gcc --def X",
      "gcc --include x.h", "gcc --optimize=2", "gcc --machine=avx", "gcc -specs=my.opts", "gcc -specs my.opts",
      "gcc --specs=my.opts", "gcc --specs my.opts", "clang -specs=my.opts", "clang --config=x", "clang --config x",
      "clang @more", "gcc @more", "gcc -Wp,-DX", "clang -Wp,-Wall", "clang -Xpreprocessor -C", "gcc -Xassembler -g",
      "clang --define-macro=X", "clang --undefine-macro=X", "clang -Xclang -fno-x", "clang -Xclang -plugin -Xclang x",
      "clang -Xclang -DX", "clang -Xarch_host -UX", "clang -Xarch_device -fplugin=x", "clang -Xarch_host -g3",
      "gcc -Xclang -Wall", "gcc -Xarch_host -O1", "gcc -- ", "clang -Wa,-al", "gcc -Wa,-g",
      "gcc -Wa,--noexecstack,-al=x",
      // Macros, places and texts in outputs.
      "gcc -g3", "gcc -ggdb3", "clang -g3", "clang -fdebug-macro", "gcc -E", "gcc -M", "gcc -MM", "clang -MJ x",
      "gcc -dD", "gcc -dM", "gcc -C", "gcc -CC", "gcc -S", "clang -S", "gcc -save-temps", "clang --save-temps=obj",
      "gcc -fverbose-asm", "gcc -frecord-gcc-switches", "gcc -gz", "gcc -gsplit-dwarf", "clang -gembed-source",
      "clang -grecord-command-line", "gcc -aux-info x", "gcc -fstack-usage", "gcc -fdump-tree-all", "gcc -fopt-info",
      "clang -Rpass=inline", "clang -fsave-optimization-record", "clang -ftime-trace", "clang --analyze",
      "gcc -fanalyzer", "gcc -fcallgraph-info", "clang -fsyntax-only", "clang --serialize-diagnostics x",
      "clang -fdiagnostics-format=sarif", "gcc -fdiagnostics-format=json-file", "clang -emit-ast",
      // Languages.
      "gcc -x objective-c", "gcc -x assembler-with-cpp", "clang -x cuda", "clang -x c++-header", "clang -x ir",
      "clang -x cl", "gcc -x hip", "clang -fms-extensions", "clang -fms-compatibility", "clang -fasm-blocks",
      "clang -fblocks", "gcc -traditional", "gcc -traditional-cpp", "gcc -finput-charset=latin1",
      "gcc -fexec-charset=x", "clang -fmodules", "clang -fmodule-file=x", "gcc -fmodules-ts", "clang -include-pch x",
      "clang -fopenacc", "gcc -fopenacc", "gcc -fno-operator-names", "gcc -fno-dollars-in-identifiers",
      "gcc -fpreprocessed", "gcc -fdirectives-only", "gcc -ftabstop=4", "clang -fparse-all-comments", "gcc -undef",
      "clang -std=c++42", "gcc -std=f2018", "gcc -x c -std=", "gcc -fplan9-extensions", "gcc -fextended-identifiers",
      // Programs that do what they like, and options of other releases.
      "gcc -fplugin=x.so", "clang -fplugin=x.so", "clang -fpass-plugin=x", "clang -mllvm -print-after-all",
      "clang -mllvm -load=x", "gcc -wrapper x", "clang -fno-such-option-as-this", "gcc -mno-such-option",
      "gcc -fno-such-option", "gcc -O2x=y -Fx",
      // Warnings.
      "gcc -Wtraditional", "gcc -Wtrailing-whitespace=any", "gcc -Wleading-whitespace=spaces",
      "gcc -Wimplicit-fallthrough=1", "gcc -Wimplicit-fallthrough=2", "gcc -Werror=implicit-fallthrough=1",
      "gcc -Wbidi-chars=any", "gcc -Wdocumentation", "gcc -Wmost", "gcc -Wno-such=x -Wsuch", "gcc -Wsystem-headers",
      "gcc -Wunused-macros", "gcc -Weverything", "clang -Winvalid-utf8", "clang -Wcompound-token-split",
      "clang -Werror=compound-token-split-by-space", "clang -Wsome-warning-of-tomorrow", "clang -Wbidi-chars",
      "clang --warn-unicode"};
  for (const std::string command : commands) {
    const SourceSight sight = source_sight(words(command + " -c a.c"));
    EXPECT_EQ(sight.sees, Sees::bytes) << command;
    EXPECT_FALSE(sight.is_judged) << command;
    EXPECT_FALSE(sight.because.empty()) << command;
  }
  for (const char* command :
       {"mycc -c a.c", "gcc -c a.m", "gcc -c a.s", "gcc -c a.S", "gcc -c a.h", "clang -c a.ll", "clang -c a.cl",
        "clang -c a.cu", "g++ -c a.hip", "gcc -c a", "clang -c a.cppm", "gcc -c -x", "clang++ -c a.cc -o"})
    EXPECT_FALSE(source_sight(words(command)).is_judged) << command;
}

// Nothing of this shows a macro that no source uses.
TEST(SourceSight, OfWhatRecordsTheSourceIsItsBytes) {
  for (const char* command : {"clang -g",
                              "clang -g1",
                              "clang -ggdb",
                              "clang -gline-tables-only",
                              "clang -gmlt",
                              "clang -gdwarf-5",
                              "clang -gdwarf-4 -gdwarf-5",
                              "clang -gdwarf-4 -gdwarf",
                              "cc -g",
                              "c++ -g1",
                              "gcc --coverage",
                              "gcc -fprofile-arcs",
                              "clang -fprofile-instr-generate",
                              "clang -fcoverage-mapping",
                              "gcc -fsanitize=address",
                              "clang -fsanitize=undefined",
                              "gcc -std=c89",
                              "gcc -std=iso9899:199409",
                              "clang++ -std=c++03",
                              "clang++ -std=gnu++98",
                              "gcc -ansi",
                              "clang --ansi",
                              "gcc -trigraphs",
                              "gcc -flto",
                              "gcc -flto=auto",
                              "gcc -fopenmp",
                              "clang -fopenmp=libomp",
                              "gcc -fopenmp-simd",
                              "clang -Wdocumentation",
                              "clang -Weverything",
                              "clang --warn-everything",
                              "clang -Werror=newline-eof",
                              "clang -Wc++98-compat-pedantic"}) {
    const SourceSight sight = source_sight(words(std::string(command) + " -c a.c"));
    EXPECT_EQ(sight.sees, Sees::bytes) << command;
    EXPECT_TRUE(sight.is_judged) << command << ": " << sight.because;
  }
  EXPECT_EQ(source_sight(words("g++ -O2 -fopenmp -c a.cpp")).because, "-fopenmp");
  EXPECT_EQ(source_sight(words("g++ -fopenmp -fplugin=x -g -c a.cpp")).because, "-fplugin=x");
}

TEST(SourceSight, OfDebugInformationWithoutDigestsIsPlaces) {
  for (const char* command : {"gcc -g", "g++ -g1", "gcc -g2 -gdwarf-5", "x86_64-linux-gnu-g++-12 -ggdb",
                              "clang -gdwarf-4", "clang -g -gdwarf-4", "clang -gdwarf-3 -g2",
                              "clang++ -gline-tables-only -gdwarf-4", "clang -gdwarf -gdwarf-2", "c++ -gdwarf-4"}) {
    const SourceSight sight = source_sight(words(std::string(command) + " -c a.c"));
    EXPECT_EQ(sight.sees, Sees::places) << command << ": " << sight.because;
    EXPECT_TRUE(sight.is_judged) << command;
  }
}

TEST(SourceSight, KnowsWarningsThatCompareColumns) {
  for (const char* option :
       {"gcc -Wall", "gcc -Werror=all", "gcc -Wmisleading-indentation", "gcc -Wparentheses", "clang -Wall",
        "clang -Werror=all", "clang --all-warnings", "clang --warn-all", "clang --warn-=all", "clang -Wmost",
        "clang -Wbool-operation", "clang -Werror=bitwise-instead-of-logical", "cc -Wparentheses", "hipcc -Wall"}) {
    const SourceSight sight = source_sight(words(std::string(option) + " -c a.c"));
    EXPECT_TRUE(sight.checks_indentation) << option;
    EXPECT_EQ(sight.sees, Sees::tokens) << option << ": " << sight.because;
  }
  for (const char* option : {"gcc -Wextra -Wno-all", "clang -Wparentheses", "clang -Wno-most", "gcc -Wpedantic"})
    EXPECT_FALSE(source_sight(words(std::string(option) + " -c a.c")).checks_indentation) << option;
}

TEST(SourceSight, KnowsLanguages) {
  for (const char* command :
       {"clang++ -c a.cpp", "g++ -c a.cc", "clang++ -c a.hip", "g++ -c a.C", "gcc -x c++ -c a.c"}) {
    EXPECT_TRUE(source_sight(words(command)).is_cxx) << command;
    EXPECT_TRUE(source_sight(words(command)).is_c_family) << command;
  }
  EXPECT_FALSE(source_sight(words("gcc -c a.c")).is_cxx);
  EXPECT_TRUE(source_sight(words("gcc -c a.c")).is_c_family);
  // C++11 has no digit separators.
  EXPECT_FALSE(source_sight(words("hipcc -std=c++11 -c a.cpp")).is_cxx);
  EXPECT_EQ(seen("hipcc -std=c++11 -c a.cpp"), Sees::tokens);
  EXPECT_TRUE(source_sight(words("hipcc -std=c++11 -std=c++14 -c a.cpp")).is_cxx);
  EXPECT_EQ(seen("gcc a.c b.cc -o app"), Sees::bytes);
  for (const char* command : {"gcc -c a.s", "gcc -c a.S", "clang -c a.ll", "gcc -x assembler-with-cpp -c a.c"})
    EXPECT_FALSE(source_sight(words(command)).is_c_family) << command;
}

TEST(SourceSight, ReadsFrontEndsOfOlderClangs) {
  EXPECT_EQ(seen("clang -cc1 -triple amdgcn-amd-amdhsa -emit-obj --mrelax-relocations -fvisibility hidden "
                 "-target-feature -sse4a -debugger-tuning=gdb -fdebug-compilation-dir=/x -x hip a.hip"),
            Sees::tokens);
  EXPECT_EQ(seen("clang -cc1 -emit-obj -debug-info-kind=constructor -dwarf-version=5 -x hip a.hip"), Sees::bytes);
  EXPECT_EQ(seen("clang -cc1 -emit-obj -debug-info-kind=constructor -x hip a.hip"), Sees::bytes);
  EXPECT_EQ(seen("clang -cc1 -emit-obj -debug-info-kind=limited -dwarf-version=4 -x hip a.hip"), Sees::places);
  EXPECT_FALSE(source_sight(words("clang -cc1 -emit-obj -debug-info-macro -x hip a.hip")).is_judged);
}

// The words of a job, as "clang -###" prints them.
std::vector<std::string> words_of_job(const std::string& line) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char*, 64> found;
  llvm::cl::TokenizeGNUCommandLine(line, saver, found);
  return {found.begin(), found.end()};
}

// What the drivers of clang 15 to 23 make of HIP compiles. Only options of the user's ask for more.
TEST(SourceSight, OfEachRecordedJobIsItsTokens) {
  const std::set<std::string> explained = {"-S", "-E", "-ftime-trace=", "-save-temps=", "-split-dwarf-file"};
  int jobs = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(HIPCACHE_SOURCE_DIR "/fixtures/plans")) {
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      const std::vector<std::string> job = words_of_job(line);
      const auto language = std::find(job.begin(), job.end(), "-x");
      if (job.size() < 2 || job[1] != "-cc1" || language == job.end() || language[1] != "hip") continue;
      const SourceSight sight = source_sight(job);
      const std::string why = sight.because.substr(0, sight.because.find_first_of("= ") + 1);
      const bool has_debug = std::find(job.begin(), job.end(), "-dwarf-version=5") != job.end();
      const bool is_explained = explained.contains(sight.because) || explained.contains(why) ||
                                explained.contains(why.substr(0, why.find(' ')));
      EXPECT_TRUE(sight.sees == Sees::tokens || has_debug || is_explained) << file.path() << ": " << sight.because;
      EXPECT_TRUE(sight.is_judged || is_explained) << file.path() << ": " << sight.because;
      ++jobs;
    }
  }
  EXPECT_GT(jobs, 200);
}

struct Listed {
  std::string kind;
  std::string compilers;
  std::vector<std::string> names;
};

std::vector<Listed> lists() {
  return {
#define OPTIONS(compilers, sight, names) {"OPTIONS", #compilers, words(names)},
#define WARNINGS(compilers, sight, names) {"WARNINGS", #compilers, words(names)},
#define LLVM(compilers, sight, names) {"LLVM", #compilers, words(names)},
#include "compiler/options/permitted_options.inc"
#undef OPTIONS
#undef WARNINGS
#undef LLVM
  };
}

// A list names options as clang's table does, once. gcc's take the next word if the table's do.
TEST(PermittedOptions, AreThoseOfTheCompilers) {
  std::set<std::string> of_clang;
  for (unsigned id = 1; id <= option_table().getNumOptions(); ++id) {
    const llvm::opt::Option option = option_table().getOption(id);
    if (!option.getPrefix().empty() && !option.getAlias().isValid()) of_clang.insert(spelled(option));
  }
  std::set<std::string> names;
  for (const Listed& list : lists()) {
    EXPECT_FALSE(list.names.empty());
    for (const std::string& name : list.names) {
      for (const char* compiler : {"kClang", "kGcc"})
        if (list.compilers == compiler || list.compilers == "kBoth") {
          EXPECT_TRUE(names.insert(list.kind + compiler + name).second) << name;
        }
      if (list.kind == "OPTIONS" && list.compilers != "kGcc") {
        EXPECT_TRUE(of_clang.contains(name) || name == "-parallel-jobs=") << name;  // AMD's clang has this one
      }
      if (list.kind != "OPTIONS" || list.compilers == "kClang") continue;
      unsigned missing_index = 0;
      unsigned missing_count = 0;
      const auto parsed = option_table().ParseArgs({name.c_str(), "v"}, missing_index, missing_count, options::kDriver);
      EXPECT_EQ(parsed.size() == 1, option_has(name, facts::takes_next) && !name.ends_with('=')) << name;
    }
  }
  EXPECT_GT(names.size(), 2000u);
}

TEST(MayRecordMacros, UnlessAJudgedCommandCompilesOneSource) {
  for (const char* command :
       {"g++ -O2 -DX -c a.cpp", "clang++ -g -c a.cpp", "hipcc -O2 -c a.cpp", "cc -c a.c", "gcc -fopenmp -c a.c"})
    EXPECT_FALSE(may_record_macros(words(command))) << command;
  for (const char* command :
       {"g++ -O2 a.cpp -o a", "g++ -c a.cpp b.cpp", "g++ -E a.cpp", "gcc -c -g3 a.c", "gcc -c --debug=3 a.c",
        "clang -c -MJ x a.c", "gcc -c a.h", "clang -c -emit-ast a.c", "gcc -c --define-macro=X a.c",
        "gcc -c -Wp,-DX a.c", "clang++ -c -include-pch p a.cpp", "gcc -c a.o", "mycc -c a.c", ""})
    EXPECT_TRUE(may_record_macros(words(command))) << command;
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
