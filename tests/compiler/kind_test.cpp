// Which kind of compile takes a command, and whose refusal is given if none does.
#include "hipcache/compiler/kind.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "compiler/words.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/iree/iree_command.h"
#include "hipcache/compiler/opaque/opaque_command.h"

namespace hipcache::compiler {
namespace {

class Kinds : public ::testing::Test {
 protected:
  std::variant<Invocation, Uncacheable> read(const std::string& line, bool keeps_id = false) const {
    const std::vector<std::string> argv = testing::words(line);
    return read_command(
        kinds_,
        {.argv = argv, .working_directory = directory_, .further_compilers = further_compilers_, .keeps_id = keeps_id});
  }

  Route route(const std::string& line, bool keeps_id = false) const {
    return std::get<Invocation>(read(line, keeps_id)).route;
  }

  std::vector<std::string> further_compilers_;

 private:
  const std::string directory_ = "/build";
  const Parser parser_;
  const IreeKind iree_;
  const OpaqueKind opaque_;
  const std::array<const Kind*, 3> kinds_{&parser_, &iree_, &opaque_};
};

TEST_F(Kinds, SayWhyACompileOfHipIsOneStep) {
  const auto why = [&](const std::string& line) {
    const auto read = this->read(line);
    const auto* taken = std::get_if<Invocation>(&read);
    return taken == nullptr || !taken->opaque.not_split
               ? ""
               : std::string(text_of(taken->opaque.not_split->reason)) + ": " + taken->opaque.not_split->detail;
  };
  EXPECT_EQ(why("clang++ -MJ x.json -c a.hip"), "compilation-database: -MJ x.json");
  EXPECT_EQ(why("clang++ -save-temps -x hip -c a.cpp"), "save-temps: -save-temps");
  EXPECT_EQ(why("clang++ -fprint-such -c a.hip"), "unknown-option: -fprint-such");
  EXPECT_EQ(why("clang++ a.hip b.hip -c"), "several-inputs: b.hip");
  EXPECT_EQ(why("clang++ -MJ x.json -c a.cpp"), "") << "it is none of HIP";
  EXPECT_EQ(why("clang++ --hipstdpar -c a.cpp"), "offload-model: --hipstdpar");
  EXPECT_EQ(why("clang -fopenmp --offload-arch=gfx906 -c a.c"), "offload-model: -fopenmp");
  EXPECT_EQ(why("clang -fopenmp=libomp --offload-arch=gfx90a -c a.c"), "offload-model: -fopenmp");
  EXPECT_EQ(why("clang -fopenmp -c a.c"), "") << "for the host alone";
}

TEST_F(Kinds, SplitACompileOfHipAndTakeAnyOtherAsOneStep) {
  EXPECT_EQ(route("clang++ -x hip -c a.hip -o a.o"), Route::planned);
  EXPECT_EQ(route("clang++ -c a.cpp -o a.o"), Route::is_opaque);
  EXPECT_EQ(route("g++ -c a.cpp -o a.o"), Route::is_opaque);
}

TEST_F(Kinds, DoNotSplitACompileWhoseIdMustStayTheCompilers) {
  EXPECT_EQ(route("clang++ -x hip -c a.hip -o a.o", true), Route::is_opaque);
  EXPECT_EQ(route("clang++ -x hip -c a.hip -o a.o -cuid=abc", true), Route::planned);
}

TEST_F(Kinds, TakeAProgramThatTheUserNamesAsACompiler) {
  EXPECT_EQ(std::get<Uncacheable>(read("mpicxx -c a.cpp")).reason, Reason::not_a_compiler);
  further_compilers_ = {"mpicxx=gcc"};
  EXPECT_EQ(route("mpicxx -c a.cpp"), Route::is_opaque);
}

TEST_F(Kinds, TakeIreesCompilerAsOneStep) { EXPECT_EQ(route("iree-compile a.mlir -o a.vmfb"), Route::is_opaque); }

TEST_F(Kinds, GiveTheReasonOfTheOneThatKnowsTheProgram) {
  EXPECT_EQ(std::get<Uncacheable>(read("iree-compile - -o a.vmfb")).reason, Reason::standard_input);
  EXPECT_EQ(std::get<Uncacheable>(read("sleep 1")).detail,
            "sleep: if this is a compiler, name it: HIPCACHE_COMPILERS=sleep");
}

TEST_F(Kinds, GiveTheReasonOfTheMostGeneralOne) {
  // The parser of HIP compiles refuses the language; the opaque kind refuses the option.
  EXPECT_EQ(std::get<Uncacheable>(read("clang++ -c a.cpp -fplugin=p.so")).reason, Reason::plugin);
}

}  // namespace
}  // namespace hipcache::compiler
