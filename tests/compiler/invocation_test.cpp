// What is found out about a command that is cached.
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "compiler/words.h"

namespace hipcache::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::words;

Invocation parsed(const std::string& line) {
  const Parser parser;
  auto result = parser.parse(words(line), "/");
  if (const auto* refusal = std::get_if<Uncacheable>(&result)) {
    ADD_FAILURE() << line << ": " << text_of(refusal->reason) << ' ' << refusal->detail;
    return {};
  }
  return std::get<Invocation>(result);
}

std::vector<std::string> archs(const std::string& line) {
  std::vector<std::string> names;
  for (const ArchId& arch : parsed("clang++ -c a.hip " + line).archs) names.push_back(arch.name);
  return names;
}

TEST(Invocation, KeepsTheCommandAsTyped) {
  const std::string line = "clang++ -x hip -O2 -c a.cpp -o b/a.o";
  EXPECT_EQ(parsed(line).argv, words(line));
  EXPECT_EQ(parsed(line).expanded, words(line));
}

TEST(Invocation, NamesSourceAndObject) {
  const Invocation invocation = parsed("clang++ -x hip -c ../src/a.cpp -o b/a.cpp.o");
  EXPECT_EQ(invocation.source, "../src/a.cpp");
  EXPECT_EQ(invocation.object, "b/a.cpp.o");
}

TEST(Invocation, NamesTheObjectAsClangDoesWhereNoneIsGiven) {
  EXPECT_EQ(parsed("clang++ -c ../src/a.b.hip").object, "a.b.o");
  EXPECT_EQ(parsed("clang++ -x hip -c ../src.d/kernel").object, "kernel.o");
}

TEST(Invocation, TakesTheLastOfTwoObjects) { EXPECT_EQ(parsed("clang++ -c a.hip -o x -o y").object, "y"); }

TEST(Invocation, HasADepfileOnlyIfOneIsRequested) {
  EXPECT_EQ(parsed("clang++ -c a.hip -o a.o").depfile, std::nullopt);
  EXPECT_EQ(parsed("clang++ -c a.hip -o a.o -MF x.d").depfile, std::nullopt);
  EXPECT_EQ(parsed("clang++ -c a.hip -o a.o -Wp,-DX").depfile, std::nullopt);
  EXPECT_EQ(parsed("clang++ -c a.hip -o a.o -MD -MF x.d").depfile, "x.d");
  EXPECT_EQ(parsed("clang++ -c a.hip -o a.o -MMD -MFx.d").depfile, "x.d");
  EXPECT_EQ(parsed("clang++ -c a.hip -o a.o -Wp,-MMD,x.d").depfile, "x.d");
}

TEST(Invocation, DerivesTheDepfilesNameAsClangDoes) {
  EXPECT_EQ(parsed("clang++ -c a.hip -MD").depfile, "a.d");
  EXPECT_EQ(parsed("clang++ -c s/a.x.hip -MD").depfile, "a.x.d");
  EXPECT_EQ(parsed("clang++ -c a.hip -MD -o b/a.cpp.o").depfile, "b/a.cpp.d");
  EXPECT_EQ(parsed("clang++ -c a.hip -MMD -o b.c/a").depfile, "b.c/a.d");
  EXPECT_EQ(parsed("clang++ -c a.hip -Wp,-MD -o a.o").depfile, "a.d");
}

TEST(Invocation, HasNoArchsWhereTheCompilersDefaultIsMeant) {
  EXPECT_THAT(archs(""), IsEmpty());
  EXPECT_THAT(archs("--offload-arch=gfx906 --no-offload-arch=all"), IsEmpty());
}

TEST(Invocation, SortsArchsAndCountsEachOnceHoweverTheyAreSpelled) {
  const auto expected = ElementsAre("gfx1030", "gfx906");
  EXPECT_THAT(archs("--offload-arch=gfx906 --offload-arch=gfx1030"), expected);
  EXPECT_THAT(archs("--offload-arch=gfx1030,gfx906"), expected);
  EXPECT_THAT(archs("--cuda-gpu-arch=gfx906 --cuda-gpu-arch=gfx1030 --offload-arch=gfx906"), expected);
}

TEST(Invocation, RemovesArchsFromLeftToRight) {
  EXPECT_THAT(archs("--offload-arch=gfx906,gfx1030 --no-offload-arch=gfx906"), ElementsAre("gfx1030"));
  EXPECT_THAT(archs("--no-offload-arch=gfx906 --offload-arch=gfx906"), ElementsAre("gfx906"));
  EXPECT_THAT(archs("--offload-arch=gfx906 --no-cuda-gpu-arch=all --offload-arch=gfx1030"), ElementsAre("gfx1030"));
}

TEST(Invocation, SortsTheFeaturesOfAnArch) {
  EXPECT_THAT(archs("--offload-arch=gfx90a:xnack-:sramecc+"), ElementsAre("gfx90a:sramecc+:xnack-"));
}

TEST(Invocation, IsTheSameLessItsArchsHoweverTheyAreSpelled) {
  const auto rest = [](const std::string& archs) { return parsed("clang++ " + archs + " -O2 -c a.hip").without_archs; };
  EXPECT_EQ(rest(""), words("clang++ -O2 -c a.hip"));
  EXPECT_EQ(rest("--offload-arch=gfx906"), rest(""));
  EXPECT_EQ(rest("--cuda-gpu-arch=gfx906,gfx1030 --no-offload-arch=gfx906"), rest(""));
}

TEST(Invocation, KeepsWhatOnlyLooksLikeAnArch) {
  EXPECT_EQ(parsed("clang++ --offload-jobs=4 -c a.hip").without_archs, parsed("clang++ -c a.hip").without_archs);
  EXPECT_EQ(parsed("clang++ -include --offload-arch=gfx906 -c a.hip").without_archs,
            words("clang++ -include --offload-arch=gfx906 -c a.hip"));
}

TEST(Invocation, LeavesOptionsOfTheDepfileOutOfWhatTheCuidIsMadeOf) {
  const auto rest = [](const std::string& options) {
    return parsed("clang++ -O2 " + options + " -c a.hip").driver.for_cuid;
  };
  for (const char* options : {"-MD", "-MMD -MF x.d", "-MD -MFx.d -MTa.o", "-MD -MT a.o -MQ b.o -MP -MV", "-Wp,-MD,x.d"})
    EXPECT_EQ(rest(options), rest("")) << options;
}

TEST(Invocation, KeepsForTheCuidWhatOnlyLooksLikeAnOptionOfTheDepfile) {
  for (const char* options : {"-D -MD", "-include -MF", "-MG", "-Wp,-DX"})
    EXPECT_EQ(parsed("clang++ " + std::string(options) + " -c a.hip").driver.for_cuid,
              words("clang++ " + std::string(options) + " -c a.hip"));
}

TEST(Invocation, KnowsACuidOfTheUsers) {
  EXPECT_FALSE(parsed("clang++ -c a.hip").driver.user_cuid);
  EXPECT_TRUE(parsed("clang++ -cuid=x -c a.hip").driver.user_cuid);
  EXPECT_TRUE(parsed("clang++ -fuse-cuid=hash -c a.hip").driver.user_cuid);
}

TEST(Invocation, OfALinkHasAnOutputAndArchsAndNoSource) {
  const Invocation named = parsed("clang++ --hip-link -fgpu-rdc --offload-arch=gfx906,gfx1030 -MD a.o -lb -o app");
  EXPECT_TRUE(named.driver.links);
  EXPECT_EQ(named.object, "app");
  EXPECT_THAT(named.archs, ElementsAre(ArchId{"gfx1030"}, ArchId{"gfx906"}));
  EXPECT_EQ(named.source, "");
  EXPECT_FALSE(named.depfile);
  EXPECT_EQ(parsed("clang++ --hip-link -fgpu-rdc a.o").object, "a.out");
  EXPECT_FALSE(parsed("clang++ --hip-link -fgpu-rdc -fno-gpu-rdc -c a.hip").driver.links);
}

TEST(Invocation, OfASourceThatIsLinkedHasTheProgramForItsOutput) {
  const Invocation named = parsed("clang++ --offload-arch=gfx906 -MD a.hip b.o -lb -o app");
  EXPECT_TRUE(named.driver.then_links);
  EXPECT_FALSE(named.driver.links);
  EXPECT_EQ(named.source, "a.hip");
  EXPECT_EQ(named.object, "app");
  EXPECT_EQ(named.depfile, "app.d");
  EXPECT_EQ(named.driver.for_cuid, words("clang++ a.hip -o app"));
  EXPECT_EQ(parsed("clang++ a.hip").object, "a.out");
  EXPECT_FALSE(parsed("clang++ -c a.hip").driver.then_links);
  EXPECT_FALSE(parsed("clang++ --offload-device-only a.hip").driver.then_links);
}

TEST(Invocation, OfSeveralSourcesHasThemInTheirOrderAndNoneInTheWordsForTheId) {
  const Invocation several = parsed("clang++ -O1 b.cpp a.hip x.o c.hip -lb -o app");
  EXPECT_TRUE(several.driver.then_links);
  EXPECT_EQ(several.source, "b.cpp");
  EXPECT_EQ(several.other_sources, words("a.hip c.hip"));
  EXPECT_EQ(several.object, "app");
  EXPECT_EQ(several.driver.for_cuid, words("clang++ -O1 -o app"));
  EXPECT_TRUE(parsed("clang++ a.hip x.o").other_sources.empty());
}

TEST(Invocation, KeepsAllWordsInTheirOrderWhereAnUnknownOptionMayTakeAnArchitecture) {
  EXPECT_TRUE(parsed("clang++ --offload-arch=gfx906 -c a.hip").driver.in_order.empty());
  EXPECT_TRUE(parsed("clang++ --offload-jobs=4 -c a.hip").driver.in_order.empty());
  const Invocation unknown = parsed("clang++ --such --offload-arch=gfx906 -c a.hip");
  EXPECT_EQ(unknown.driver.in_order, unknown.expanded);
}

TEST(Invocation, TakesAWordAfterAnUnknownOptionForItsValueIfThereIsAnotherInput) {
  EXPECT_EQ(parsed("clang++ --such value -c a.hip").source, "a.hip");
  EXPECT_EQ(parsed("clang++ -c --such a.hip").source, "a.hip");
  EXPECT_EQ(parsed("clang++ --such value --other a.hip -c").source, "a.hip");
}

}  // namespace
}  // namespace hipcache::compiler
