#include "integration/support/compiler.h"

#include <algorithm>
#include <cstdlib>

#include "hipcache/base/files.h"

namespace hipcache::integration {
namespace {

constexpr const char* kSource = R"(
#include "runtime.h"
__device__ float scale = 2;
__global__ void kernel(float* data) { data[0] *= scale; }
void launch(float* data) { kernel<<<1, 64>>>(data); }
)";

}  // namespace

Arguments Compiler::hip() const {
  // The driver of clang 15 includes its wrapper header only for a version of HIP that it knows.
  const bool wrapped = std::getenv("WRAPPER_HEADER") != nullptr;
  return Arguments{program()} +
         words(std::string("-x hip -std=c++17 ") + (wrapped ? "--hip-version=5.2.3" : "-nogpuinc") + " -B" + tools() +
               " --rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
}

std::string write_toolchain_for_hipcc(const support::Scratch& directory, const Compiler& compiler) {
  std::string full_version = run({compiler.program(), "-dumpversion"}, directory.path()).out;
  while (!full_version.empty() && full_version.back() == '\n') full_version.pop_back();
  directory.link("lib/clang/" + full_version, "/usr/lib/llvm-" + compiler.version + "/lib/clang/" + compiler.version);
  directory.link("bin/clang++-15", compiler.tools() + "/clang++");
  return directory / "bin";
}

Arguments with_id(Arguments command, const std::string& cuid) {
  if (cuid.empty()) return command;
  if (cuid.find(" of ") != cuid.npos) return Arguments{"python3", "-B", HIPCACHE_RUN_WITH_IDS, cuid} + command;
  const bool is_new = std::find(command.begin(), command.end(), "--offload-new-driver") != command.end();
  Arguments id{"-cuid=" + cuid};
  if (is_new) id.insert(id.begin(), "-Xclang");
  command.insert(command.begin() + 1, id.begin(), id.end());
  return command;
}

std::string name_of(const testing::TestParamInfo<Compiler>& info) { return "Clang" + info.param.version; }

Arguments archs(const std::vector<std::string>& names) {
  Arguments list;
  for (const std::string& name : names) list.push_back("--offload-arch=" + name);
  return list;
}

std::string write_runtime(const support::Scratch& scratch, const std::string& directory) {
  return scratch.write(directory == "." ? "runtime.h" : directory + "/runtime.h",
                       support::read_bytes(HIPCACHE_BARE_HIP));
}

std::string kernel_source() { return kSource; }

std::string write_kernel(const support::Scratch& scratch, const std::string& name, const std::string& extra) {
  write_runtime(scratch, std::string(directory_name(name)));
  return scratch.write(name, kSource + extra);
}

std::string write_slow_kernel(const support::Scratch& scratch, const std::string& name) {
  std::string kernels;
  for (int i = 0; i < 3; ++i) {
    const std::string kernel = "slow" + std::to_string(i);
    kernels += "__global__ void " + kernel +
               "(float* x, int n) {\n#pragma unroll 48\n  for (int i = 0; i < 512; ++i) " + "x[i] = x[i + " +
               std::to_string(i) + "] * x[n] + x[i * n];\n}\n";
  }
  return write_kernel(scratch, name, kernels);
}

}  // namespace hipcache::integration
