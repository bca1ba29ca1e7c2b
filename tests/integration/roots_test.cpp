// Build directories and base directories as roots: what they share, and what ties a result to one of them. Opaque
// compiles by gcc and by clang; the oracle checks each.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

class Roots : public testing::TestWithParam<const char*> {
 protected:
  Roots() {
    scratch_.write("src/a.c", "#include \"made.h\"\nint made = MADE;\n");
    for (const char* build : {"src/one", "src/another", "far/away/build"}) make_build(build);
  }

  // A directory that looks like a CMake build directory.
  void make_build(const std::string& build) const {
    scratch_.write(build + "/CMakeCache.txt", "");
    scratch_.write(build + "/include/made.h", "#define MADE 1\n");
  }

  // "SRC" and "BUILD" in the flags are replaced by the two directories.
  Arguments command(const std::string& build, const std::string& flags = "",
                    const std::string& source = "SRC/a.c") const {
    Arguments argv{GetParam()};
    for (std::string word : words("-O1 " + flags + " -IBUILD/include -c " + source + " -o a.o")) {
      replace(word, "SRC", source_);
      replace(word, "BUILD", scratch_ / build);
      argv.push_back(word);
    }
    return argv;
  }

  static void replace(std::string& text, const std::string& name, const std::string& by) {
    if (const std::size_t at = text.find(name); at != std::string::npos) text.replace(at, name.size(), by);
  }

  Counts compile(const std::string& directory, const Arguments& argv, const Variables& variables = {}) {
    return Oracle(cache_, scratch_ / directory).check_cached(argv, variables);
  }

  Counts compile_in(const std::string& build, const std::string& flags = "", const Variables& variables = {}) {
    return compile(build, command(build, flags), variables);
  }

  support::Scratch scratch_;
  std::string source_ = scratch_ / "src";
  Cache cache_;
};

TEST_P(Roots, BuildDirectoriesShareWhatDoesNotNameThem) {
  EXPECT_EQ(compile_in("src/one").misses, 1);
  EXPECT_EQ(compile_in("src/another").hits, 1);
  EXPECT_EQ(compile_in("far/away/build").hits, 1);
}

TEST_P(Roots, BuildDirectoriesHaveDepfilesOfTheirOwn) {
  EXPECT_EQ(compile_in("src/one", "-MD -MF a.d -MT BUILD/a.o").misses, 1);
  EXPECT_EQ(compile_in("far/away/build", "-MD -MF a.d -MT BUILD/a.o").hits, 1);
}

TEST_P(Roots, ADirectoryThatLooksLikeNoBuildIsNone) {
  for (const char* build : {"src/one", "src/another"}) {
    std::filesystem::remove(scratch_ / (std::string(build) + "/CMakeCache.txt"));
    EXPECT_EQ(compile_in(build).misses, 1);
  }
}

TEST_P(Roots, HeadersThatDifferAreSeen) {
  compile_in("src/one");
  scratch_.write("src/another/include/made.h", "#define MADE 2\n");
  EXPECT_EQ(compile_in("src/another").misses, 1);
  EXPECT_EQ(compile_in("src/one").hits, 1);
}

TEST_P(Roots, DebugInformationThatNamesTheBuildDirectoryTies) {
  compile_in("src/one", "-g");
  EXPECT_EQ(compile_in("src/another", "-g").misses, 1);
  EXPECT_EQ(compile_in("src/one", "-g").hits, 1);
  EXPECT_EQ(compile_in("src/one", "-g -fdebug-prefix-map=BUILD=b").misses, 1);
  EXPECT_EQ(compile_in("src/another", "-g -fdebug-prefix-map=BUILD=b").hits, 1) << "a map takes it out";
}

// "/src/one" becomes "./one", so a search for the directory does not find it in the object.
TEST_P(Roots, WhatAMapOfADirectoryAboveLeavesOfTheBuildDirectoryTies) {
  for (const char* flags :
       {"-g -fdebug-prefix-map=SRC=.", "-g -fdebug-prefix-map=SRC/=", "-g -ffile-prefix-map=SRC=."}) {
    compile_in("src/one", flags);
    EXPECT_EQ(compile_in("src/another", flags).misses, 1) << flags;
    EXPECT_EQ(compile_in("src/one", flags).hits, 1) << flags;
  }
}

TEST_P(Roots, WhatAMapLeavesIsSharedByCheckoutsThatHaveTheirBuildInTheSamePlace) {
  scratch_.write("other/src/a.c", "#include \"made.h\"\nint made = MADE;\n");
  make_build("other/src/one");
  const std::string flags = "-g -ffile-prefix-map=SRC=.";
  compile_in("src/one", flags, {{"HIPCACHE_BASEDIR", source_}});
  source_ = scratch_ / "other/src";
  EXPECT_EQ(compile_in("other/src/one", flags, {{"HIPCACHE_BASEDIR", source_}}).hits, 1);
  make_build("other/src/two");
  EXPECT_EQ(compile_in("other/src/two", flags, {{"HIPCACHE_BASEDIR", source_}}).misses, 1);
}

// "/src-b" becomes "m-b". "-b" alone is in the depfile: stdlib.h includes bits/stdlib-bsearch.h.
TEST_P(Roots, AMapThatEndsWithinTheNameOfABuildDirectoryTiesWhatShowsIt) {
  for (const char* build : {"src-b", "src-c"}) make_build(build);
  scratch_.write("src/a.c", "#include <stdlib.h>\n#include \"made.h\"\nint made = MADE;\n");
  const std::string flags = "-O2 -MD -MF a.d -fmacro-prefix-map=SRC=m";
  compile_in("src-b", flags);
  EXPECT_EQ(compile_in("src-c", flags).hits, 1);
  scratch_.write("src/a.c", "#include \"made.h\"\nconst char* made = NAME;\n");
  for (const char* build : {"src-b", "src-c"})
    scratch_.write(std::string(build) + "/include/made.h", "#define NAME __FILE__\nstatic const char* name = NAME;\n");
  compile_in("src-b", flags);
  EXPECT_EQ(compile_in("src-c", flags).misses, 1);
}

TEST_P(Roots, AMapOfADirectoryAboveTiesToTheWorkingDirectoryWhereNoBuildIsFound) {
  for (const char* build : {"src/one", "src/another"}) {
    std::filesystem::remove(scratch_ / (std::string(build) + "/CMakeCache.txt"));
    scratch_.write("src/include/made.h", "#define MADE 1\n");
    compile(build, {GetParam(), "-g", "-fdebug-prefix-map=" + source_ + "=.", "-I" + source_ + "/include", "-c",
                    source_ + "/a.c", "-o", "a.o"});
  }
}

// The source includes the first build's header, whichever build directory it is compiled for.
TEST_P(Roots, ASourceThatNamesABuildDirectoryTies) {
  const std::string named = scratch_ / "src/one/include/made.h";
  scratch_.write("src/a.c", "#include \"made.h\"\n#undef MADE\n#include \"" + named + "\"\nint made = MADE;\n");
  compile_in("src/one");
  compile_in("src/another");
  scratch_.write("src/one/include/made.h", "#define MADE 2\n");
  EXPECT_EQ(compile_in("src/another").misses, 1);
  EXPECT_EQ(compile_in("src/one").misses, 1);
}

TEST_P(Roots, AGeneratedHeaderThatMeasuresItsOwnNameTies) {
  for (const char* build : {"src/one", "src/another"})
    scratch_.write(std::string(build) + "/include/made.h",
                   "enum { length = sizeof(__FILE__) };\n#define MADE length\n");
  EXPECT_EQ(compile_in("src/one").misses, 1);
  EXPECT_EQ(compile_in("src/another").misses, 1);
  EXPECT_EQ(compile_in("src/another", "-ffile-prefix-map=BUILD=.").misses, 1);
  EXPECT_EQ(compile_in("src/one", "-ffile-prefix-map=BUILD=.").hits, 1) << "its name is mapped";
}

// A macro has the name of the file that uses it.
TEST_P(Roots, AGeneratedMacroThatMeasuresItsUsersNameDoesNotTie) {
  for (const char* build : {"src/one", "src/another"})
    scratch_.write(std::string(build) + "/include/made.h", "#define MADE sizeof(__FILE__)\n");
  EXPECT_EQ(compile_in("src/one").misses, 1);
  EXPECT_EQ(compile_in("src/another").hits, 1);
}

// The macro is defined in the source directory, but used in the build directory, so it gets that name.
TEST_P(Roots, GeneratedCodeThatMayUseAMacroWithItsNameTies) {
  scratch_.write("src/macros.h", "#define LENGTH sizeof(__FILE__)\n");
  scratch_.write("src/a.c", "#include \"macros.h\"\n#include \"made.h\"\n");
  for (const char* build : {"src/one", "src/another"})
    scratch_.write(std::string(build) + "/include/made.h", "int made = LENGTH;\n");
  EXPECT_EQ(compile_in("src/one").misses, 1);
  EXPECT_EQ(compile_in("src/another").misses, 1);
  for (const char* build : {"src/one", "src/another"})
    scratch_.write(std::string(build) + "/include/made.h", "/* settings */\n#define MADE 1\n");
  scratch_.write("src/a.c", "#include \"macros.h\"\n#include \"made.h\"\nint made = MADE;\n");
  EXPECT_EQ(compile_in("src/one").misses, 1);
  EXPECT_EQ(compile_in("src/another").hits, 1) << "settings are no code";
}

// As in many projects: an error macro with __FILE__, and generated types that do not use it.
TEST_P(Roots, GeneratedCodeThatUsesNoMacroWithItsNameIsShared) {
  scratch_.write("src/macros.h", "#define LENGTH sizeof(__FILE__)\n#define TWICE (2 * LENGTH)\n");
  scratch_.write("src/a.c", "#include \"macros.h\"\n#include \"made.h\"\nmade_t made = LENGTH;\n");
  const auto generate = [&](const std::string& code) {
    for (const char* build : {"src/one", "src/another"})
      scratch_.write(std::string(build) + "/include/made.h", "typedef int made_t;\n" + code);
  };
  generate("enum { kMade = 1 };\n");
  EXPECT_EQ(compile_in("src/one").misses, 1);
  EXPECT_EQ(compile_in("src/another").hits, 1);
  generate("enum { kMade = TWICE };\n");
  EXPECT_EQ(compile_in("src/one").misses, 1);
  EXPECT_EQ(compile_in("src/another").misses, 1) << "by another macro";
  generate("enum { kMade = MINE };\n");
  EXPECT_EQ(compile_in("src/one", "-DMINE=TWICE").misses, 1);
  EXPECT_EQ(compile_in("src/another", "-DMINE=TWICE").misses, 1) << "by the command's macro";
}

// clang prints "(lambda at /src/one/include/made.h:1:29)". A map is no help for clang 15, which does not use it there.
// gcc prints no file.
TEST_P(Roots, AGeneratedLambdaTiesWhereItsTypeMayBePrinted) {
  scratch_.write("src/type.h",
                 "template <class T> constexpr unsigned length() { return sizeof(__PRETTY_FUNCTION__); }\n");
  const std::string used = "#include \"made.h\"\nunsigned made = length<decltype(lambda)>();\n";
  for (const char* build : {"src/one", "src/another"})
    scratch_.write(std::string(build) + "/include/made.h", "inline constexpr auto lambda = [](int x) { return x; };\n");
  scratch_.write("src/a.cpp", "#include \"type.h\"\n" + used);
  for (const char* flags : {"-std=c++17", "-std=c++17 -ffile-prefix-map=BUILD=."}) {
    const auto compile_cpp = [&](const char* build) { return compile(build, command(build, flags, "SRC/a.cpp")); };
    EXPECT_EQ(compile_cpp("src/one").misses, 1);
    const Counts other = compile_cpp("src/another");
    EXPECT_EQ(other.hits, std::string(GetParam()) == "gcc" ? 1 : 0) << flags;
    EXPECT_EQ(compile_cpp("src/one").hits, 1);
  }
}

// The macro of <assert.h> has both __FILE__ and __PRETTY_FUNCTION__.
TEST_P(Roots, GeneratedCodeThatOnlyAssertsIsShared) {
  for (const char* build : {"src/one", "src/another"})
    scratch_.write(std::string(build) + "/include/made.h",
                   "inline int made(int x) { return [](int y) { return 2 * y; }(x); }\n");
  scratch_.write("src/a.cpp",
                 "#include <assert.h>\n#include \"made.h\"\nint f(int x) { assert(x); return made(x); }\n");
  EXPECT_EQ(compile("src/one", command("src/one", "", "SRC/a.cpp")).misses, 1);
  EXPECT_EQ(compile("src/another", command("src/another", "", "SRC/a.cpp")).hits, 1);
}

TEST_P(Roots, NestedBuildsAreRelativeToTheNearestAndToTheTopmost) {
  for (const std::string outer : {"outer", "another/outer"}) {
    scratch_.write(outer + "/build.ninja", "");
    scratch_.write(outer + "/lib/made.h", "#define MADE 1\n");
    make_build(outer + "/inner");
  }
  const auto compile_nested = [&](const std::string& outer) {
    Arguments argv = command(outer + "/inner");
    argv.insert(argv.begin() + 1, "-I" + (scratch_ / (outer + "/lib")));
    return compile(outer + "/inner", argv);
  };
  EXPECT_EQ(compile_nested("outer").misses, 1);
  EXPECT_EQ(compile_nested("another/outer").hits, 1);
  scratch_.write("outer/lib/made.h", "#define MADE 2\n");
  EXPECT_EQ(compile_nested("outer").misses, 1);
}

TEST_P(Roots, SeveralBaseDirectoriesCountAtOnce) {
  for (const std::string tree : {"one", "another/tree"}) {
    scratch_.write(tree + "/src/a.c", "#include <made.h>\nint made = MADE;\n");
    scratch_.write(tree + "/out/include/made.h", "#define MADE 1\n");
    source_ = scratch_ / (tree + "/src");
    const std::string bases = source_ + ":" + (scratch_ / (tree + "/out"));
    const Counts counted = compile_in(tree + "/out", "", {{"HIPCACHE_BASEDIR", bases}});
    EXPECT_EQ(counted.hits, tree == "one" ? 0 : 1);
  }
}

TEST_P(Roots, DirectoriesInOneSettingAreEachTheBaseDirectoryOfTheirCompiles) {
  const std::string bases = (scratch_ / "one") + ":" + (scratch_ / "two");
  for (const std::string tree : {"one", "two"}) {
    scratch_.write(tree + "/a.c", "#include <made.h>\nint made = MADE;\n");
    scratch_.write(tree + "/include/made.h", "#define MADE 1\n");
    const Counts counted = compile(tree, {GetParam(), "-I" + (scratch_ / tree) + "/include", "-c", "a.c", "-o", "a.o"},
                                   {{"HIPCACHE_BASEDIR", bases}});
    EXPECT_EQ(counted.hits, tree == "one" ? 0 : 1);
  }
}

TEST_P(Roots, ACheckoutOfGitIsABaseDirectoryWithoutASetting) {
  for (const std::string tree : {"one", "two", "none"}) {
    if (tree != "none") scratch_.write(tree + "/.git/config", "");
    scratch_.write(tree + "/lib/a.c", "#include <made.h>\nint made = MADE;\n");
    scratch_.write(tree + "/include/made.h", "#define MADE 1\n");
    const Counts counted =
        compile(tree + "/lib", {GetParam(), "-I" + (scratch_ / tree) + "/include", "-c", "a.c", "-o", "a.o"});
    EXPECT_EQ(counted.hits, tree == "two" ? 1 : 0);
  }
}

TEST_P(Roots, OptionsThatCompressDebugInformationTieNothingWithoutIt) {
  EXPECT_EQ(compile_in("src/one", "-gz").misses, 1);
  EXPECT_EQ(compile_in("src/another", "-gz").hits, 1);
  EXPECT_EQ(compile_in("far/away/build", "-gz -g").misses, 1);
  EXPECT_EQ(compile_in("src/another", "-gz -g").misses, 1);
}

// clang writes "one/own.h": it leaves out what the path shares with the working directory.
TEST_P(Roots, ABaseDirectoryBesideTheWorkingDirectoryTiesByWhatDebugInformationHasOfIt) {
  scratch_.write("work/a.c", "#include \"own.h\"\nint more(int x) { return own(x); }\n");
  for (const std::string tree : {"one", "two"}) {
    scratch_.write(tree + "/own.h", "static inline int own(int x) { return 3 * x; }\n");
    compile("work", {GetParam(), "-g", "-O1", "-I" + (scratch_ / tree), "-c", "a.c", "-o", "a.o"},
            {{"HIPCACHE_BASEDIR", scratch_ / tree}});
  }
}

class LinkedRoots : public Roots {
 protected:
  // One checkout behind a link, and one that is named directly.
  LinkedRoots() {
    for (const char* checkout : {"real/checkout", "second"}) {
      scratch_.write(std::string(checkout) + "/a.c", "#include <made.h>\nint made = MADE;\n");
      scratch_.write(std::string(checkout) + "/include/made.h", "#define MADE 1\n");
      scratch_.make_directory(std::string(checkout) + "/out");
    }
    scratch_.link("link", scratch_ / "real");
  }

  // `named`: the checkout's name in the arguments and in PWD.
  Counts compile_as(const std::string& base, const std::string& named, const std::string& real,
                    const std::string& flags = "") {
    Arguments argv{GetParam()};
    argv = argv + words("-O1 " + flags) +
           Arguments{"-I" + (scratch_ / (named + "/include")), "-c", scratch_ / (named + "/a.c"), "-o", "a.o"};
    return compile(real + "/out", argv, {{"HIPCACHE_BASEDIR", scratch_ / base}, {"PWD", scratch_ / (named + "/out")}});
  }
};

TEST_P(LinkedRoots, AreRootsByBothNames) {
  EXPECT_EQ(compile_as("link/checkout", "link/checkout", "real/checkout").misses, 1);
  EXPECT_EQ(compile_as("link/checkout", "real/checkout", "real/checkout").hits, 1);
  EXPECT_EQ(compile_as("second", "second", "second").hits, 1);
}

TEST_P(LinkedRoots, ShareWithWhatWasCompiledWithoutALink) {
  EXPECT_EQ(compile_as("second", "second", "second").misses, 1);
  EXPECT_EQ(compile_as("link/checkout", "link/checkout", "real/checkout").hits, 1);
}

// All answers about the files are equal, and so are all arguments except for the checkout's name.
TEST_P(LinkedRoots, TieWhatShowsByWhichNameTheyWereCalled) {
  for (const char* flags : {"-g", "-DNAME=__FILE__ -include stddef.h"}) {
    scratch_.write("real/checkout/a.c", "#include <made.h>\nint made = MADE;\nint length = sizeof(__FILE__);\n");
    EXPECT_EQ(compile_as("link/checkout", "link/checkout", "real/checkout", flags).misses, 1);
    EXPECT_EQ(compile_as("link/checkout", "real/checkout", "real/checkout", flags).misses, 1);
    EXPECT_EQ(compile_as("link/checkout", "link/checkout", "real/checkout", flags).hits, 1);
  }
}

TEST_P(LinkedRoots, AreSeenToLeadElsewhere) {
  compile_as("link/checkout", "link/checkout", "real/checkout");
  scratch_.write("third/checkout/a.c", "#include <made.h>\nint made = MADE + 1;\n");
  scratch_.write("third/checkout/include/made.h", "#define MADE 1\n");
  std::filesystem::remove(scratch_ / "link");
  scratch_.link("link", scratch_ / "third");
  EXPECT_EQ(compile_as("link/checkout", "link/checkout", "real/checkout").misses, 1);
}

std::string name_of_program(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

class ClangRoots : public Roots {};

TEST_P(ClangRoots, AListOfWhatSanitizersLeaveAloneTiesNothing) {
  for (const std::string build : {"src/one", "src/another"}) scratch_.write(build + "/ignored.txt", "fun:none\n");
  const std::string flags = "-fsanitize-ignorelist=BUILD/ignored.txt";
  EXPECT_EQ(compile_in("src/one", flags).misses, 1);
  EXPECT_EQ(compile_in("src/another", flags).hits, 1);
  EXPECT_EQ(compile_in("src/one", flags + " -fsanitize=undefined").misses, 1);
  EXPECT_EQ(compile_in("src/another", flags + " -fsanitize=undefined").misses, 1);
}

TEST_P(ClangRoots, AProfileTiesOnlyWhereTheSourceHasAnAbsoluteName) {
  const std::string profdata = GetParam() == std::string("clang-15") ? "llvm-profdata-15" : "llvm-profdata-19";
  scratch_.write("p.proftext", "main\n0\n1\n1\n\n");
  for (const std::string tree : {"one", "two"}) {
    scratch_.write(tree + "/a.c", "int main(void) { return 0; }\n");
    ASSERT_EQ(run({profdata, "merge", "p.proftext", "-o", tree + "/p.profdata"}, scratch_ / "").exit_code, 0);
  }
  for (const std::string source : {"a.c", "TREE/a.c"}) {
    for (const std::string tree : {"one", "two"}) {
      std::string name = source;
      replace(name, "TREE", scratch_ / tree);
      const Counts counted = compile(
          tree, {GetParam(), "-w", "-fprofile-instr-use=" + (scratch_ / tree) + "/p.profdata", "-c", name, "-o", "a.o"},
          {{"HIPCACHE_BASEDIR", scratch_ / tree}});
      EXPECT_EQ(counted.hits, tree == "two" && source == "a.c" ? 1 : 0) << source;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, ClangRoots, testing::Values("clang-15", "clang-19"), name_of_program);
INSTANTIATE_TEST_SUITE_P(Compilers, Roots, testing::Values("gcc", "clang-15", "clang-19"), name_of_program);
INSTANTIATE_TEST_SUITE_P(Compilers, LinkedRoots, testing::Values("gcc", "clang-19"), name_of_program);

}  // namespace
}  // namespace hipcache::integration
