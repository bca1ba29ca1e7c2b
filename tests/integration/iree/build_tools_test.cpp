// How build tools reach IREE's compiler through hipcache: CMake's custom commands, and a link in PATH.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "integration/iree/iree_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class IreeBuildTools : public IreeCompile {
 protected:
  // Runs a tool; returns what hipcache counted meanwhile.
  Counts tool(const Arguments& argv, const Variables& variables = {}) {
    const Counts before = cache_.counts();
    const Ended ended = run(argv, project_.path(), cache_.variables(variables));
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    return cache_.counts() - before;
  }

  // As iree_bytecode_module does it: an imported program, a custom command for each module.
  void write_cmake_project() {
    project_.write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.25)
project(models NONE)
if(LAUNCHER)
  set_property(GLOBAL PROPERTY RULE_LAUNCH_CUSTOM "${LAUNCHER}")
endif()
add_executable(iree-compile IMPORTED GLOBAL)
set_property(TARGET iree-compile PROPERTY IMPORTED_LOCATION "${COMPILER}")
foreach(model softmax matmul)
  get_filename_component(source ${model}.mlir REALPATH)
  add_custom_command(
    OUTPUT ${model}.vmfb
    COMMAND iree-compile --output-format=vm-bytecode ${TARGET} ${source} -o ${model}.vmfb
    DEPENDS iree-compile ${source}
    VERBATIM)
  list(APPEND modules ${model}.vmfb)
endforeach()
add_custom_target(models ALL DEPENDS ${modules})
add_custom_command(TARGET models POST_BUILD COMMAND ${CMAKE_COMMAND} -E touch built)
)");
  }

  Counts configure(const std::string& generator, const std::string& build, const std::string& launcher) {
    std::string target;
    for (const std::string& option : vmvx()) target += (target.empty() ? "" : ";") + option;
    return tool({"cmake", "-G", generator, "-S", ".", "-B", build, "-DLAUNCHER=" + launcher,
                 "-DCOMPILER=" + iree().program(), "-DTARGET=" + target});
  }

  void expect_modules_of(const std::string& build, const std::string& other) {
    for (const char* module : {"/softmax.vmfb", "/matmul.vmfb"})
      EXPECT_TRUE(support::read_bytes(project_ / (build + module)) == support::read_bytes(project_ / (other + module)))
          << module;
  }
};

TEST_P(IreeBuildTools, CMakePutsHipcacheBeforeCustomCommands) {
  write_cmake_project();
  configure("Ninja", "plain", "");
  tool(words("cmake --build plain"));
  for (const char* generator : {"Ninja", "Unix Makefiles"}) {
    SCOPED_TRACE(generator);
    const std::string build = std::string("build-") + generator[0];
    configure(generator, build, hipcache_program());
    const Counts first = tool(words("cmake --build " + build));
    EXPECT_EQ(first.misses + first.hits, 2) << "both modules are looked up: " << first.json.dump();
    EXPECT_TRUE(fs::exists(project_ / (build + "/built"))) << "other commands run as typed";
    expect_modules_of(build, "plain");
    tool(words("cmake --build " + build + " --target clean"));
    const Counts again = tool(words("cmake --build " + build));
    EXPECT_EQ(again.hits, 2) << again.json.dump();
    expect_modules_of(build, "plain");
  }
}

// A build that takes the compiler from a directory or from PATH gets a directory with a link.
TEST_P(IreeBuildTools, ALinkNamedLikeTheCompilerIsALauncher) {
  fs::create_directory(project_ / "links");
  fs::create_symlink(hipcache_program(), project_ / "links/iree-compile");
  const Variables path{{"PATH", project_ / "links" + (":" + iree().libraries()) + ":" + std::getenv("PATH")}};
  const Arguments rest = vmvx() + words("softmax.mlir -o a.vmfb");
  EXPECT_EQ(run(Arguments{iree().program()} + rest, project_.path(), {}).exit_code, 0);
  const std::string expected = support::read_bytes(project_ / "a.vmfb");
  for (const Arguments& compiler : {Arguments{project_ / "links/iree-compile"}, Arguments{"iree-compile"}}) {
    fs::remove(project_ / "a.vmfb");
    tool(compiler + rest, path);
    EXPECT_TRUE(support::read_bytes(project_ / "a.vmfb") == expected);
  }
  fs::remove(project_ / "a.vmfb");
  EXPECT_EQ(tool(Arguments{"iree-compile"} + rest, path).hits, 1);
  EXPECT_TRUE(support::read_bytes(project_ / "a.vmfb") == expected);
}

INSTANTIATE_TEST_SUITE_P(Versions, IreeBuildTools, testing::ValuesIn(kIrees), name_of_iree);

}  // namespace
}  // namespace hipcache::integration
