// Bazel with a link to hipcache in place of the compiler. It needs Java, so only tools/test --all installs it.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/support/cache.h"
#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRules = "/usr/share/bazel";

class Bazel : public testing::TestWithParam<Compiler> {
 protected:
  Bazel() {
    write_runtime(project_);
    for (const std::string name : {"a", "b", "c"})
      project_.write(name + ".cpp",
                     "#include \"runtime.h\"\n__global__ void kernel_" + name + "(float* x) { x[0] = 2; }\n");
    std::string list;
    const Arguments all = GetParam().hip() + words("--offload-arch=gfx906");
    for (std::size_t i = 1; i < all.size(); ++i) list += "\"" + all[i] + "\", ";
    project_.write("WORKSPACE", "workspace(name = \"kernels\")\n");
    project_.write("BUILD",
                   "cc_library(name = \"kernels\", srcs = [\"a.cpp\", \"b.cpp\", \"c.cpp\", \"runtime.h\"], "
                   "linkstatic = True, copts = [" +
                       list + "])\n");
    // Debian's rules_cc is for another version than its Bazel, which has these rules built in.
    rules_.write("WORKSPACE", "");
    rules_.write("cc/BUILD", "");
    rules_.write("cc/defs.bzl",
                 "cc_binary = native.cc_binary\ncc_import = native.cc_import\ncc_library = native.cc_library\n"
                 "cc_toolchain = native.cc_toolchain\ncc_toolchain_suite = native.cc_toolchain_suite\n"
                 "def cc_flags_supplier(**kwargs):\n    native.filegroup(name = kwargs[\"name\"])\n"
                 "def compiler_flag(**kwargs):\n    native.filegroup(name = kwargs[\"name\"])\n");
    compiler_ = project_.link("names/" + GetParam().program(), hipcache_program());
  }

  // What a user's .bazelrc has is --spawn_strategy, --action_env and --repo_env.
  Arguments options() const {
    const std::string rules = kRules;
    return {"--override_repository=rules_cc=" + rules_.path(),
            "--override_repository=platforms=" + rules + "/tools/platforms",
            "--override_repository=bazel_skylib=" + rules + "/tools/skylib",
            "--override_repository=rules_java=" + rules + "/rules/java",
            "--override_repository=rules_proto=" + rules + "/rules/proto",
            "--spawn_strategy=local",
            "--action_env=HIPCACHE_DIR=" + cache_.directory(),
            "--action_env=PATH=" + GetParam().tools() + ":/usr/bin:/bin",
            "--repo_env=CC=" + compiler_};
  }

  Counts bazel(const Arguments& command) const {
    const Counts before = cache_.counts();
    const Ended ended = run(Arguments{"bazel", "--output_user_root=" + (output_ / "root"), "--batch"} + command,
                            project_.path(), cache_.variables());
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    return cache_.counts() - before;
  }

  support::Scratch project_, rules_, output_;
  std::string compiler_;
  Cache cache_;
};

TEST_P(Bazel, TakesALinkToHipcacheForTheCompiler) {
  for (const char* needed : {"/usr/bin/bazel", "/usr/share/bazel/rules/java/WORKSPACE"})
    if (!fs::exists(needed)) GTEST_SKIP() << needed << " is not installed";
  const Counts cold = bazel(Arguments{"build"} + options() + Arguments{"//:kernels"});
  EXPECT_EQ(cold.run.at("device gfx906"), 3);
  bazel({"clean"});
  const Counts warm = bazel(Arguments{"build"} + options() + Arguments{"//:kernels"});
  EXPECT_EQ(warm.hits, 3);
  EXPECT_EQ(warm.misses + warm.partials + warm.passed, 0);
  bazel({"shutdown"});
}

INSTANTIATE_TEST_SUITE_P(Compilers, Bazel, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
