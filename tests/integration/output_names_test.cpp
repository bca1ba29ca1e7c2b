// The same compile with other names for its outputs: a hit, unless an output shows a name. The oracle checks all
// outputs, the depfile included.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

constexpr const char* kLongName = "a/directory/whose/name/makes/compilers/break/the/lines/of/depfiles/elsewhere/two";

class NamesOfOutputs : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  NamesOfOutputs() {
    project_.write("a.c", "#include \"a.h\"\n#include \"a_header_with_a_name.h\"\nint main(void) { return VALUE; }\n");
    project_.write("a.h", "#define VALUE 1\n");
    project_.write("a_header_with_a_name.h", "#include \"and_another_one.h\"\n");
    project_.write("and_another_one.h", "");
    project_.make_directory("out");
    project_.make_directory(std::filesystem::path(kLongName).parent_path().string());
  }

  // NAME in the flags is the object's name without its ending.
  Arguments command(std::string flags, const std::string& name) const {
    for (auto at = flags.find("NAME"); at != std::string::npos; at = flags.find("NAME", at + name.size()))
      flags.replace(at, 4, name);
    return Arguments{GetParam()} + words(flags) + Arguments{"-c", "a.c"};
  }

  // The names are inputs: each runs once, and is a hit from then on.
  void expect_apart(const std::string& flags) {
    expect_run(command(flags, "one"));
    expect_run(command(flags, "out/two"));
    expect_hit(command(flags, "one"));
    expect_hit(command(flags, "out/two"));
  }
};

TEST_P(NamesOfOutputs, AreNoInputsOfAnObjectThatDoesNotShowThem) {
  for (const std::string flags :
       {"-O2 -o NAME.o", "-O1 -oNAME.o", "-O1 -g -o NAME.o", "-O2 -MD -MT NAME.o -MF NAME.o.d -o NAME.o",
        "-O1 -MMD -MP -MFNAME.d -MTNAME.lo -o NAME.o", "-O3 -MD -o NAME.o",
        "-O1 -MD -MQ NAME.o -MF NAME.Tpo -o NAME.o"}) {
    SCOPED_TRACE(flags);
    expect_run(command(flags, "one"));
    for (const std::string name : {"out/two", "three", kLongName}) expect_hit(command(flags, name));
    expect_hit(command(flags, "one"));
  }
}

TEST_P(NamesOfOutputs, AreNotTakenForOnesThatTheSourceSeemsToShow) {
  project_.write("a.c", "const char* text = \"one.data\";\nint two(void) { return text[0]; }\n");
  expect_apart("-O1 -o NAME.o");
}

TEST_P(NamesOfOutputs, AreInputsWhereOptionsMakeFurtherNamesOfThem) {
  for (const char* flags : {"-g -gsplit-dwarf -o NAME.o", "--coverage -frandom-seed=1 -o NAME.o",
                            "-save-temps=obj -o NAME.o", "-fprofile-use -Wno-missing-profile -o NAME.o"}) {
    SCOPED_TRACE(flags);
    if (std::string(flags).starts_with("-fprofile") && GetParam() != "gcc") continue;
    expect_apart(flags);
  }
}

TEST_P(NamesOfOutputs, AreInputsWhereTheObjectHasTheCommand) {
  for (const char* flags : {"-frecord-gcc-switches -o NAME.o", "-g -grecord-gcc-switches -o NAME.o"}) {
    SCOPED_TRACE(flags);
    expect_apart(flags);
  }
}

TEST_P(NamesOfOutputs, AnEditedHeaderRunsUnderEachName) {
  const char* flags = "-O2 -MD -MF NAME.d -o NAME.o";
  expect_run(command(flags, "one"));
  project_.write("a.h", "#define VALUE 2\n");
  expect_run(command(flags, "two"));
  expect_hit(command(flags, "one"));
}

TEST_P(NamesOfOutputs, OtherOptionsOfTheDepfileAreInputs) {
  expect_run(command("-O2 -MD -MF NAME.d -o NAME.o", "one"));
  expect_run(command("-O2 -MMD -MF NAME.d -o NAME.o", "two"));
  expect_run(command("-O2 -MD -MP -MF NAME.d -o NAME.o", "two"));
  expect_run(command("-O2 -o NAME.o", "two"));
}

TEST_P(NamesOfOutputs, ThatAreTheSourceAreLeftToTheCompiler) {
  expect_run(command("-O2 -MD -MF NAME.d -o NAME.o", "one"));
  const Counts counted = check(Arguments{GetParam(), "-O2", "-MD", "-MF", "a.d", "-o", "a.c", "-c", "a.c"});
  EXPECT_EQ(counted.hits, 0);
}

// Two checkouts, and every option that may have its path attached.
TEST_P(NamesOfOutputs, AttachedToTheirOptionsAreNamesInTheCheckout) {
  for (const char* flags : {"-oROOT/build/a.o -MD -MFROOT/build/a.d -MTROOT/build/a.o -IROOT/include",
                            "-oROOT/build/a.o -MD -MFROOT/build/a.d -MQROOT/build/a.o -isystemROOT/include",
                            "-o a.o -Wp,-MD,ROOT/build/a.d -iquoteROOT/include -includeROOT/include/value.h"}) {
    SCOPED_TRACE(flags);
    for (const std::string checkout : {"first", "another/checkout/with/a/long/name"}) {
      project_.write(checkout + "/src/a.c", "#include <value.h>\nint main(void) { return VALUE; }\n");
      project_.write(checkout + "/include/value.h", "#define VALUE 1\n");
      project_.make_directory(checkout + "/build");
      const std::string root = project_ / checkout;
      std::string given = flags;
      for (auto at = given.find("ROOT"); at != std::string::npos; at = given.find("ROOT", at + root.size()))
        given.replace(at, 4, root);
      if (given.find("-iquote") != std::string::npos) given += " -I" + root + "/include";
      Oracle oracle(cache_, root + "/build");
      const Arguments argv = Arguments{GetParam()} + words(given) + Arguments{"-c", root + "/src/a.c"};
      const Counts counted = oracle.check(argv, {{"HIPCACHE_BASEDIR", root}});
      EXPECT_EQ(oracle.exit_code(), 0);
      EXPECT_EQ(counted.run.at("host"), checkout == "first" ? 1 : 0) << checkout;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, NamesOfOutputs, testing::Values("gcc", "clang-15", "clang-19"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace hipcache::integration
