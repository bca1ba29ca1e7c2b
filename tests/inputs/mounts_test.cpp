// What is remembered of a file holds as long as its mount lives, and only on file systems whose times show changes.
#include "inputs/state/mounts.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "hipcache/base/reason.h"
#include "inputs/trace_fixture.h"
#include "support/made_up_times.h"
#include "support/own_mounts.h"

namespace hipcache::inputs {
namespace {

using support::BindMount;
using support::MadeUp;
using support::MadeUpTimes;
using trace::Kind;

// A state whose memory follows the test's mounts: `file_system_` of the fixture is of the namespace before.
class OwnMounts : public TraceFixture {
 protected:
  static void SetUpTestSuite() { is_alone_ = support::enter_own_mounts(); }
  void SetUp() override {
    if (!is_alone_) GTEST_SKIP() << "no mount namespace of the test's own";
    directory("sdk");
    directory("other");
    write("image/a.h", "one");
    let_stamps_settle();
  }

  static Effort effort_of(FileSystemState& state, const PathSet& set, const RunContext& from) {
    Effort effort;
    state.state(set, from, &effort);
    return effort;
  }

  static inline bool is_alone_ = false;
};

class MountsByIds : public OwnMounts, public testing::WithParamInterface<MountIds> {
 protected:
  FileSystemState mounted_{[this] { return now_.load(); }, GetParam()};
};

TEST_P(MountsByIds, AFileIsReadAgainAfterItWasMountedAnewWithTheSameStamp) {
  BindMount sdk(at("image"), at("sdk"));
  ASSERT_TRUE(sdk.is_mounted());
  const PathSet set({{Question::content, at("sdk/a.h")}, {Question::listing, at("sdk")}});
  effort_of(mounted_, set, here());
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 0u);
  sdk.again();
  const Effort after = effort_of(mounted_, set, here());
  EXPECT_EQ(after.opens, 1u);
  EXPECT_EQ(after.listings, 1u);
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 0u);
}

TEST_P(MountsByIds, ASingleFileMayBeMountedAnew) {
  write("place", "");
  write("file", "one");
  let_stamps_settle();
  BindMount file(at("file"), at("place"));
  const PathSet set({{Question::content, at("place")}});
  effort_of(mounted_, set, here());
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 0u);
  file.again();
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 1u);
}

TEST_P(MountsByIds, AbsencesAndLinksAreAskedForAgain) {
  link("image/link", "a.h");
  let_stamps_settle();
  BindMount sdk(at("image"), at("sdk"));
  const PathSet set({{Question::presence, at("sdk/absent")}, {Question::link, at("sdk/link")}});
  effort_of(mounted_, set, here());
  const Effort known = effort_of(mounted_, set, here());
  EXPECT_EQ(known.links, 0u);
  sdk.again();
  const Effort after = effort_of(mounted_, set, here());
  EXPECT_EQ(after.links, 1u);
  EXPECT_GT(after.stats, known.stats);
}

TEST_P(MountsByIds, WhatLiesOnTheRootsMountStaysKnownWhenAnotherMountComes) {
  const PathSet set({{Question::content, "/etc/passwd"}});
  effort_of(mounted_, set, here());
  const BindMount sdk(at("image"), at("sdk"));
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 0u);
}

TEST_P(MountsByIds, ARunIsRefusedIfItsFileWasMountedAnewMeanwhile) {
  BindMount sdk(at("image"), at("sdk"));
  effort_of(mounted_, PathSet({{Question::content, at("sdk/a.h")}}), here());
  begin_run();
  got(Kind::open_read, at("sdk/a.h"));
  const auto before = witness(trace_, run_, from(), mounted_);
  EXPECT_TRUE(std::holds_alternative<Witnessed>(before));
  run_.started_ns = file_clock()() + 1;
  support::await_next_tick();
  sdk.again();
  const auto after = witness(trace_, run_, from(), mounted_);
  ASSERT_TRUE(std::holds_alternative<Refusal>(after));
  EXPECT_EQ(std::get<Refusal>(after).reason, Reason::input_changed);
}

INSTANTIATE_TEST_SUITE_P(Kernels, MountsByIds, testing::Values(MountIds::unique, MountIds::reused),
                         [](const auto& one) { return one.param == MountIds::unique ? "New" : "Old"; });

class MountsOfKernel : public OwnMounts {
 protected:
  FileSystemState mounted_{[this] { return now_.load(); }};
};

// Also if it is the first run of all, and nothing of its files is known.
TEST_F(MountsOfKernel, ARunIsNotRefusedForAMountElsewhere) {
  if (kernels_mount_ids() == MountIds::reused) GTEST_SKIP() << "the kernel reuses ids";
  const BindMount sdk(at("image"), at("sdk"));
  EXPECT_TRUE(mounted_.content("/etc/passwd"));
  support::await_next_tick();
  run_.started_ns = file_clock()();
  got(Kind::open_read, at("sdk/a.h"));
  const BindMount other(at("image"), at("other"));
  EXPECT_TRUE(std::holds_alternative<Witnessed>(witness(trace_, run_, from(), mounted_)));
  trace_.records.clear();
  got(Kind::open_read, at("other/a.h"));
  EXPECT_TRUE(std::holds_alternative<Refusal>(witness(trace_, run_, from(), mounted_))) << "it was mounted meanwhile";
}

TEST_F(MountsOfKernel, ARunInTheTickInWhichTheProcessBeganIsNotRefusedEither) {
  if (kernels_mount_ids() == MountIds::reused) GTEST_SKIP() << "the kernel reuses ids";
  FileSystemState young{[this] { return now_.load(); }};
  run_.started_ns = file_clock()();
  got(Kind::open_read, "/etc/passwd");
  const BindMount other(at("image"), at("other"));
  EXPECT_TRUE(std::holds_alternative<Witnessed>(witness(trace_, run_, from(), young)));
}

TEST_F(MountsOfKernel, FilesOfASystemThatMakesUpItsTimesAreReadEachTime) {
  for (const MadeUp ctime : {MadeUp::as_mtime, MadeUp::constant}) {
    const MadeUpTimes sdk(at("image"), at("sdk"), ctime);
    if (!sdk.is_mounted()) GTEST_SKIP() << "no FUSE";
    const PathSet set({{Question::content, at("sdk/a.h")}, {Question::presence, at("sdk/absent")}});
    const Digest before = mounted_.state(set, here());
    const auto time = std::filesystem::last_write_time(at("image/a.h"));
    write("image/a.h", "two");
    std::filesystem::last_write_time(at("image/a.h"), time);
    now_ += 10 * kSecond;
    EXPECT_NE(mounted_.state(set, here()), before);
    EXPECT_EQ(effort_of(mounted_, set, here()).opens, 1u);
    write("image/a.h", "one");
    std::filesystem::last_write_time(at("image/a.h"), time);
    EXPECT_EQ(mounted_.state(set, here()), before);
  }
}

TEST_F(MountsOfKernel, AnOverlayShowsTheTimesOfItsLayers) {
  const MadeUpTimes layer(at("image"), at("sdk"), MadeUp::as_mtime);
  if (!layer.is_mounted()) GTEST_SKIP() << "no FUSE";
  const std::string options = "lowerdir=" + at("sdk") + ":" + at("work");
  if (::mount("overlay", at("other").c_str(), "overlay", 0, options.c_str()) != 0) GTEST_SKIP() << "no overlay";
  const PathSet set({{Question::content, at("other/a.h")}});
  effort_of(mounted_, set, here());
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 1u);
  EXPECT_EQ(::umount2(at("other").c_str(), MNT_DETACH), 0);
  directory("lower");
  const std::string good = "lowerdir=" + at("image") + ":" + at("lower");
  ASSERT_EQ(::mount("overlay", at("other").c_str(), "overlay", 0, good.c_str()), 0);
  effort_of(mounted_, set, here());
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 0u);
  EXPECT_EQ(::umount2(at("other").c_str(), MNT_DETACH), 0);
}

// The trace holds the content that the process got.
TEST_F(MountsOfKernel, ARunIsRefusedIfSuchAFileChangedMeanwhileBehindItsTimes) {
  for (const MadeUp ctime : {MadeUp::as_mtime, MadeUp::constant}) {
    const MadeUpTimes sdk(at("image"), at("sdk"), ctime);
    if (!sdk.is_mounted()) GTEST_SKIP() << "no FUSE";
    write("image/a.h", "one");
    trace_.records = {{Kind::open_read, true, at("sdk/a.h"), trace::seen_with_content(at("sdk/a.h")).value()}};
    EXPECT_TRUE(std::holds_alternative<Witnessed>(witness(trace_, run_, from(), mounted_)));
    const auto time = std::filesystem::last_write_time(at("image/a.h"));
    write("image/a.h", "two");
    std::filesystem::last_write_time(at("image/a.h"), time);
    const auto after = witness(trace_, run_, from(), mounted_);
    ASSERT_TRUE(std::holds_alternative<Refusal>(after));
    EXPECT_EQ(std::get<Refusal>(after).reason, Reason::input_changed);
  }
}

// Its first digest may be of what the kernel read before the file was written to.
TEST_F(MountsOfKernel, AnImageThatIsWrittenToWhileItIsMountedIsReadEachTime) {
  const std::string make = "mksquashfs " + at("image") + " " + at("file") + " -quiet -no-progress >/dev/null 2>&1";
  const std::string mount = "mount -t squashfs -o ro,loop " + at("file") + " " + at("sdk") + " 2>/dev/null";
  if (std::system((make + " && " + mount).c_str()) != 0) GTEST_SKIP() << "no mksquashfs or no loop device";
  let_stamps_settle();
  const PathSet set({{Question::content, at("sdk/a.h")}});
  effort_of(mounted_, set, here());
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 0u);
  write("file", support::read_bytes(at("file")));
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 1u);
  let_stamps_settle();
  EXPECT_EQ(effort_of(mounted_, set, here()).opens, 1u);
  EXPECT_EQ(::umount2(at("sdk").c_str(), MNT_DETACH), 0);
}

TEST(MountTable, NamesTheLayersOfAnOverlay) {
  EXPECT_THAT(
      layers_in(R"(65 30 0:48 / /mnt rw - overlay overlay rw,lowerdir=/a\040b:/c\134:d,upperdir=/u,workdir=/w)"),
      testing::ElementsAre("/a b", "/c:d", "/u"));
  EXPECT_THAT(layers_in("65 30 0:48 / /mnt rw - overlay overlay rw,lowerdir+=/a,datadir+=/b,lowerdir=l/X:/c"),
              testing::ElementsAre("/a", "/b", "/c"));
  EXPECT_THAT(layers_in("65 30 8:1 / /mnt rw - ext4 /dev/sda1 rw"), testing::IsEmpty());
}

}  // namespace
}  // namespace hipcache::inputs
