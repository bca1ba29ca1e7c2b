// What a worker's trace proves of the files here, record by record.
#include "daemon/execute/local_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hipcache/inputs/file_clock.h"
#include "hipcache/trace/seen.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using trace::EntryKind;
using trace::Kind;
using trace::Record;

class LocalTraceTest : public testing::Test {
 protected:
  support::Scratch scratch_;
  std::string own_ = scratch_.make_directory("own");
  inputs::RunContext from_{.working_directory = scratch_.make_directory("work"), .environment = {"LANG=C"}};

  std::set<std::string> sent_ = {"LANG"};
  KnownContents contents_;
  inputs::FileSystemState file_system_;

  std::string write(const std::string& name, const std::string& bytes) { return scratch_.write("work/" + name, bytes); }

  // Opened there as the file `identity`, with the bytes that are here.
  static std::vector<Record> opened(const std::string& path, std::uint64_t identity) {
    return {{Kind::open_read, true, path, identity << 1},
            {Kind::content, true, path, trace::content_of(path).value_or(0)}};
  }
  static Record looked(const std::string& path, EntryKind kind, std::uint64_t identity = 1) {
    return {Kind::look, true, path, identity << 3 | static_cast<std::uint64_t>(kind)};
  }

  std::variant<std::vector<Record>, Unproved> localised(const std::vector<Record>& remote) {
    return local_trace(remote, {from_, own_, contents_, file_system_}, sent_, inputs::file_clock()());
  }
  // "" if it is proved.
  std::string reason(const std::vector<Record>& remote) {
    const auto local = localised(remote);
    const auto* unproved = std::get_if<Unproved>(&local);
    return unproved == nullptr ? "" : unproved->reason;
  }
};

TEST_F(LocalTraceTest, SeesABytesChangeInAFileThatWasComparedBefore) {
  const std::string path = write("a.h", "bytes");
  const std::vector<Record> remote = opened(path, 5);
  EXPECT_EQ(reason(remote), "");
  EXPECT_EQ(reason(remote), "");
  write("a.h", "BYTES");
  EXPECT_EQ(reason(remote), "other-content");
  write("a.h", "bytes");
  EXPECT_EQ(reason(remote), "");
}

TEST_F(LocalTraceTest, GivesAnOpenedFileTheIdentityOfTheOneHere) {
  const std::string path = write("a.h", "bytes");
  const auto local = localised(opened(path, 5));
  const auto* records = std::get_if<std::vector<Record>>(&local);
  ASSERT_NE(records, nullptr);
  ASSERT_EQ(records->size(), 1u) << "the content is no record of a run here";
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(records->front().seen, trace::seen_file(status));
}

TEST_F(LocalTraceTest, DoesNotProveAFileThatHasOtherBytesHere) {
  const std::string path = write("a.h", "bytes");
  const std::vector<Record> remote = opened(path, 5);
  write("a.h", "other");
  EXPECT_EQ(reason(remote), "other-content");
}

TEST_F(LocalTraceTest, DoesNotProveAFileThatIsGone) {
  const std::string path = write("a.h", "bytes");
  const std::vector<Record> remote = opened(path, 5);
  unlink(path.c_str());
  EXPECT_EQ(reason(remote), "absent-here");
}

TEST_F(LocalTraceTest, ProvesAnAbsenceOnlyWhileNothingIsHere) {
  EXPECT_EQ(reason({{Kind::open_read, false, "optional.h"}, {Kind::look, false, "optional.h"}}), "");
  write("optional.h", "");
  EXPECT_EQ(reason({{Kind::open_read, false, "optional.h"}}), "absent-there");
  EXPECT_EQ(reason({{Kind::look, false, "optional.h"}}), "absent-there");
}

// Engines stage equal contents as one file, and clang includes such a file once.
TEST_F(LocalTraceTest, DoesNotProveTwoFilesThatWereOneThere) {
  const std::string one = write("a.h", "bytes");
  const std::string other = write("b.h", "bytes");
  std::vector<Record> remote = opened(one, 5);
  for (const Record& record : opened(other, 5)) remote.push_back(record);
  EXPECT_EQ(reason(remote), "other-identity");
  remote = opened(one, 5);
  for (const Record& record : opened(other, 6)) remote.push_back(record);
  EXPECT_EQ(reason(remote), "");
}

TEST_F(LocalTraceTest, DoesNotProveOneFileThatWasTwoThere) {
  const std::string one = write("a.h", "bytes");
  const std::string other = scratch_ / "work/b.h";
  ASSERT_EQ(link(one.c_str(), other.c_str()), 0);
  std::vector<Record> remote = opened(one, 5);
  for (const Record& record : opened(other, 6)) remote.push_back(record);
  EXPECT_EQ(reason(remote), "other-identity");
}

TEST_F(LocalTraceTest, ComparesTheKindOfWhatWasLookedAt) {
  const std::string path = write("a.h", "bytes");
  EXPECT_EQ(reason({looked(path, EntryKind::file)}), "");
  EXPECT_EQ(reason({looked(path, EntryKind::directory)}), "other-kind");
  EXPECT_EQ(reason({looked(path, EntryKind::empty_file)}), "other-kind");
  EXPECT_EQ(reason({looked(path, EntryKind::program)}), "other-kind");
  EXPECT_EQ(reason({looked(from_.working_directory, EntryKind::directory)}), "");
  EXPECT_EQ(reason({looked(scratch_ / "none", EntryKind::directory)}), "absent-here");
}

TEST_F(LocalTraceTest, ComparesALookAtALinkWithTheLink) {
  write("a.h", "bytes");
  const std::string path = scratch_.link("work/link", "a.h");
  EXPECT_EQ(reason({looked(path, EntryKind::link)}), "");
  EXPECT_EQ(reason({looked(path, EntryKind::file)}), "");
  EXPECT_EQ(reason({looked(scratch_ / "work/a.h", EntryKind::link)}), "other-kind");
}

TEST_F(LocalTraceTest, ComparesProgramsAndLibrariesByTheirEnds) {
  const std::string path = write("lib.so", std::string(20'000, 'x'));
  const std::uint64_t ends = *trace::content_of_program(path);
  const Record library{Kind::library, true, path, 1};
  EXPECT_EQ(reason({library, {Kind::content, false, path, ends}}), "");
  EXPECT_EQ(reason({library, {Kind::content, false, path, ends + 1}}), "other-toolchain");
  EXPECT_EQ(reason({library}), "other-toolchain");
}

TEST_F(LocalTraceTest, ProvesNoRunThatLacksAVariable) {
  EXPECT_EQ(reason({{Kind::variable, true, "LANG"}, {Kind::variable, false, "CPATH"}}), "");
  EXPECT_EQ(reason({{Kind::variable, false, "LANG"}}), "variable-not-sent");
  EXPECT_EQ(reason({{Kind::variable, true, "CPATH"}}), "variable-not-sent");
  EXPECT_EQ(reason({{Kind::variable, true, "TMPDIR"}}), "") << "no compile depends on it";
}

// A worker's own HOME is another one.
TEST_F(LocalTraceTest, ProvesNoRunWithAVariableThatTheWorkerSetItself) {
  sent_.clear();
  EXPECT_EQ(reason({{Kind::variable, true, "LANG"}}), "variable-not-sent");
}

TEST_F(LocalTraceTest, ProvesNoRunThatAsksForWhatIsNotCompared) {
  for (const Kind kind : {Kind::clock, Kind::machine, Kind::terminal, Kind::date, Kind::network, Kind::execute,
                          Kind::unknown, Kind::library_name, Kind::answer})
    EXPECT_EQ(reason({{kind, true, "x"}}), "asks-what-is-not-compared") << static_cast<int>(kind);
  EXPECT_EQ(reason({{Kind::list, true, from_.working_directory}}), "lists-a-directory");
}

TEST_F(LocalTraceTest, LeavesTheStepsOwnFilesAlone) {
  EXPECT_EQ(reason({{Kind::open_read, true, own_ + "/gfx906.o", 12}, {Kind::open_write, true, own_ + "/x", 1}}), "");
}

}  // namespace
}  // namespace hipcache::daemon
