// Paths in a base directory that the compiler joins from parts, none of which names the base directory. Two checkouts
// lie beside each other; a command of one may read files of the other. The oracle checks every compile.
#include <gtest/gtest.h>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

constexpr const char* kSource = "#include <value.h>\nint value = VALUE;\n";

// PARENT, the directory of both checkouts, stands for itself in the words.
class JoinedPaths {
 protected:
  virtual ~JoinedPaths() = default;

  void write_checkouts(const std::string& source) const {
    for (const std::string checkout : {"one", "two"}) {
      write_source(checkout, source);
      write_value(checkout + "/include", "1");
      scratch_.make_directory(checkout + "/build");
    }
  }

  virtual void write_source(const std::string& checkout, const std::string& text) const = 0;
  virtual Arguments compiler() const = 0;
  virtual std::string source() const = 0;

  void write_value(const std::string& directory, const std::string& value) const {
    scratch_.write(directory + "/value.h", "#define VALUE " + value + "\n");
  }

  static std::string replaced(std::string text, const std::string& name, const std::string& by) {
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + by.size()))
      text.replace(at, name.size(), by);
    return text;
  }

  Counts compile(const std::string& checkout, const std::string& flags) {
    const std::string root = scratch_ / checkout;
    Arguments argv = compiler();
    for (const std::string& flag : words(flags))
      argv.push_back(replaced(replaced(flag, "PARENT", scratch_.path()), "ROOT", root));
    return Oracle(cache_, root + "/build")
        .check_cached(argv + Arguments{"-c", root + "/" + source(), "-o", "a.o"}, {{"HIPCACHE_BASEDIR", root}});
  }

  // Both checkouts have the same flags, and read the header of the first.
  void expect_the_firsts_header(const std::string& flags) {
    SCOPED_TRACE(flags);
    write_value("one/include", "1");
    write_value("two/include", "1");
    compile("one", flags);
    compile("two", flags);
    write_value("one/include", "2");
    EXPECT_EQ(compile("two", flags).hits, 0);
    compile("one", flags);
    EXPECT_EQ(compile("two", flags).hits, 1);
    EXPECT_EQ(compile("one", flags).hits, 1);
  }

  // Each checkout's header lies outside of it, in a directory that is named after it.
  void expect_their_own_headers(const std::string& flags, const std::string& before, const std::string& behind) {
    SCOPED_TRACE(flags);
    write_value(before + "one" + behind, "1");
    write_value(before + "two" + behind, "2");
    EXPECT_EQ(compile("one", flags).hits, 0);
    EXPECT_EQ(compile("two", flags).hits, 0);
    EXPECT_EQ(compile("one", flags).hits, 1);
  }

  void expect_shared(const std::string& flags) {
    SCOPED_TRACE(flags);
    EXPECT_EQ(compile("one", flags).hits, 0);
    EXPECT_EQ(compile("two", flags).hits, 1);
  }

  support::Scratch scratch_;
  Cache cache_;
};

class OpaqueJoinedPaths : public JoinedPaths, public testing::TestWithParam<std::string> {
 protected:
  OpaqueJoinedPaths() { write_checkouts(kSource); }

  void write_source(const std::string& checkout, const std::string& text) const override {
    scratch_.write(checkout + "/src/a.c", text);
  }
  Arguments compiler() const override { return {GetParam(), "-O1"}; }
  std::string source() const override { return "src/a.c"; }
  bool is_gcc() const { return GetParam() == "gcc"; }
  // clang 15 replaces '=' by the sysroot in -I alone.
  bool knows_sysroot_of(const std::string& option) const {
    return option.starts_with("-I") || GetParam() != "clang-15";
  }
};

TEST_P(OpaqueJoinedPaths, OfASysrootAndARelativeNameLeadToTheSameFileFromEveryCheckout) {
  for (const std::string option : {"-I=", "-I =", "-isystem =", "-isystem=", "-idirafter ="})
    if (knows_sysroot_of(option)) expect_the_firsts_header("--sysroot=PARENT " + option + "/one/include");
  expect_the_firsts_header("--sysroot=PARENT/ -I=one/include");
  expect_the_firsts_header("-isysroot PARENT -I=/one/include");
  expect_the_firsts_header("--sysroot=PARENT -Wp,-I=/one/include");
  expect_the_firsts_header("--sysroot=/ -I=PARENT/one/include");
  if (!is_gcc()) expect_the_firsts_header("--sysroot=PARENT -iwithsysroot /one/include");
}

TEST_P(OpaqueJoinedPaths, InAResponseFileLeadToTheSameFileFromEveryCheckout) {
  const std::string file = scratch_.write("flags.rsp", "--sysroot=" + scratch_.path() + " -I=/one/include\n");
  expect_the_firsts_header("@" + file);
}

TEST_P(OpaqueJoinedPaths, OfAQuotedHeaderLeadToTheSameFileFromEveryCheckout) {
  write_checkouts("#include \"value.h\"\nint value = VALUE;\n");
  if (knows_sysroot_of("-iquote")) expect_the_firsts_header("--sysroot=PARENT -iquote =/one/include");
  expect_the_firsts_header("--sysroot=PARENT -I=/one/include");
}

TEST_P(OpaqueJoinedPaths, OfAnIncludePrefixLeadToTheSameFileFromEveryCheckout) {
  for (const std::string option : {"-iwithprefix", "-iwithprefixbefore"}) {
    expect_the_firsts_header("-iprefix PARENT/ " + option + " one/include");
    expect_the_firsts_header("-iprefix PARENT/one " + option + " /include");
    expect_the_firsts_header("-iprefix PARENT/o " + option + " ne/include");
  }
}

TEST_P(OpaqueJoinedPaths, OfADirectoryAboveAndAnIncludedNameLeadToTheSameFileFromEveryCheckout) {
  for (const std::string included : {"<one/include/value.h>", "\"one/include/value.h\""}) {
    write_checkouts("#include " + included + "\nint value = VALUE;\n");
    expect_the_firsts_header("-IPARENT");
  }
}

TEST_P(OpaqueJoinedPaths, OfAHeaderBesideTheCheckoutsLeadToTheSameFileFromEveryCheckout) {
  scratch_.write("both.h", "#include \"one/include/value.h\"\n");
  write_checkouts("int value = VALUE;\n");
  expect_the_firsts_header("-include PARENT/both.h");
}

TEST_P(OpaqueJoinedPaths, OfAMacroLeadToTheSameFileFromEveryCheckout) {
  write_checkouts("#include HEADER\nint value = VALUE;\n");
  expect_the_firsts_header("-DHEADER=<PARENT/one/include/value.h>");
}

TEST_P(OpaqueJoinedPaths, BelowASysrootAreTheirOwn) {
  const std::string copy = "copy" + scratch_.path() + "/";
  expect_their_own_headers("--sysroot=PARENT/copy -I=ROOT/include", copy, "/include");
  if (knows_sysroot_of("-isystem"))
    expect_their_own_headers("--sysroot=PARENT/copy -isystem =ROOT/system", copy, "/system");
  expect_their_own_headers("-iprefix PARENT/copy -iwithprefix ROOT/with", copy, "/with");
  if (!is_gcc()) expect_their_own_headers("-isysroot PARENT/copy -iwithsysroot ROOT/sysroot", copy, "/sysroot");
}

// gcc appends to the sysroot by characters, clang by components.
TEST_P(OpaqueJoinedPaths, BehindTheirNameAreTheirOwn) {
  expect_their_own_headers("--sysroot=ROOT -I=.sources", "", is_gcc() ? ".sources" : "/.sources");
  expect_their_own_headers("-iprefix ROOT -iwithprefix .with", "", ".with");
}

TEST_P(OpaqueJoinedPaths, InASysrootOfTheCheckoutAreShared) {
  for (const std::string checkout : {"one", "two"}) write_value(checkout + "/system/usr/more", "3");
  expect_shared("--sysroot=ROOT -I=/include");
  expect_shared("--sysroot=ROOT/system -I=/usr/more");
  expect_shared("--sysroot=ROOT/system -isystem ROOT/include");
}

// Only a name that completes the checkout's own counts.
TEST_P(OpaqueJoinedPaths, OfADirectoryAboveAreNoReasonNotToShare) {
  scratch_.write("common/other.h", "#define OTHER 1\n");
  write_checkouts("#include <common/other.h>\n#include <value.h>\nint value = VALUE + OTHER;\n");
  expect_shared("-IPARENT -IROOT/include");
}

std::string name_of_program(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Compilers, OpaqueJoinedPaths, testing::Values("gcc", "clang-19"), name_of_program);

class SplitJoinedPaths : public JoinedPaths, public testing::TestWithParam<Compiler> {
 protected:
  SplitJoinedPaths() { write_checkouts("#include <value.h>\n__device__ int value = VALUE;\nint on_host = VALUE;\n"); }

  void write_source(const std::string& checkout, const std::string& text) const override {
    write_kernel(scratch_, checkout + "/src/a.hip", text);
  }
  Arguments compiler() const override { return GetParam().hip() + archs({"gfx906"}) + words("-O1"); }
  std::string source() const override { return "src/a.hip"; }
};

TEST_P(SplitJoinedPaths, OfASysrootAndARelativeNameLeadToTheSameFileFromEveryCheckout) {
  expect_the_firsts_header("--sysroot=PARENT -I=/one/include");
  expect_the_firsts_header("-isysroot PARENT -iwithsysroot /one/include");
}

TEST_P(SplitJoinedPaths, OfADirectoryAboveAndAnIncludedNameLeadToTheSameFileFromEveryCheckout) {
  write_checkouts("#include <one/include/value.h>\n__device__ int value = VALUE;\n");
  expect_the_firsts_header("-IPARENT");
}

TEST_P(SplitJoinedPaths, OfAMacroLeadToTheSameFileFromEveryCheckout) {
  write_checkouts("#include HEADER\n__device__ int value = VALUE;\n");
  expect_the_firsts_header("-DHEADER=<PARENT/one/include/value.h>");
}

TEST_P(SplitJoinedPaths, BelowASysrootAreTheirOwn) {
  expect_their_own_headers("--sysroot=PARENT/copy -I=ROOT/include", "copy" + scratch_.path() + "/", "/include");
}

INSTANTIATE_TEST_SUITE_P(Compilers, SplitJoinedPaths, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
