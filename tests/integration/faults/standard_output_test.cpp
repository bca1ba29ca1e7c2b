// Standard output on a full disk. With -E or `-o -` it is the compile's output, so the compile has to fail.
#include <gtest/gtest.h>

#include "integration/support/cache.h"
#include "support/scratch.h"

namespace hipcache::integration {
namespace {

// clang prints addresses of its stack after it.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class StandardOutput : public testing::TestWithParam<const char*> {
 protected:
  StandardOutput() { project_.write("a.c", "int f(int x) { return x; }\n"); }

  // In a shell, which redirects what the compile prints.
  Ended in_shell(const std::string& options, const std::string& redirection, bool cached) const {
    const std::string command = std::string(GetParam()) + " " + options;
    const Arguments shell = {"sh", "-c", (cached ? "\"$HIPCACHE\" " : "") + command + redirection};
    return run(shell, project_.path(), cache_.variables({{"HIPCACHE", hipcache_program()}}));
  }

  support::Scratch project_;
  Cache cache_;
};

TEST_P(StandardOutput, ThatIsFullFailsTheCompileInTheCompilersWords) {
  for (const char* options : {"-E a.c", "-S a.c -o -"}) {
    const Ended alone = in_shell(options, " >/dev/full", false);
    ASSERT_NE(alone.exit_code, 0);
    for (const char* phase : {"cold", "warm"}) {
      const Ended cached = in_shell(options, " >/dev/full", true);
      EXPECT_EQ(cached.exit_code, alone.exit_code) << options << ", " << phase;
      EXPECT_EQ(first_line(cached.err), first_line(alone.err)) << options << ", " << phase;
    }
    ASSERT_EQ(in_shell(options, " >/dev/null", true).exit_code, 0);
  }
  EXPECT_GE(cache_.counts().hits, 2) << "the phase `warm` is none";
}

INSTANTIATE_TEST_SUITE_P(Compilers, StandardOutput, testing::Values("gcc", "clang-15", "clang-19"),
                         [](const auto& compiler) {
                           std::string name = compiler.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace hipcache::integration
