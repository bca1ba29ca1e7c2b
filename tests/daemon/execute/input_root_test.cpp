// What becomes of a name on its way to a worker: directories, links, files, and what stays at home.
#include "daemon/execute/input_root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "daemon/execute/engine.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using protocol::ExecuteInput;
using protocol::ExecuteInputKind;

class InputRootTest : public testing::Test {
 protected:
  support::Scratch scratch_;
  Log log_{"", Log::Level::info};
  Engine engine_{*config::parse_execute_url("grpc://engine.example:8980/"),
                 [](const protocol::RemoteMessage&) { return true; }, log_};
  std::string own_ = scratch_.make_directory("own");
  std::string source_ = scratch_.write("project/src/a.hip", "source");
  inputs::RunContext from_{.working_directory = scratch_.make_directory("project/build")};

  std::map<std::string, ExecuteInput> sent(const std::vector<std::string>& names) {
    InputRoot root(from_, own_, source_, engine_);
    for (const std::string& name : names) root.add(name);
    std::map<std::string, ExecuteInput> inputs;
    const Result<std::vector<ExecuteInput>> taken = std::move(root).take();
    EXPECT_TRUE(taken);
    for (const ExecuteInput& input : *taken) inputs[input.path] = input;
    return inputs;
  }
};

TEST_F(InputRootTest, SendsAFileWithTheDirectoriesAboveIt) {
  const auto inputs = sent({source_});
  ASSERT_TRUE(inputs.contains(source_));
  EXPECT_EQ(inputs.at(source_).kind, ExecuteInputKind::file);
  EXPECT_EQ(inputs.at(source_).source, source_);
  EXPECT_EQ(inputs.at(source_).size, 6u);
  EXPECT_EQ(inputs.at(scratch_ / "project/src").kind, ExecuteInputKind::directory);
}

TEST_F(InputRootTest, MakesEachDirectoryThatANameWalksAndSendsNoDots) {
  scratch_.make_directory("project/far/deep");
  const auto inputs = sent({scratch_ / "project/far/deep/../../src/./a.hip"});
  EXPECT_TRUE(inputs.contains(source_));
  EXPECT_TRUE(inputs.contains(scratch_ / "project/far/deep"));
  for (const auto& [path, input] : inputs) EXPECT_EQ(path.find("/."), std::string::npos) << path;
}

TEST_F(InputRootTest, KeepsALinkALinkAndSendsWhatItLeadsTo) {
  scratch_.link("project/link", "src");
  const auto inputs = sent({scratch_ / "project/link/a.hip"});
  EXPECT_EQ(inputs.at(scratch_ / "project/link").kind, ExecuteInputKind::link);
  EXPECT_EQ(inputs.at(scratch_ / "project/link").target, "src");
  EXPECT_TRUE(inputs.contains(source_));
  EXPECT_FALSE(inputs.contains(scratch_ / "project/link/a.hip"));
}

TEST_F(InputRootTest, EndsWithALinkThatLeadsToItself) {
  scratch_.link("project/loop", "loop");
  EXPECT_TRUE(sent({scratch_ / "project/loop/a.h"}).contains(scratch_ / "project/loop"));
}

TEST_F(InputRootTest, SendsNothingOfTheImageAndOfTheMachine) {
  for (const auto& [path, input] : sent({"/usr/include/stdio.h", "/etc/passwd", "/usr/bin/env", "/proc/self/maps"}))
    EXPECT_NE(input.kind, ExecuteInputKind::file) << path;
}

TEST_F(InputRootTest, SendsNothingOfAHomeDirectoryButTheRequestsOwn) {
  const std::string secret = scratch_.write(".aws/credentials", "secret");
  from_.environment = {"HOME=" + scratch_.path()};
  const auto inputs = sent({source_, secret});
  EXPECT_TRUE(inputs.contains(source_)) << "the source's directory";
  EXPECT_FALSE(inputs.contains(secret));
}

TEST_F(InputRootTest, RefusesMoreThanItsLimits) {
  InputRoot root(from_, own_, source_, engine_);
  const std::string large = scratch_.write("project/src/large", "");
  ASSERT_EQ(truncate(large.c_str(), static_cast<off_t>(InputRoot::kMostBytes + 1)), 0);
  root.add(large);
  EXPECT_FALSE(std::move(root).take());
}

}  // namespace
}  // namespace hipcache::daemon
