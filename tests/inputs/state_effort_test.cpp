// A hit's price: one stat per file and one per directory.
#include <sys/syscall.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <thread>

#include "inputs/state/file_system_memo.h"
#include "inputs/state_fixture.h"
#include "support/comes_true.h"
#include "support/system_calls.h"

namespace hipcache::inputs {
namespace {

class StateEffort : public StateFixture {
 protected:
  static constexpr std::uint64_t kFiles = 400;
  static constexpr std::uint64_t kAbsences = 700;
  static constexpr std::uint64_t kDirectories = 80;

  std::string in_directory(std::uint64_t i) const { return at("d" + std::to_string(i % kDirectories)) + "/"; }

  PathSet compile() {
    std::vector<Observation> observations;
    for (std::uint64_t i = 0; i < kFiles; ++i)
      observations.push_back(
          {Question::content,
           write("d" + std::to_string(i % kDirectories) + "/f" + std::to_string(i), std::to_string(i))});
    for (std::uint64_t i = 0; i < kAbsences; ++i)
      observations.push_back({Question::presence, in_directory(i) + "absent" + std::to_string(i)});
    let_stamps_settle();
    return PathSet(std::move(observations));
  }
};

TEST_F(StateEffort, IsOneStatPerFileAndOnePerDirectoryFromTheSecondTimeOn) {
  const PathSet set = compile();
  const Effort first = effort_of(set);
  EXPECT_EQ(first.opens, kFiles);
  EXPECT_GT(first.bytes_read, 0u);
  const Effort second = effort_of(set);
  EXPECT_EQ(second.stats, kFiles + kDirectories);
  EXPECT_EQ(second.opens, 0u);
  EXPECT_EQ(second.bytes_read, 0u);
  EXPECT_EQ(second.listings, 0u);
  EXPECT_EQ(second.links, 0u);
}

// As the compiler, when a build begins.
TEST_F(StateEffort, IsOneReadOfALargeFileThatManyAskForAtOnce) {
  constexpr std::size_t kSize = std::size_t{16} << 20;
  const PathSet set({{Question::content, write("large", std::string(kSize, 'x'))}});
  let_stamps_settle();
  std::vector<Effort> efforts(8);
  std::vector<std::thread> askers;
  for (Effort& effort : efforts) askers.emplace_back([&] { effort = effort_of(set); });
  for (std::thread& asker : askers) asker.join();
  std::uint64_t opens = 0, bytes = 0;
  for (const Effort& effort : efforts) {
    opens += effort.opens;
    bytes += effort.bytes_read;
  }
  EXPECT_EQ(opens, 1u);
  EXPECT_EQ(bytes, kSize);
}

TEST_F(StateEffort, IsTheReadOfTheOtherLargeFilesWhileAnotherThreadReadsTheFirst) {
  const std::string first = write("first", std::string(std::size_t{2} << 20, 'x'));
  const std::string second = write("second", std::string(std::size_t{2} << 20, 'y'));
  const PathSet set({{Question::content, first}, {Question::content, second}});
  let_stamps_settle();
  FileSystemMemo& memo = file_system_.memo();
  Effort effort;
  const auto stamp_of = [&](const std::string& path) { return stat_path(path.c_str(), memo.mounts, effort).stamp; };
  auto turn = std::make_unique<FilesBeingRead::Turn>(memo.being_read, stamp_of(first));
  std::thread asker([&] { effort_of(set); });
  EXPECT_TRUE(support::comes_true([&] { return memo.files.find(stamp_of(second)).has_value(); }));
  EXPECT_FALSE(memo.files.find(stamp_of(first)));
  turn.reset();
  asker.join();
  EXPECT_TRUE(memo.files.find(stamp_of(first)));
}

// Its digest cannot be kept, so nobody waits twice.
TEST_F(StateEffort, IsAReadByEachOfAFileThatWasJustWritten) {
  const PathSet set({{Question::content, write("large", std::string(std::size_t{2} << 20, 'x'))}});
  make_stamps_fresh();
  EXPECT_EQ(effort_of(set).opens, 1u);
  EXPECT_EQ(effort_of(set).opens, 1u);
}

std::uint64_t sum_of(std::map<std::uint64_t, std::uint64_t>& calls, std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t sum = 0;
  for (const std::uint64_t number : numbers) sum += calls[number];
  return sum;
}

TEST_F(StateEffort, IsWhatTheKernelWasReallyAskedFor) {
  const PathSet set = compile();
  effort_of(set);
  const Effort effort = effort_of(set);
  auto calls = support::system_calls_of([&] { effort_of(set); });
  const std::uint64_t stats = sum_of(calls, {
#ifdef SYS_stat
                                                SYS_stat, SYS_lstat, SYS_access,
#endif
                                                SYS_newfstatat, SYS_fstat, SYS_statx, SYS_faccessat, SYS_faccessat2});
  EXPECT_EQ(stats, effort.stats);
  EXPECT_EQ(stats, kFiles + kDirectories);
#ifdef SYS_open
  EXPECT_EQ(sum_of(calls, {SYS_open, SYS_readlink, SYS_getdents}), 0u);
#endif
  EXPECT_EQ(sum_of(calls, {SYS_openat, SYS_openat2, SYS_read, SYS_pread64, SYS_getdents64, SYS_readlinkat}), 0u);
  std::uint64_t all = 0;
  for (const auto& [number, times] : calls) all += times;
  EXPECT_LT(all - stats, 40u) << "memory and the test's own";
}

TEST_F(StateEffort, OfAnEditIsThatOneFile) {
  const PathSet set = compile();
  effort_of(set);
  write("d0/f0", "edited");
  let_stamps_settle();
  const Effort after = effort_of(set);
  EXPECT_EQ(after.stats, kFiles + kDirectories);
  EXPECT_EQ(after.opens, 1u);
  EXPECT_EQ(after.bytes_read, 6u);
}

TEST_F(StateEffort, OfAnAddedFileIsTheAbsencesOfItsDirectory) {
  const PathSet set = compile();
  effort_of(set);
  write("d0/unrelated", "");
  let_stamps_settle();
  const std::uint64_t absences = (kAbsences + kDirectories - 1) / kDirectories;
  EXPECT_LE(effort_of(set).stats, kFiles + kDirectories + 2 * absences + 1);
  EXPECT_EQ(effort_of(set).stats, kFiles + kDirectories);
}

TEST_F(StateEffort, OfAbsencesInMissingDirectoriesIsTheNearestDirectoryThatIsThere) {
  std::vector<Observation> observations;
  for (int i = 0; i < 100; ++i)
    observations.push_back({Question::presence, at("no/such" + std::to_string(i) + "/directory/a.h")});
  const PathSet set(observations);
  effort_of(set);
  EXPECT_EQ(effort_of(set).stats, 1u);
}

TEST_F(StateEffort, IsSharedBetweenSetsThatNameTheSame) {
  const PathSet set = compile();
  effort_of(set);
  std::vector<Observation> more = set.observations();
  more.push_back({Question::variable, "CPATH"});
  const Effort other = effort_of(PathSet(more));
  EXPECT_EQ(other.stats, kFiles + kDirectories);
  EXPECT_EQ(other.opens, 0u);
}

TEST_F(StateEffort, OfAFileAskedForTwiceIsOneStat) {
  const std::string path = write("a", "");
  let_stamps_settle();
  const PathSet set({{Question::content, path}, {Question::presence, path}, {Question::listing, path}});
  effort_of(set);
  EXPECT_EQ(effort_of(set).stats, 1u);
}

TEST_F(StateEffort, CountsReadlinksAndRealpaths) {
  link("l", write("a", ""));
  make_stamps_fresh();
  const PathSet set({{Question::link, at("l")}, {Question::real_path, at("l")}});
  EXPECT_EQ(effort_of(set).links, 3u) << "a readlink for each, and a realpath of what is a link";
}

TEST_F(StateEffort, OfLinksIsTheirDirectory) {
  std::vector<Observation> observations;
  for (int i = 0; i < 10; ++i) {
    observations.push_back({Question::link, link("d/link" + std::to_string(i), "anywhere")});
    observations.push_back({Question::link, write("d/file" + std::to_string(i), "")});
  }
  let_stamps_settle();
  const PathSet set(observations);
  EXPECT_EQ(effort_of(set).links, 20u);
  const Effort second = effort_of(set);
  EXPECT_EQ(second.links, 0u);
  EXPECT_EQ(second.stats, 1u);
}

TEST_F(StateEffort, OfRealPathsIsOneStatPerFileAndPerDirectoryAbove) {
  std::vector<Observation> observations;
  for (int i = 0; i < 10; ++i) observations.push_back({Question::real_path, write("d/e/f" + std::to_string(i), "")});
  let_stamps_settle();
  const PathSet set(observations);
  effort_of(set);
  const Effort second = effort_of(set);
  const std::string file = at("d/e/f");
  const auto directories = static_cast<std::uint64_t>(std::count(file.begin(), file.end(), '/'));
  // One that is too new to be known (/tmp, beside other tests) costs another look, but not one for each file.
  EXPECT_LE(second.stats, 10 + 2 * directories);
  EXPECT_LE(second.links, directories);
}

TEST_F(StateEffort, OfProgramsThatAreSearchedForIsOneStatPerDirectoryOfPath) {
  std::string path = "PATH=";
  for (int i = 0; i < 8; ++i) path += directory("bin" + std::to_string(i)) + ":";
  environment_ = {path};
  std::vector<Observation> observations;
  for (int i = 0; i < 5; ++i) observations.push_back({Question::program, "program" + std::to_string(i)});
  EXPECT_EQ(::chmod(write("bin7/program0", "elf").c_str(), 0755), 0);
  let_stamps_settle();
  const PathSet set(observations);
  effort_of(set);
  EXPECT_EQ(effort_of(set).stats, 8u + 2u) << "and a stat and an access of the one that is there";
}

}  // namespace
}  // namespace hipcache::inputs
