// Files of an input root: who hashes them, and what becomes of those that change or cannot be read.
#include "remote/execution/input_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "remote/support.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using protocol::ExecuteInput;
using testing::HasSubstr;

class InputFiles : public testing::Test {
 protected:
  std::string error_of(const std::vector<ExecuteInput>& inputs) {
    const auto names = name_input_files(inputs, hashed_);
    return names ? "" : names.error().message;
  }

  const support::Scratch scratch_;
  std::vector<protocol::HashedInput> hashed_;
};

TEST_F(InputFiles, AreHashedHereUnlessTheDaemonKnowsThem) {
  const std::string bytes = noise(600u << 10);
  const std::string large = scratch_.write("large", bytes);
  const BlobName known = blob_name_of("known");
  const auto names = name_input_files(
      std::vector<ExecuteInput>{{.path = "/a", .source = large},
                                {.path = "/b", .contents = "text"},
                                {.path = "/d", .kind = protocol::ExecuteInputKind::directory},
                                {.path = "/c", .source = "/not/read", .sha256 = known.hash, .size = known.size}},
      hashed_);
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_THAT(*names, testing::ElementsAre(blob_name_of(bytes), blob_name_of("text"), BlobName(), known));
  ASSERT_EQ(hashed_.size(), 1u);
  EXPECT_EQ(hashed_[0].path, large);
  EXPECT_EQ(hashed_[0].sha256, blob_name_of(bytes).hash);
  EXPECT_EQ(hashed_[0].size, bytes.size());
}

TEST_F(InputFiles, ThatCannotBeReadAreNamed) {
  EXPECT_THAT(error_of({{.path = "/a", .source = scratch_ / "missing"}}), HasSubstr(scratch_ / "missing"));
  EXPECT_THAT(error_of({{.path = "/a", .source = scratch_.make_directory("d")}}), HasSubstr("is not a file"));
  const std::string pipe = scratch_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of({{.path = "/a", .source = pipe}}), HasSubstr("is not a file")) << "and nobody waits for it";
  EXPECT_THAT(error_of({{.path = "/a", .sha256 = "short"}}), HasSubstr("/a has no SHA-256"));
}

TEST_F(InputFiles, AreBounded) {
  const std::string hash = blob_name_of("").hash;
  EXPECT_EQ(error_of({{.path = "/a", .sha256 = hash, .size = kMostInputBytes}}), "");
  EXPECT_THAT(error_of({{.path = "/a", .sha256 = hash, .size = kMostInputBytes}, {.path = "/b", .contents = "x"}}),
              HasSubstr("more than 512 MiB"));
  EXPECT_THAT(error_of(std::vector<ExecuteInput>(kMostInputFiles + 1)), HasSubstr("more than 20000 input files"));
}

TEST_F(InputFiles, ThatHaveChangedAreNotSent) {
  const std::string path = scratch_.write("a", "first");
  const ExecuteInput input{.path = "/a", .source = path};
  const BlobName name = blob_name_of("first");
  EXPECT_EQ(read_input_file(input, name).value(), "first");
  for (const char* changed : {"other", "f", "first and more"}) {
    scratch_.write("a", changed);
    EXPECT_FALSE(read_input_file(input, name)) << changed;
  }
}

}  // namespace
}  // namespace hipcache::remote
