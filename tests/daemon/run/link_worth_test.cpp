#include "daemon/run/link_worth.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "daemon/services_in_memory.h"
#include "hipcache/base/reason.h"
#include "hipcache/protocol/channel.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint64_t kSecond = 1'000'000;

TEST(LinkWorth, SmallResultsAreStoredWhateverTheySave) {
  EXPECT_TRUE(is_worth_storing(0, 0, 0));
  EXPECT_TRUE(is_worth_storing(kAlwaysWorth, 1, 0));
  EXPECT_FALSE(is_worth_storing(kAlwaysWorth + 1, 1, 0));
}

TEST(LinkWorth, LargeOnesMustSaveTimeForTheirSize) {
  EXPECT_FALSE(is_worth_storing(200 * kMiB, 20'000, 0));
  EXPECT_TRUE(is_worth_storing(200 * kMiB, kSecond, 0));
  EXPECT_TRUE(is_worth_storing(kBytesPerSavedSecond, kSecond, 0));
  EXPECT_FALSE(is_worth_storing(kBytesPerSavedSecond + kMiB, kSecond, 0));
  EXPECT_TRUE(is_worth_storing(1ull << 40, 1ull << 50, 0)) << "no overflow";
}

TEST(LinkWorth, NoneTakesALargePartOfTheCache) {
  EXPECT_FALSE(is_worth_storing(401 * kMiB, 100 * kSecond, 400 * kMiB * kPartOfCache));
  EXPECT_TRUE(is_worth_storing(400 * kMiB, 100 * kSecond, 400 * kMiB * kPartOfCache));
}

class TooLarge : public testing::Test {
 protected:
  // A file without content on the disk.
  std::string file(std::uint64_t bytes) {
    std::string path = scratch_.write("file", "");
    std::filesystem::resize_file(path, bytes);
    return path;
  }
  bool is_too_large(std::uint64_t bytes, std::uint64_t duration_us, compiler::Making making) {
    request_.invocation.opaque.making = making;
    StepState step(StepSpec{});
    step.result.duration_us = duration_us;
    return too_large(step, {file(bytes)}, context_).has_value();
  }

  static Request request_by_gcc() {
    Request request;
    request.invocation.argv = request.invocation.expanded = {"gcc"};
    return request;
  }

  support::Scratch scratch_;
  ServicesInMemory<> made_;
  Request request_ = request_by_gcc();
  protocol::Channel channel_{UniqueFd()};
  const std::unique_ptr<store::Lease> lease_ = made_.store.lease();
  const RequestContext context_ = context_of(channel_, request_, made_.services, *lease_, nullptr);
};

TEST_F(TooLarge, IsAnObjectThatTookNoTimeOrIsLargerThanAnyThatIsRead) {
  constexpr compiler::Making kCompile = compiler::Making::compile;
  EXPECT_FALSE(is_too_large(kUsualObject, 1, kCompile));
  EXPECT_TRUE(is_too_large(kUsualObject + 1, kSecond, kCompile));
  EXPECT_FALSE(is_too_large(kOutputLimit, 60 * kSecond, kCompile)) << "whatever part of the cache it takes";
  EXPECT_TRUE(is_too_large(kOutputLimit + 1, 60 * kSecond, kCompile));
}

TEST_F(TooLarge, IsNotedForTheNextSuchCommand) {
  EXPECT_FALSE(noted_to_run_alone(context_));
  ASSERT_TRUE(is_too_large(kOutputLimit + 1, 60 * kSecond, compiler::Making::compile));
  const std::optional<compiler::Uncacheable> noted = noted_to_run_alone(context_);
  ASSERT_TRUE(noted);
  EXPECT_EQ(noted->reason, Reason::not_worth_storing);
}

// A member's header: name, time, user, group, mode, size.
std::string member(const char* name, const char* time, const char* user, const std::string& content) {
  char header[61];
  snprintf(header, sizeof header, "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", name, time, user, "0", "644", content.size());
  return header + content + (content.size() % 2 == 0 ? "" : "\n");
}

TEST(ArchiveMembers, HoldTimesOrOwnersOrNone) {
  const std::string magic = "!<arch>\n";
  EXPECT_FALSE(holds_times(magic));
  EXPECT_FALSE(holds_times(magic + member("/", "", "", "index") + member("a.o/", "0", "0", "odd") +
                           member("b.o/", "0", "0", "even")));
  EXPECT_TRUE(holds_times(magic + member("a.o/", "0", "0", "odd") + member("b.o/", "1700000000", "0", "even")));
  EXPECT_TRUE(holds_times(magic + member("a.o/", "0", "1000", "odd")));
}

TEST(ArchiveMembers, OfThinArchivesAreElsewhere) {
  const std::string thin = "!<thin>\n" + member("//", "", "", "a.o/\nb.o/\n");
  const std::string of_a = member("/0", "0", "0", std::string(1000, 'x')).substr(0, 60);
  EXPECT_FALSE(holds_times(thin + of_a + of_a));
  EXPECT_TRUE(holds_times(thin + of_a + member("/5", "7", "0", "").substr(0, 60)));
}

TEST(ArchiveMembers, ThatCannotBeReadCountAsSuch) {
  const std::string whole = "!<arch>\n" + member("a.o/", "0", "0", "content!");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(holds_times(whole.substr(0, size)), size != 8) << size << "; 8: an archive of no members";
  EXPECT_TRUE(holds_times("an object"));
}

}  // namespace
}  // namespace hipcache::daemon
