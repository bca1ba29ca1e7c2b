// Which commands of IREE's compiler are cached, and what is said of them.
#include "hipcache/compiler/iree/iree_command.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/words.h"
#include "hipcache/base/reason.h"
#include "support/scratch.h"

namespace hipcache::compiler {
namespace {

class IreeCommand : public ::testing::Test {
 protected:
  std::variant<Invocation, Uncacheable> parse(const std::string& line) const {
    return parse_iree(testing::words(line), project_.path());
  }

  Invocation accepted(const std::string& line) const {
    auto parsed = parse(line);
    if (const auto* refused = std::get_if<Uncacheable>(&parsed))
      ADD_FAILURE() << line << ": " << text_of(refused->reason) << ", " << refused->detail;
    return std::holds_alternative<Invocation>(parsed) ? std::get<Invocation>(std::move(parsed)) : Invocation{};
  }

  std::string refusal(const std::string& line) const {
    auto parsed = parse(line);
    const auto* refused = std::get_if<Uncacheable>(&parsed);
    return refused == nullptr ? "accepted" : text_of(refused->reason);
  }

  std::string advice(const std::string& options) const {
    return accepted("iree-compile " + options + " a.mlir -o a.vmfb").opaque.advice;
  }

  support::Scratch project_;
};

TEST_F(IreeCommand, IsOneStepAsTyped) {
  const std::string line = "iree-compile --iree-hal-target-device=hip --some-new-option a.mlir -o a.vmfb";
  const Invocation invocation = accepted(line);
  EXPECT_EQ(invocation.route, Route::is_opaque);
  EXPECT_EQ(invocation.opaque.making, Making::compile);
  EXPECT_EQ(invocation.argv, testing::words(line));
  EXPECT_EQ(invocation.object, "a.vmfb");
  EXPECT_EQ(invocation.opaque.only_input, "a.mlir");
  EXPECT_EQ(accepted("iree-compile --some-new-option value a.mlir -o a.vmfb").opaque.only_input, "");
  EXPECT_TRUE(invocation.opaque.asks_processor);
  EXPECT_FALSE(invocation.opaque.output_names.has_value()) << "the name of -o is in every key";
}

TEST_F(IreeCommand, IsKnownByTheProgramsNameOrPythonsModule) {
  for (const char* program : {"iree-compile", "/venv/bin/iree-compile", "iree-opt", "iree-link",
                              "python3 -m iree.compiler.tools.scripts.iree_compile",
                              "/venv/bin/python3.11 -P -m iree.compiler.tools.scripts.iree_opt.__main__"})
    EXPECT_EQ(refusal(std::string(program) + " a.mlir -o a.vmfb"), "accepted") << program;
  for (const char* program :
       {"iree-run-module", "iree-lld", "my-iree-compile", "python3 a.py", "python3 -m http.server", "python3",
        "pythonic -m iree.compiler.tools.scripts.iree_compile"})
    EXPECT_EQ(refusal(std::string(program) + " a.mlir -o a.vmfb"), "not-a-compiler") << program;
}

TEST_F(IreeCommand, ByPythonsModuleHasTheToolsArgumentsBehindIt) {
  EXPECT_EQ(refusal("python3 -m iree.compiler.tools.scripts.iree_compile"), "no-input");
  const Invocation invocation = accepted("python3 -m iree.compiler.tools.scripts.iree_compile a.mlir");
  EXPECT_TRUE(invocation.opaque.by_python_module);
  EXPECT_EQ(invocation.opaque.python_module, "iree.compiler.tools.scripts.iree_compile");
  EXPECT_FALSE(accepted("iree-compile a.mlir").opaque.by_python_module);
}

TEST_F(IreeCommand, ThatReadsStandardInputIsRefused) {
  for (const char* line :
       {"iree-compile -", "iree-compile - -o a.vmfb", "iree-compile /dev/stdin -o a.vmfb",
        "iree-compile a.mlir --iree-preprocessing-pdl-spec-filename=-", "iree-compile a.mlir --some-file -"})
    EXPECT_EQ(refusal(line), "standard-input") << line;
}

TEST_F(IreeCommand, ThatWritesToStandardOutputIsNot) {
  for (const char* line : {"iree-compile a.mlir", "iree-compile a.mlir -o -", "iree-compile a.mlir -o=-",
                           "iree-compile a.mlir --iree-hal-dump-executable-sources-to=- -o a.vmfb",
                           "iree-compile a.mlir --iree-codegen-dump-tuning-specs-to=-"})
    EXPECT_EQ(refusal(line), "accepted") << line;
}

TEST_F(IreeCommand, WhoseEffectNoTraceShowsIsRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"--version", "driver-information"},
      {"--help", "driver-information"},
      {"-help-list", "driver-information"},
      {"--iree-hal-list-target-backends", "driver-information"},
      {"--iree-llvmcpu-list-targets", "driver-information"},
      {"--mlir-timing", "time-trace"},
      {"--time-passes", "time-trace"},
      {"--stats", "statistics"},
      {"--mlir-pass-statistics", "statistics"},
      {"--iree-load-plugin=p.so", "plugin"},
      {"--load p.so", "plugin"},
      {"--iree-llvmcpu-keep-linker-artifacts", "save-temps"},
      {"-o /dev/stdout", "output-not-a-file"},
  };
  for (const auto& [option, why] : cases) EXPECT_EQ(refusal("iree-compile a.mlir " + option), why) << option;
  EXPECT_EQ(refusal("iree-compile a.mlir --iree-llvmcpu-keep-linker-artifacts=false"), "accepted");
  EXPECT_EQ(refusal("iree-compile -o a.vmfb"), "no-input");
}

TEST_F(IreeCommand, IsReadWithItsResponseFiles) {
  project_.write("words", "--iree-hal-target-device=hip a.mlir -o b.vmfb");
  const Invocation invocation = accepted("iree-compile @words");
  EXPECT_EQ(invocation.object, "b.vmfb");
  EXPECT_EQ(invocation.argv, testing::words("iree-compile @words"));
  project_.write("words", "- -o b.vmfb");
  EXPECT_EQ(refusal("iree-compile @words"), "standard-input");
}

TEST_F(IreeCommand, SaysWhichOptionATargetLacks) {
  EXPECT_EQ(advice("--iree-hal-target-device=local"),
            "the device \"local\" needs a back end: --iree-hal-local-target-device-backends=llvm-cpu (or vmvx)");
  EXPECT_EQ(advice("--iree-hal-target-device=a=local[0]"), advice("--iree-hal-target-device=local"));
  EXPECT_EQ(advice("--iree-hal-target-device=local --iree-hal-local-target-device-backends=vmvx"), "");
  EXPECT_EQ(advice("--iree-hal-target-device=hip"),
            "\"hip\" needs the name of a GPU: --iree-rocm-target=gfx942 (--iree-hip-target= in older versions)");
  EXPECT_NE(advice("--iree-hal-target-device amdgpu").find("\"amdgpu\""), std::string::npos);
  EXPECT_NE(advice("--iree-hal-target-backends=rocm").find("\"rocm\""), std::string::npos);
  EXPECT_EQ(advice("--iree-hal-target-device=hip --iree-hip-target=gfx942"), "");
  EXPECT_EQ(advice("--iree-hal-target-device=hip --iree-rocm-target=gfx942"), "");
  EXPECT_NE(advice("").find("--iree-hal-target-device="), std::string::npos);
  EXPECT_EQ(advice("--compile-to=flow"), "");
  EXPECT_EQ(accepted("iree-opt a.mlir").opaque.advice, "");
}

}  // namespace
}  // namespace hipcache::compiler
