// IREE's compiler in tests: the versions that tools/test-iree installs, their programs and options, and a directory
// with the models of fixtures/iree.
#ifndef HIPCACHE_TESTS_INTEGRATION_IREE_IREE_COMPILE_H
#define HIPCACHE_TESTS_INTEGRATION_IREE_IREE_COMPILE_H

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {

struct Iree {
  std::string version;  // "3.13.0"
  std::string gpu;      // the option that names the GPU
  std::string bitcode;  // the option that names the directory of the device libraries

  std::string directory() const;  // the virtual environment
  bool is_installed() const;
  std::string script(const std::string& tool = "iree-compile") const;  // pip's
  std::string libraries() const;                                       // where the programs are
  std::string program(const std::string& tool = "iree-compile") const { return libraries() + "/" + tool; }

  Arguments hip(const std::string& name = "gfx942") const;
  Arguments amdgpu(const std::string& name = "gfx942") const;
};

// How googletest prints a version.
inline void PrintTo(const Iree& iree, std::ostream* out) { *out << iree.version; }

inline const std::vector<Iree> kIrees{{"3.8.0", "--iree-hip-target=", "--iree-hip-bc-dir="},
                                      {"3.13.0", "--iree-rocm-target=", "--iree-rocm-bc-dir="}};

// Options for the processor, the same in all versions.
Arguments llvm_cpu();
Arguments vmvx();

std::string name_of_iree(const testing::TestParamInfo<Iree>& info);

// Skips the test if the version is not installed.
class IreeCompile : public OpaqueCompile, public testing::TestWithParam<Iree> {
 protected:
  void SetUp() override;

  const Iree& iree() const { return GetParam(); }
  // The program itself, without pip's script.
  Arguments compile(const Arguments& target, const std::string& rest = "softmax.mlir -o a.vmfb") const;
  // Runs the last command again; it must be a hit.
  void expect_hit_again();
};

}  // namespace hipcache::integration

#endif
