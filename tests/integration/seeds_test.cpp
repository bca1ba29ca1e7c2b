// Caches that are only read: as seeds beside a user's own cache, and as the cache directory itself with
// HIPCACHE_READONLY. Their results are served, and nothing is written to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "hipcache/base/checksum.h"
#include "integration/support/party.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uid_t kSomebody = 61001;

class Seeds : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    write_kernel(project_, "a.hip");
    Party builder({}, with({{"HIPCACHE_DIR", seed_}}));
    object_ = compile(builder);
    EXPECT_EQ(builder.counts().misses, 1);
  }

  static Variables with(Variables more) {
    more.insert(
        {{"HIPCACHE_CONFIG", "/dev/null"}, {"HIPCACHE_SEED", ""}, {"HIPCACHE_READONLY", ""}, {"HIPCACHE_QUIET", "1"}});
    return more;
  }

  // An own cache plus the seed.
  Variables seeded(const std::string& seed) const {
    return with({{"HIPCACHE_DIR", root_ / "own"}, {"HIPCACHE_SEED", seed}});
  }

  // The seed as cache directory.
  Variables readonly(const std::string& directory) const {
    return with(
        {{"HIPCACHE_DIR", directory}, {"HIPCACHE_READONLY", "1"}, {"XDG_RUNTIME_DIR", root_.make_directory("run")}});
  }

  // A container that sees the seed at mounted_, read-only.
  std::unique_ptr<Container> container(const Variables& variables) const {
    root_.make_directory("mounted");
    return Container::make({{seed_, mounted_, true}}, variables);
  }

  Arguments command(const std::string& flags = "-O1") const {
    return GetParam().hip() + archs({"gfx906", "gfx1030"}) + words(flags) + words("-c a.hip -o a.o");
  }

  std::string compile(const Party& party, const std::string& flags = "-O1") {
    fs::remove(project_ / "a.o");
    const Ended ended = party.run(command(flags), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return support::read_bytes(project_ / "a.o");
  }

  void expect_served(const Party& party) {
    EXPECT_TRUE(compile(party) == object_);
    const Counts counted = party.counts();
    EXPECT_EQ(counted.hits, 1) << counted.json.dump();
    EXPECT_EQ(counted.passed, 0) << counted.json.dump();
    for (const auto& [step, number] : counted.run) EXPECT_EQ(number, 0) << step;
  }

  // The daemon ran the compile, because the cache had nothing of use.
  void expect_missed(const Party& party) {
    EXPECT_TRUE(compile(party) == object_);
    const Counts counted = party.counts();
    EXPECT_EQ(counted.misses, 1) << counted.json.dump();
    EXPECT_EQ(counted.run.at("host"), 1) << counted.json.dump();
    EXPECT_EQ(counted.passed, 0) << counted.json.dump();
  }

  // Each file's size, and when the file and its attributes were last changed.
  using Listing = std::map<std::string, std::tuple<off_t, std::int64_t, std::int64_t>>;
  Listing listing() const {
    const auto nanoseconds = [](const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; };
    Listing found;
    for (const auto& entry : fs::recursive_directory_iterator(seed_)) {
      struct stat status{};
      EXPECT_EQ(lstat(entry.path().c_str(), &status), 0) << entry.path();
      found[entry.path()] = {status.st_size, nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
    }
    return found;
  }

  // Where the daemon of mounted_'s reader works if there is no runtime directory.
  std::string place_in_tmp() const {
    return "/tmp/hipcache-" + std::to_string(geteuid()) + "-" + checksum_hex(checksum_of(mounted_));
  }

  std::string daemon_log(const std::string& directory) const {
    for (const auto& entry : fs::directory_iterator(directory))
      if (support::exists(entry.path() / "daemon.log")) return support::read_bytes(entry.path() / "daemon.log");
    return "";
  }

  support::Scratch root_;
  support::Scratch project_;
  const std::string seed_ = root_ / "seed";
  const std::string mounted_ = root_ / "mounted";
  std::string object_;
};

TEST_P(Seeds, OneOnAReadOnlyMountServesAFreshCacheAndIsNotWrittenTo) {
  const auto fresh = container(seeded(mounted_));
  if (!fresh) GTEST_SKIP() << "this user may not make mount namespaces";
  const Listing before = listing();
  expect_served(*fresh);
  EXPECT_EQ(fresh->counts().json.at("store").at("layers"), 1);
  compile(*fresh, "-O0");
  EXPECT_TRUE(compile(*fresh, "-O0") == support::read_bytes(project_ / "a.o"));
  EXPECT_EQ(fresh->counts().hits, 2) << "what is compiled is stored in the cache of one's own";
  EXPECT_TRUE(listing() == before);
}

TEST_P(Seeds, WithReadonlyACacheDirectoryOnAReadOnlyMountServesAndIsNotWrittenTo) {
  const auto reader = container(readonly(mounted_));
  if (!reader) GTEST_SKIP() << "this user may not make mount namespaces";
  const Listing before = listing();
  expect_served(*reader);
  for (int i = 0; i < 2; ++i) compile(*reader, "-O0");
  EXPECT_EQ(reader->counts().misses, 2) << "stored, although it was to be read only";
  EXPECT_TRUE(listing() == before);
  EXPECT_THAT(reader->run({"--stop-server"}, "/").out, HasSubstr("stopped"));
  EXPECT_THAT(reader->run({"--stop-server"}, "/").out, HasSubstr("No hipcached"));
}

TEST_P(Seeds, WithoutReadonlyACacheDirectoryOnAReadOnlyMountIsAnErrorOfTheOptionsAlone) {
  Variables variables = readonly(mounted_);
  variables["HIPCACHE_READONLY"] = "";
  const auto reader = container(variables);
  if (!reader) GTEST_SKIP() << "this user may not make mount namespaces";
  compile(*reader);
  const Ended shown = reader->run({"--show-stats"}, "/");
  EXPECT_NE(shown.exit_code, 0);
  EXPECT_THAT(shown.err, HasSubstr("Read-only file system"));
}

TEST_P(Seeds, WithReadonlyAndNoRuntimeDirectoryTheDaemonWorksInTmp) {
  Variables variables = readonly(mounted_);
  variables["XDG_RUNTIME_DIR"] = "";
  auto reader = container(variables);
  if (!reader) GTEST_SKIP() << "this user may not make mount namespaces";
  expect_served(*reader);
  EXPECT_THAT(reader->run({"--stop-server"}, "/").out, HasSubstr("stopped"));
  EXPECT_TRUE(support::exists(place_in_tmp() + "/store"));
  reader.reset();
  fs::remove_all(place_in_tmp());
}

TEST_P(Seeds, APlaceForTheDaemonThatIsALinkIsNotUsed) {
  auto reader = container(readonly(mounted_));
  if (!reader) GTEST_SKIP() << "this user may not make mount namespaces";
  expect_served(*reader);
  reader->run({"--stop-server"}, "/");
  const std::string place = fs::directory_iterator(root_ / "run")->path();
  fs::remove_all(place);
  fs::create_directory_symlink(root_.make_directory("target"), place);
  compile(*reader);
  EXPECT_TRUE(fs::is_empty(root_ / "target"));
  EXPECT_TRUE(support::exists(place_in_tmp() + "/store")) << "the next place is taken";
  reader.reset();
  fs::remove_all(place_in_tmp());
}

TEST_P(Seeds, OneOfAnotherUserServes) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(run({"chown", "-R", std::to_string(kSomebody), seed_}, "/").exit_code, 0);
  expect_served(Party({}, seeded(seed_)));
  expect_served(Party({}, readonly(seed_)));
}

TEST_P(Seeds, OneToWhichOthersMayWriteIsNotServedAndTheLogSaysWhy) {
  fs::permissions(seed_, fs::perms::others_write, fs::perm_options::add);
  const Party party({}, seeded(seed_));
  expect_missed(party);
  EXPECT_THAT(daemon_log(root_ / "own"), HasSubstr("seed " + seed_ + " is not read: others may write to " + seed_));
}

TEST_P(Seeds, AStoreThatAnotherThanTheSeedsOwnerPlantedIsNotServed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(run({"chown", "-R", std::to_string(kSomebody), seed_ + "/store"}, "/").exit_code, 0);
  const Party party({}, seeded(seed_));
  expect_missed(party);
  EXPECT_THAT(daemon_log(root_ / "own"), HasSubstr("store " + seed_ + "/store is not read: "));
}

TEST_P(Seeds, AnAbsentOneIsAMissAndALineInTheLog) {
  const Party party({}, seeded(root_ / "absent"));
  expect_missed(party);
  EXPECT_THAT(daemon_log(root_ / "own"), HasSubstr("seed " + (root_ / "absent") + " is not read: "));
}

TEST_P(Seeds, OneThatCannotBeOpenedIsAMissAndALineInTheLog) {
  for (const auto& entry : fs::recursive_directory_iterator(seed_))
    if (entry.path().filename().string().starts_with("MANIFEST")) std::ofstream(entry.path()) << "damaged";
  const Party party({}, seeded(seed_));
  expect_missed(party);
  EXPECT_THAT(daemon_log(root_ / "own"), HasSubstr("cannot read " + seed_));
}

TEST_P(Seeds, OneWhoseValuesAreDamagedIsAMiss) {
  for (const auto& entry : fs::recursive_directory_iterator(seed_ + "/store")) {
    const std::string extension = entry.path().extension();
    if (extension != ".sst" && extension != ".blob" && extension != ".log") continue;
    std::string bytes = support::read_bytes(entry.path());
    for (std::size_t i = 100; i < bytes.size(); i += 100) bytes[i] = static_cast<char>(bytes[i] ^ 0x55);
    std::ofstream(entry.path(), std::ios::binary) << bytes;
  }
  expect_missed(Party({}, seeded(seed_)));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Seeds, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
