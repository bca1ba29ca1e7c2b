#include "hipcache/inputs/written_outputs.h"
#include "hipcache/base/reason.h"

#include <gtest/gtest.h>

#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

using trace::Change;
using trace::Kind;
using trace::Record;

Record wrote(Change change, const std::string& name = "out", bool found = true) {
  return {Kind::open_write, found, name, static_cast<std::uint64_t>(change)};
}

class WrittenFiles : public testing::Test {
 protected:
  WrittenFiles() { scratch_.write("work/out", "what was written"); }

  std::variant<std::vector<WrittenOutput>, Refusal> of(const std::vector<Record>& records,
                                                       const ReadAndWritten& accepted = {}) const {
    return written_files(records, scratch_ / "request", scratch_ / "work", accepted);
  }

  bool is_output(const std::vector<Record>& records) const {
    const auto written = of(records);
    if (const auto* refusal = std::get_if<Refusal>(&written)) {
      EXPECT_EQ(refusal->reason, Reason::reads_own_output);
      return false;
    }
    return std::get<std::vector<WrittenOutput>>(written).size() == 1;
  }

  support::Scratch scratch_;
};

TEST_F(WrittenFiles, AreThoseThatWereOpenedOrMovedWhereTheUserSeesThem) {
  scratch_.write("work/moved", "");
  scratch_.write("request/intermediate", "");
  const auto written = of({wrote(Change::opened, "out"), wrote(Change::moved_here, scratch_ / "work/moved"),
                           wrote(Change::opened, scratch_ / "request/intermediate"), wrote(Change::opened, "/dev/null"),
                           wrote(Change::opened, "gone"), wrote(Change::opened, "refused", false)});
  const auto& files = std::get<std::vector<WrittenOutput>>(written);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "gone");
  EXPECT_FALSE(files[0].exists);
  EXPECT_EQ(files[1].name, scratch_ / "work/moved");
  EXPECT_FALSE(files[1].opened);
  EXPECT_EQ(files[2].name, "out");
  EXPECT_EQ(files[2].path, scratch_ / "work/out");
  EXPECT_TRUE(files[2].opened && files[2].exists);
}

TEST_F(WrittenFiles, MayBeReadBeforeWhereTheyAreTheFileThatIsUpdated) {
  const Record read{Kind::open_read, true, "out", 7};
  const auto written = of({read, wrote(Change::opened)}, {.updated = scratch_ / "work/out"});
  ASSERT_TRUE(std::holds_alternative<std::vector<WrittenOutput>>(written));
  EXPECT_EQ(std::get<std::vector<WrittenOutput>>(written).at(0).read_as, 7u);
  EXPECT_TRUE(std::holds_alternative<Refusal>(of({read, wrote(Change::opened)}, {.updated = scratch_ / "work/other"})));
}

// As lld replaces its output: opened, and removed at once.
TEST_F(WrittenFiles, MayBeOpenedJustBeforeTheyAreRemovedWhereALinkReplacesThem) {
  const Record read{Kind::open_read, true, "out"};
  const Record looked{Kind::look, true, "in"};
  const ReadAndWritten accepted{.updated = "", .replaced = scratch_ / "work/out"};
  const auto is_accepted = [&](const std::vector<Record>& records, const ReadAndWritten& files) {
    return std::holds_alternative<std::vector<WrittenOutput>>(of(records, files));
  };
  EXPECT_TRUE(is_accepted({read, wrote(Change::other), wrote(Change::moved_here)}, accepted));
  EXPECT_FALSE(is_accepted({read, wrote(Change::other), wrote(Change::moved_here)}, {}));
  EXPECT_FALSE(is_accepted({read, looked, wrote(Change::other), wrote(Change::moved_here)}, accepted));
  EXPECT_FALSE(is_accepted({read, read, wrote(Change::other)}, accepted)) << "by two processes, or as an input";
  EXPECT_FALSE(is_accepted({read, wrote(Change::opened)}, accepted));
}

// As mold replaces its output: moved away, opened where it is not any more, and made anew.
TEST_F(WrittenFiles, MayBeLookedForBeforeTheyAreMadeWhereALinkReplacesThem) {
  const Record missed{Kind::open_read, false, "out"};
  const ReadAndWritten accepted{.updated = "", .replaced = scratch_ / "work/out"};
  EXPECT_TRUE(std::holds_alternative<std::vector<WrittenOutput>>(of({missed, wrote(Change::moved_here)}, accepted)));
  EXPECT_TRUE(std::holds_alternative<Refusal>(of({missed, wrote(Change::moved_here)}, {})));
}

TEST_F(WrittenFiles, AreNoOutputsIfTheyWereReadBefore) {
  EXPECT_FALSE(is_output({{Kind::open_read, true, "out"}, wrote(Change::opened)}));
  EXPECT_TRUE(is_output({wrote(Change::opened), {Kind::open_read, true, "out"}}));
  EXPECT_TRUE(is_output({{Kind::look, true, "out"}, wrote(Change::opened)}));
}

TEST_F(WrittenFiles, AreNoOutputsIfWhatWasThereWouldHaveStayed) {
  EXPECT_FALSE(is_output({wrote(Change::added_to)}));
  EXPECT_FALSE(is_output({{Kind::look, true, "out"}, wrote(Change::added_to)}));
  EXPECT_TRUE(is_output({wrote(Change::other), wrote(Change::added_to)})) << "removed first";
  EXPECT_TRUE(is_output({{Kind::look, false, "out"}, wrote(Change::added_to)})) << "was to be removed first";
}

}  // namespace
}  // namespace hipcache::inputs
