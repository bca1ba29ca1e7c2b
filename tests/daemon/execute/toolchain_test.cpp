// What changes the property of a worker's toolchain, and what does not.
#include "daemon/execute/toolchain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_clock.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

class ToolchainTest : public testing::Test {
 protected:
  // Of a device step that links the bitcode file of that name.
  std::string property_with(const std::string& bitcode) {
    support::await_next_tick();
    StepSpec device;
    device.commands = {{clang_, {clang_, "-cc1", "-mlink-builtin-bitcode", scratch_ / "toolchain/bitcode/" + bitcode}},
                       {lld_, {lld_}}};
    const Result<std::string> property = toolchains_.property(device, scratch_ / "toolchain", file_system_);
    EXPECT_TRUE(property) << (property ? "" : property.error().message);
    return property ? *property : "";
  }

  support::Scratch scratch_;
  Log log_{scratch_ / "log", Log::Level::info};
  const std::string clang_ = scratch_.write("toolchain/clang", "clang");
  const std::string lld_ = scratch_.write("toolchain/lld", "lld");
  const std::string gfx906_ = scratch_.write("toolchain/bitcode/oclc_isa_version_906.bc", "906");
  const std::string gfx1030_ = scratch_.write("toolchain/bitcode/oclc_isa_version_1030.bc", "1030");
  inputs::FileSystemState file_system_;
  Toolchains toolchains_{log_};
};

TEST_F(ToolchainTest, IsOneForAllProcessors) {
  const std::string property = property_with("oclc_isa_version_906.bc");
  EXPECT_EQ(property_with("oclc_isa_version_1030.bc"), property);
  EXPECT_THAT(property, testing::StartsWith("hipcache-toolchain="));
}

TEST_F(ToolchainTest, ChangesWithProgramsAndBitcode) {
  const std::string property = property_with("oclc_isa_version_906.bc");
  scratch_.write("toolchain/bitcode/oclc_isa_version_1030.bc", "another");
  const std::string other_bitcode = property_with("oclc_isa_version_906.bc");
  EXPECT_NE(other_bitcode, property);
  scratch_.write("toolchain/lld", "another");
  EXPECT_NE(property_with("oclc_isa_version_906.bc"), other_bitcode);
}

TEST_F(ToolchainTest, DoesNotChangeWithOtherFilesBesideTheBitcode) {
  const std::string property = property_with("oclc_isa_version_906.bc");
  scratch_.write("toolchain/bitcode/README", "new");
  EXPECT_EQ(property_with("oclc_isa_version_906.bc"), property);
}

TEST_F(ToolchainTest, IsLoggedOnce) {
  const std::string property = property_with("oclc_isa_version_906.bc");
  property_with("oclc_isa_version_906.bc");
  const std::string logged = support::read_bytes(scratch_ / "log");
  EXPECT_THAT(logged, testing::HasSubstr(property));
  EXPECT_EQ(logged.find(property), logged.rfind(property));
}

}  // namespace
}  // namespace hipcache::daemon
