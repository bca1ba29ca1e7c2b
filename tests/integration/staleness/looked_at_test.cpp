// A directory under two names. For other things that a compile looks at see fixtures/cases/looked_at.toml.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

class LookedAt : public OpaqueCompile, public testing::TestWithParam<std::string> {};

// The compilers treat two names of one directory as one, and #include_next then does not find the second.
TEST_P(LookedAt, ADirectoryThatWasMountedTwiceAndIsNoMoreIsSeen) {
  const std::string header = "#ifndef ONE\n#define ONE\n#include_next <value.h>\n#else\n#define TWO 1\n#endif\n";
  project_.write("one/value.h", header);
  project_.write("two/value.h", header);
  project_.write("three/value.h", "#define THREE 1\n");
  project_.write("a.cpp", "#include <value.h>\n#ifdef TWO\nint two() { return 2; }\n#endif\nint one() { return 1; }\n");
  if (mount((project_ / "one").c_str(), (project_ / "two").c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "mounting takes rights";
  const Arguments argv = words(GetParam() + " -Ione -Itwo -Ithree -c a.cpp -o a.o");
  expect_run(argv);
  expect_hit(argv);
  ASSERT_EQ(umount((project_ / "two").c_str()), 0);
  expect_run(argv);
  expect_hit(argv);
}

INSTANTIATE_TEST_SUITE_P(Compilers, LookedAt, testing::Values("g++", "clang++-19"),
                         [](const auto& one) { return one.param == "g++" ? "Gcc" : "Clang" + one.param.substr(8); });

}  // namespace
}  // namespace hipcache::integration
