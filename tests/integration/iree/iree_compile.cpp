#include "integration/iree/iree_compile.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace hipcache::integration {
namespace fs = std::filesystem;

std::string Iree::directory() const {
  const char* place = std::getenv("HIPCACHE_TEST_IREE");
  const char* home = std::getenv("HOME");
  const std::string base =
      place != nullptr ? place : std::string(home == nullptr ? "" : home) + "/.cache/hipcache-test-iree";
  return base + "/" + version;
}

bool Iree::is_installed() const { return fs::exists(directory() + "/complete"); }

std::string Iree::script(const std::string& tool) const { return directory() + "/bin/" + tool; }

// The directory between has the version of Python in its name.
std::string Iree::libraries() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory() + "/lib")) {
    const fs::path libraries = entry.path() / "site-packages/iree/compiler/_mlir_libs";
    if (fs::exists(libraries)) return libraries;
  }
  return "";
}

Arguments Iree::hip(const std::string& name) const { return {"--iree-hal-target-device=hip", gpu + name}; }
Arguments Iree::amdgpu(const std::string& name) const { return {"--iree-hal-target-device=amdgpu", gpu + name}; }

Arguments llvm_cpu() {
  return {"--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
          "--iree-llvmcpu-target-cpu=generic"};
}

Arguments vmvx() { return {"--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=vmvx"}; }

std::string name_of_iree(const testing::TestParamInfo<Iree>& info) {
  std::string name = "Iree" + info.param.version;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

void IreeCompile::SetUp() {
  if (!iree().is_installed())
    GTEST_SKIP() << "IREE " << iree().version << " is not installed: tools/test-iree does that, from PyPI";
  for (const fs::directory_entry& entry : fs::directory_iterator(HIPCACHE_SOURCE "/fixtures/iree"))
    project_.write(entry.path().filename().string(), support::read_bytes(entry.path()));
}

Arguments IreeCompile::compile(const Arguments& target, const std::string& rest) const {
  return Arguments{iree().program()} + target + words(rest);
}

void IreeCompile::expect_hit_again() {
  const Counts counted = oracle_.check_again();
  EXPECT_EQ(counted.hits, 1) << counted.json.dump();
  EXPECT_EQ(counted.run.at("host"), 0);
}

}  // namespace hipcache::integration
