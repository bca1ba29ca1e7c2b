// Options whose value is the next argument, and headers among the inputs of opaque compiles.
#include <gtest/gtest.h>

#include "compiler/words.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/opaque/opaque_command.h"

namespace hipcache::compiler {
namespace {

std::variant<Invocation, Uncacheable> parsed(const std::string& line) {
  return parse_opaque(testing::words(line), "/");
}

// The reason against the command, or "" if it is cached as an opaque compile.
std::string refusal_of(const std::string& line) {
  const auto result = parsed(line);
  const auto* refused = std::get_if<Uncacheable>(&result);
  return refused == nullptr ? "" : text_of(refused->reason);
}

bool may_have_another_name(const std::string& line) {
  const auto result = parsed(line);
  const auto* understood = std::get_if<Invocation>(&result);
  return understood != nullptr && understood->opaque.output_names.has_value();
}

TEST(SeparateValues, AreNoInputsSoTheObjectMayHaveAnotherName) {
  for (const char* option :
       {"-ivfsoverlay v.yaml", "--sysroot /", "-F .", "-iframework d", "--include a.hpp", "--imacros a.hpp",
        "--include-directory d", "-isystem-after d", "-stdlib++-isystem d", "-mthread-model posix", "--std c++17"}) {
    EXPECT_TRUE(may_have_another_name("clang++ " + std::string(option) + " -c a.cpp -o a.o")) << option;
    EXPECT_TRUE(may_have_another_name("g++ " + std::string(option) + " -c a.cpp -o a.o")) << option;
  }
}

TEST(SeparateValues, ThatHoldTheObjectsNameKeepIt) {
  for (const char* option : {"-gen-cdb-fragment-path d", "-dependency-file a.d", "-dependency-dot a.dot",
                             "-module-dependency-dir d", "--dumpbase b", "--language c++", "--output b.o"})
    EXPECT_FALSE(may_have_another_name("clang++ " + std::string(option) + " -c a.cpp -o a.o")) << option;
}

TEST(SeparateValues, ThatEndLikeAHeaderMakeNoPrecompiledHeader) {
  for (const char* line :
       {"clang++ --include a.hpp -c a.cpp", "clang++ --imacros a.hpp -c a.cpp", "clang++ -iframework a.hpp -c a.cpp",
        "clang++ -ivfsoverlay a.h -c a.cpp", "clang++ --config a.h -c a.cpp", "clang++ -F a.h -c a.cpp"})
    EXPECT_EQ(refusal_of(line), "") << line;
}

TEST(SeparateValues, ThatAreOptionsAreJudged) {
  EXPECT_EQ(refusal_of("clang++ -Xarch_host -ftime-report -c a.cpp"), "time-trace");
  EXPECT_EQ(refusal_of("clang++ -Xopenmp-target -ftime-report -c a.cpp"), "time-trace");
  EXPECT_EQ(refusal_of("clang++ --include - -c a.cpp"), "standard-input");
}

TEST(HeaderInputs, AreCompiledLikeAnySourceInALanguageThatIsNoHeaders) {
  for (const char* line : {"clang++ -x c++ -c a.hpp -o a.o", "clang++ -xc++ -c a.hpp", "clang++ --language=c++ -c a.h",
                           "clang++ --language c++ -c a.h", "clang -x c-header -x c -c a.h"})
    EXPECT_EQ(refusal_of(line), "") << line;
}

TEST(HeaderInputs, MakeAPrecompiledHeaderInTheLanguageInEffectAtThem) {
  for (const char* line :
       {"clang++ a.hpp", "clang++ -c a.hpp -x c++", "clang++ -x c++ a.cpp -x none a.hpp", "clang++ -x c++-header a",
        "clang++ --language=c++-header a", "clang++ --language c++-header a", "clang++ -x c++-header a -x c++",
        "clang++ -x c++-user-header a"})
    EXPECT_EQ(refusal_of(line), "precompiled-header") << line;
}

}  // namespace
}  // namespace hipcache::compiler
