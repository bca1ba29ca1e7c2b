// Wrappers that run the compiler where the trace library is not: in a container or chroot of their own. Nothing is seen
// of such a compiler, so nothing may be stored; and nobody is to notice that the library is missed.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class HiddenLibrary : public SingleCompile {
 protected:
  void SetUp() override {
    if (run({"unshare", "--mount", "true"}, "/").exit_code != 0)
      GTEST_SKIP() << "this user may not make mount namespaces";
    project_.write("value.h", "#define VALUE 1\n");
    project_.write("a.cpp", "#include \"value.h\"\nint value() { int unused; return VALUE; }\n");
  }

  // The compile by a wrapper that runs the shell's words where an empty file system hides the library.
  Arguments hidden(const std::string& words_of_shell) const {
    const std::string library = fs::path(hipcache_trace_library()).parent_path();
    const std::string script = project_.write(
        "bin/" + GetParam().program(), "#!/bin/sh\nexec unshare --mount /bin/sh -c 'mount -t tmpfs none " + library +
                                           " && exec " + words_of_shell + "' sh \"$@\"\n");
    fs::permissions(script, fs::perms::owner_all);
    return Arguments{script} + words("-Wall -c a.cpp -o a.o");
  }

  void expect_as_without(const Arguments& argv) {
    const Ended alone = run(argv, project_.path());
    const std::string object = support::read_bytes(project_ / "a.o");
    std::filesystem::remove(project_ / "a.o");
    const Ended ended = cache_.run(argv, project_.path());
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, alone.err);
    EXPECT_EQ(ended.out, alone.out);
    EXPECT_EQ(support::read_bytes(project_ / "a.o"), object);
  }

  void expect_never_stored(const Arguments& argv) {
    expect_as_without(argv);
    expect_as_without(argv);
    project_.write("value.h", "#define VALUE 2\n");
    expect_as_without(argv);
    EXPECT_EQ(cache_.counts().json["compile_requests"], 0);
    EXPECT_EQ(cache_.counts().json["wrappers"], 3);
  }
};

TEST_P(HiddenLibrary, IsMissedInTheCompiler) { expect_never_stored(hidden(GetParam().program() + " \"$@\"")); }

// A shell was traced before, under the same name.
TEST_P(HiddenLibrary, IsMissedInAProgramThatWasTracedBefore) {
  expect_never_stored(hidden("/bin/sh -c \"" + GetParam().program() + " \\\"\\$@\\\"\" sh \"$@\""));
}

INSTANTIATE_TEST_SUITE_P(Compilers, HiddenLibrary, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
