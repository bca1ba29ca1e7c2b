#include "hipcache/compiler/hip/neutral_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

const std::string kHere = std::string(kDirectory) + "/";
constexpr const char* kId = "0011223344556677";

compiler::Invocation typed(std::vector<std::string> argv, std::string source = "src/a.hip",
                           std::string object = "a.o") {
  compiler::Invocation invocation;
  invocation.argv = invocation.expanded = std::move(argv);
  invocation.source = std::move(source);
  invocation.object = std::move(object);
  return invocation;
}

std::optional<NeutralNames> names_of(const compiler::Invocation& invocation, const char* edits = "") {
  return NeutralNames::of(invocation, kId, edits);
}

TEST(NeutralNames, StandForEachNameThatIsAWord) {
  const auto names =
      names_of(typed({"clang++", "-O2", "-MD", "-MT", "x/a.o", "-MF", "x/a.d", "-o", "x/a.o", "-c", "/s/a.b.hip"},
                     "/s/a.b.hip", "x/a.o"));
  ASSERT_TRUE(names);
  EXPECT_THAT(names->argv(), ElementsAre("clang++", "-O2", "-MD", "-MT", "hipcache-target", "-MF", "hipcache-depfile.d",
                                         "-o", "hipcache-object.o", "-c", kHere + "hipcache-source.hip"));
  EXPECT_EQ(names->source_file(), "hipcache-source.hip");
}

TEST(NeutralNames, AreAbsoluteWhereTheUnitsAre) {
  const auto names = names_of(typed({"clang++", "-MF", "/x/a.d", "-o", "/x/a.obj", "-c", "a.cu"}, "a.cu", "/x/a.obj"));
  ASSERT_TRUE(names);
  EXPECT_THAT(names->argv(), ElementsAre("clang++", "-MF", kHere + "hipcache-depfile.d", "-o",
                                         kHere + "hipcache-object.obj", "-c", kHere + "hipcache-source.cu"));
}

TEST(NeutralNames, AreTheSameForUnitsThatDifferInTheirNamesAlone) {
  const auto one = names_of(typed({"clang++", "-o", "a.o", "-c", "src/a.hip"}));
  const auto other = names_of(typed({"clang++", "-o", "x/b.o", "-c", "/s/b.hip"}, "/s/b.hip", "x/b.o"));
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->argv(), other->argv());
}

TEST(NeutralNames, GiveTheUnitItsOwnNamesBack) {
  const auto names =
      names_of(typed({"clang++", "-MD", "-o", "x/a.hip.o", "-c", "src/a.hip"}, "src/a.hip", "x/a.hip.o"));
  ASSERT_TRUE(names);
  EXPECT_THAT(names->own_names(R"( "/clang" "-cc1" "-cuid=8c5dd1a6e04f7b93" "-main-file-name" "hipcache-source.hip")"
                               R"( "-dependency-file" "hipcache-object.d" "-MT" "hipcache-object.o")"
                               R"( "-o" "/t/hipcache-source-gfx906-1f.o" "-x" "hip" "/t/hipcache-source.hip")"
                               "\n",
                               "/t"),
              Optional(std::string(R"( "/clang" "-cc1" "-cuid=0011223344556677" "-main-file-name" "a.hip")"
                                   R"( "-dependency-file" "x/a.hip.d" "-MT" "x/a.hip.o")"
                                   R"( "-o" "/t/hipcache-source-gfx906-1f.o" "-x" "hip" "src/a.hip")"
                                   "\n")));
}

TEST(NeutralNames, AreGivenBackToTheBundler) {
  const auto names = names_of(typed({"clang++", "-o", "x/a.o", "-c", "src/a.hip"}, "src/a.hip", "x/a.o"));
  ASSERT_TRUE(names);
  for (const std::string option : {"-output=", "-outputs="})
    EXPECT_THAT(names->own_names(" \"/bundler\" \"" + option + "hipcache-object.o\"\n", "/t"),
                Optional(" \"/bundler\" \"" + option + "x/a.o\"\n"));
}

TEST(NeutralNames, AreNotGivenWhereTheDriverNamesFilesAfterTheObject) {
  for (const char* option : {"-gsplit-dwarf", "-gsplit-dwarf=single", "-fstack-usage", "-ftime-trace=x",
                             "-save-temps=obj", "--coverage", "-fsave-optimization-record=yaml"})
    EXPECT_FALSE(names_of(typed({"clang++", option, "-o", "a.o", "-c", "src/a.hip"}))) << option;
}

TEST(NeutralNames, AreRefusedWhereTheDriverMadeAnotherNameOfThem) {
  const auto names = names_of(typed({"clang++", "-o", "a.o", "-c", "src/a.hip"}));
  ASSERT_TRUE(names);
  for (const char* word : {"hipcache-object.dwo", "/work/hipcache-object.o", "-ftime-trace=hipcache-object.json",
                           "hipcache-source.i", "-x=hipcache-source.hip", "hipcache-target", "hipcache-depfile.d"})
    EXPECT_FALSE(names->own_names(std::string(R"( "/clang" ")") + word + "\"\n", "/t")) << word;
  EXPECT_TRUE(names->own_names(R"( "/bundler" "-inputs=/dev/null,/t/hipcache-source-1.o")"
                               "\n",
                               "/t"));
}

TEST(NeutralNames, AreNotGivenToNamesThatAreQuotedOrReadOtherwise) {
  for (const char* name : {"a b.hip", "a$.hip", "a#.hip", "\"a\".hip", "ä.hip", "-a.hip", "a", ".hip", "a.",
                           "hipcache-source.hip", "@a.hip", "a,b.hip"})
    EXPECT_FALSE(names_of(typed({"clang++", "-o", "a.o", "-c", name}, name))) << name;
  for (const char* name : {"a b.o", "a", "-", "hipcache-object.o"})
    EXPECT_FALSE(names_of(typed({"clang++", "-o", name, "-c", "a.hip"}, "a.hip", name))) << name;
}

TEST(NeutralNames, LeaveACommandAloneThatIsNotPlain) {
  EXPECT_FALSE(names_of(typed({"clang++", "-c", "src/a.hip"}))) << "no -o";
  EXPECT_FALSE(names_of(typed({"clang++", "-oa.o", "-c", "src/a.hip"}))) << "attached";
  EXPECT_FALSE(names_of(typed({"clang++", "-o", "b.o", "-o", "a.o", "-c", "src/a.hip"}))) << "twice";
  EXPECT_FALSE(names_of(typed({"clang++", "-include", "src/a.hip", "-o", "a.o", "-c", "src/a.hip"})));
  EXPECT_FALSE(names_of(typed({"clang++", "-MT", "a", "-MQ", "b", "-o", "a.o", "-c", "src/a.hip"})));
  EXPECT_FALSE(names_of(typed({"clang++", "-o", "a.o", "-c", "src/a.hip", "-MF"}))) << "without a value";
  EXPECT_FALSE(NeutralNames::of(typed({"clang++", "-o", "a.o", "-c", "src/a.hip"}), "", "")) << "no id";

  const auto with = [](auto change) {
    compiler::Invocation invocation = typed({"clang++", "-o", "a.o", "-c", "src/a.hip"});
    change(invocation);
    return names_of(invocation).has_value();
  };
  EXPECT_TRUE(with([](auto&) {}));
  EXPECT_FALSE(with([](auto& one) {
    one.argv.push_back("-DX=" + std::string(24u << 10, 'x'));
    one.expanded = one.argv;
  })) << "the driver may need a response file";
  EXPECT_FALSE(with([](auto& one) { one.driver.links = true; }));
  EXPECT_FALSE(with([](auto& one) { one.driver.by_script = true; }));
  EXPECT_FALSE(with([](auto& one) { one.driver.user_cuid = true; }));
  EXPECT_FALSE(with([](auto& one) { one.writes_command = true; }));
  EXPECT_FALSE(with([](auto& one) { one.driver.names_outputs = true; }));
  EXPECT_FALSE(with([](auto& one) { one.expanded.emplace_back("-O2"); })) << "a response file";
}

TEST(NeutralNames, AreNotGivenWhereCccOverrideOptionsMayMatchAName) {
  const compiler::Invocation invocation = typed({"clang++", "-o", "a.o", "-c", "src/a.hip"});
  for (const char* edits : {"s/a/b/", "+-O1 s/a/b/", "xa.o", "# XO2"})
    EXPECT_FALSE(names_of(invocation, edits)) << edits;
  for (const char* edits : {"", "#", "# +-DX ^-xhip O1"}) EXPECT_TRUE(names_of(invocation, edits)) << edits;
}

}  // namespace
}  // namespace hipcache::hip
