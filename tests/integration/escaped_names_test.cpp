// Directories whose names texts escape: assembly, IR, line markers, JSON and URIs have "dü" as "d\303\274", "d\C3\BC",
// "d\xFC" or "d%C3%BC". A search for the name does not find it there, so such a text is kept to its directory. The
// oracle checks every compile.
#include <gtest/gtest.h>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

class EscapedNames : public testing::TestWithParam<const char*> {
 protected:
  static bool is_gcc() { return std::string(GetParam()) == "gcc"; }

  // What makes a text that may have the name of the working directory.
  static std::vector<std::string> flags_of_texts() {
    if (is_gcc()) return {"-g -S a.c -o a.s", "-g -E a.c -o a.i", "-g -E a.c"};
    return {"-g -S a.c -o a.s", "-g -S -emit-llvm a.c -o a.ll", "-MJ a.json -c a.c -o a.o"};
  }

  void write_sources(const std::string& directory) const {
    scratch_.write(directory + "/a.c", "int twice(int x) { return 2 * x; }\n");
  }

  Counts compile(const std::string& directory, const Arguments& argv, const Variables& variables = {}) {
    return Oracle(cache_, scratch_ / directory).check_cached(argv, variables);
  }

  Counts compile_in(const std::string& directory, const std::string& flags) {
    return compile(directory, Arguments{GetParam()} + words(flags));
  }

  // The checkout is a base directory, and the source has its absolute name.
  Counts compile_checkout(const std::string& checkout, const std::string& flags) {
    const std::string root = scratch_ / checkout;
    return compile(checkout, Arguments{GetParam()} + words(flags) + Arguments{root + "/a.c"},
                   {{"HIPCACHE_BASEDIR", root}});
  }

  support::Scratch scratch_;
  Cache cache_;
};

TEST_P(EscapedNames, OfWorkingDirectoriesTieTexts) {
  for (const std::string& flags : flags_of_texts()) {
    for (const std::string name : {"d\xc3\xbc", "d\"", "d\\", "d\xff"}) {
      SCOPED_TRACE(flags + " in " + name);
      for (const char* number : {"1", "2"}) {
        write_sources(name + number);
        EXPECT_EQ(compile_in(name + number, flags).misses, 1);
      }
      EXPECT_EQ(compile_in(name + "1", flags).hits, 1);
    }
  }
}

// An object has each name as it is, so the search finds it.
TEST_P(EscapedNames, OfWorkingDirectoriesDoNotTieObjectsThatDoNotShowThem) {
  for (const char* directory : {"d\xc3\xbc\x31", "d\xc3\xbc\x32"}) write_sources(directory);
  EXPECT_EQ(compile_in("d\xc3\xbc\x31", "-O1 -MD -c a.c -o a.o").misses, 1);
  EXPECT_EQ(compile_in("d\xc3\xbc\x32", "-O1 -MD -c a.c -o a.o").hits, 1);
  EXPECT_EQ(compile_in("d\xc3\xbc\x31", "-O1 -g -c a.c -o a.o").misses, 1);
  EXPECT_EQ(compile_in("d\xc3\xbc\x32", "-O1 -g -c a.c -o a.o").misses, 1);
}

TEST_P(EscapedNames, OfBaseDirectoriesTieTexts) {
  const std::string preprocess = "-E -o a.i";
  const std::string assemble = "-g -S -o a.s";
  for (const std::string& flags : {preprocess, assemble}) {
    for (const std::string checkout : {"d\xc3\xbc/one", "d\xc3\xbc/two", "p'1", "p%1"}) {
      SCOPED_TRACE(flags + " in " + checkout);
      write_sources(checkout);
      EXPECT_EQ(compile_checkout(checkout, flags).misses, 1);
      EXPECT_EQ(compile_checkout(checkout, flags).hits, 1);
    }
  }
}

TEST_P(EscapedNames, OfBaseDirectoriesDoNotTieObjectsThatDoNotShowThem) {
  for (const std::string checkout : {"d\xc3\xbc/one", "d\xc3\xbc/two", "p'1", "p%1"}) {
    write_sources(checkout);
    EXPECT_EQ(compile_checkout(checkout, "-O1 -MD -MF a.d -c -o a.o").hits, checkout.ends_with("one") ? 0 : 1)
        << checkout;
  }
}

// Messages as SARIF have the working directory in a URI, also for a source with a relative name. clang 15 and this gcc
// do not write it.
class EscapedMessages : public EscapedNames {};

TEST_P(EscapedMessages, TieToTheWorkingDirectory) {
  const std::string warning = "#warning here\nint a;\n";
  for (const std::string directory : {"d\xc3\xbc\x31", "d\xc3\xbc\x32"}) {
    scratch_.write(directory + "/a.c", warning);
    EXPECT_EQ(compile_in(directory, "-Wno-sarif-format-unstable -fdiagnostics-format=sarif -c a.c -o a.o").misses, 1);
  }
  for (const std::string directory : {"d\xc3\xbc\x31", "d\xc3\xbc\x32"})
    EXPECT_EQ(compile_in(directory, "-c a.c -o a.o").hits, directory.ends_with("2") ? 1 : 0) << "as text they do not";
}

std::string name_of_compiler(const testing::TestParamInfo<const char*>& compiler) {
  std::string name = compiler.param;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Compilers, EscapedNames, testing::Values("gcc", "clang-15", "clang-19"), name_of_compiler);
INSTANTIATE_TEST_SUITE_P(Compilers, EscapedMessages, testing::Values("clang-19"), name_of_compiler);

}  // namespace
}  // namespace hipcache::integration
