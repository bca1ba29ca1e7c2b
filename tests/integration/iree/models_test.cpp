// Every model for every target: hipcache leaves what the compiler leaves, on a miss and on a hit.
#include <gtest/gtest.h>

#include "integration/iree/iree_compile.h"

namespace hipcache::integration {
namespace {

class IreeModels : public IreeCompile {
 protected:
  void expect_cached_for_every_target(const std::string& model) {
    const std::string rest = model + ".mlir -o " + model + ".vmfb";
    for (const Arguments& target : {iree().hip(), iree().hip("gfx1100"), iree().amdgpu(), llvm_cpu(), vmvx()}) {
      SCOPED_TRACE(testing::PrintToString(target));
      expect_run(compile(target, rest));
      expect_hit_again();
    }
  }
};

TEST_P(IreeModels, AMatrixMultiplication) { expect_cached_for_every_target("matmul"); }
TEST_P(IreeModels, AConvolution) { expect_cached_for_every_target("convolution"); }
TEST_P(IreeModels, ASoftmax) { expect_cached_for_every_target("softmax"); }
TEST_P(IreeModels, ATransformerBlock) { expect_cached_for_every_target("transformer"); }

INSTANTIATE_TEST_SUITE_P(Versions, IreeModels, testing::Values(kIrees.back()), name_of_iree);

}  // namespace
}  // namespace hipcache::integration
