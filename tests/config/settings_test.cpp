#include "hipcache/config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <filesystem>

#include "support/scratch.h"

namespace hipcache::config {
namespace {

using testing::HasSubstr;

class SettingsTest : public testing::Test {
 protected:
  // With this file and these variables.
  Result<Settings> load_with(const std::string& file, std::vector<std::string> variables = {}) {
    scratch.write("config.toml", file);
    variables.push_back("HIPCACHE_CONFIG=" + path());
    variables.push_back("HOME=/home/user");
    return load(lookup_in(variables));
  }

  std::string error_with(const std::string& file, std::vector<std::string> variables = {}) {
    const Result<Settings> settings = load_with(file, std::move(variables));
    return settings ? "no error" : settings.error().message;
  }

  std::string path() const { return scratch / "config.toml"; }

  support::Scratch scratch;
};

TEST_F(SettingsTest, DefaultsFollowTheXdgDirectories) {
  const Settings settings = locate(lookup_in({"HOME=/home/user"})).value();
  EXPECT_EQ(settings.directory, "/home/user/.cache/hipcache");
  EXPECT_EQ(settings.file, "/home/user/.config/hipcache/config.toml");
  const Settings moved = locate(lookup_in({"HOME=/h", "XDG_CACHE_HOME=/c", "XDG_CONFIG_HOME=/e"})).value();
  EXPECT_EQ(moved.directory, "/c/hipcache");
  EXPECT_EQ(moved.file, "/e/hipcache/config.toml");
  EXPECT_EQ(locate(lookup_in({"HOME=/h", "XDG_CACHE_HOME=relative"})).value().directory, "/h/.cache/hipcache");
}

TEST_F(SettingsTest, WithoutHomeTheDirectoryOfThePasswordFileCounts) {
  const passwd* user = getpwuid(geteuid());
  if (user == nullptr) GTEST_SKIP() << "this user has no entry";
  for (const std::vector<std::string>& variables : {std::vector<std::string>{}, {"HOME="}}) {
    const Settings settings = locate(lookup_in(variables)).value();
    EXPECT_EQ(settings.user_home, user->pw_dir);
    EXPECT_EQ(settings.directory, user->pw_dir + std::string("/.cache/hipcache"));
    EXPECT_EQ(settings.file, user->pw_dir + std::string("/.config/hipcache/config.toml"));
  }
}

TEST_F(SettingsTest, WithoutAHomeTheErrorSaysWhatToSet) {
  constexpr uid_t kNobodysNumber = 3'000'000'000;
  const uid_t user = geteuid();
  if (seteuid(kNobodysNumber) != 0) GTEST_SKIP() << "only root can be another user";
  const Result<Settings> settings = locate(lookup_in({}));
  EXPECT_EQ(seteuid(user), 0);
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().message, "HOME is not set, and /etc/passwd names no home directory: set HIPCACHE_DIR");
  EXPECT_TRUE(locate(lookup_in({"HIPCACHE_DIR=/c", "HIPCACHE_CONFIG=/f"})));
}

TEST_F(SettingsTest, WithoutHomeTheDirectoryAloneIsEnough) {
  const Result<Settings> settings = load(lookup_in({"HIPCACHE_DIR=/c", "HIPCACHE_CONFIG=/dev/null"}));
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->directory, "/c");
}

TEST_F(SettingsTest, AHomeThatDoesNotExistIsToBeSeenWhereTheDirectoryLiesInIt) {
  const auto checked = [](std::vector<std::string> variables) {
    return check_home(locate(lookup_in(std::move(variables))).value());
  };
  const Status missing = checked({"HOME=/nonexistent"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "the home directory is /nonexistent, which is no directory: set HIPCACHE_DIR");
  EXPECT_TRUE(checked({"HOME=" + scratch.path()}));
  EXPECT_TRUE(checked({"HOME=/nonexistent", "XDG_CACHE_HOME=/c"}));
  EXPECT_TRUE(checked({"HOME=/nonexistent", "HIPCACHE_DIR=/c"}));
}

TEST_F(SettingsTest, ARelativeDirectoryIsTakenFromTheCurrentOne) {
  const Settings settings = locate(lookup_in({"HIPCACHE_DIR=here/cache", "HIPCACHE_CONFIG=/f"})).value();
  EXPECT_EQ(settings.directory, std::filesystem::current_path().string() + "/here/cache");
}

TEST_F(SettingsTest, LocatingReadsNoFile) {
  scratch.write("config.toml", "this is not TOML");
  EXPECT_TRUE(locate(lookup_in({"HIPCACHE_DIR=/c", "HIPCACHE_CONFIG=" + path()})));
}

TEST_F(SettingsTest, NoFileMeansDefaults) {
  const Settings settings = load(lookup_in({"HOME=" + scratch.path()})).value();
  EXPECT_EQ(settings.max_size, 20'000'000'000u);
  EXPECT_EQ(settings.idle_timeout, std::chrono::seconds(600));
  EXPECT_EQ(settings.event_log, 64'000'000u);
  EXPECT_EQ(settings.audit, std::nullopt);
  EXPECT_EQ(settings.jobs, 0u);
  EXPECT_EQ(settings.cuid, "");
  EXPECT_FALSE(settings.execute);
  EXPECT_TRUE(settings.compilers.empty());
}

TEST_F(SettingsTest, TheFileSetsEveryKey) {
  const Result<Settings> loaded = load_with(
      "max_size = '5G'\nbasedir = '/src'\nremote = ['http://a/', 'redis://b']\nexecute = 'grpc://e'\nreadonly = true\n"
      "recache = true\ndisable = true\nnamespace = 'n'\njobs = 3\nidle_timeout = 90\naudit = 0.25\nlog = "
      "'/var/log/h'\nevent_log = "
      "'1M'\ncuid = 'keep'\nquiet = true\n");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Settings& settings = *loaded;
  EXPECT_EQ(settings.max_size, 5'000'000'000u);
  EXPECT_THAT(settings.base_directories, testing::ElementsAre("/src"));
  EXPECT_THAT(settings.remote, testing::ElementsAre("http://a/", "redis://b"));
  EXPECT_EQ(settings.execute->server.host, "e");
  EXPECT_TRUE(settings.readonly && settings.recache && settings.disable);
  EXPECT_EQ(settings.cache_namespace, "n");
  EXPECT_EQ(settings.jobs, 3u);
  EXPECT_EQ(settings.idle_timeout, std::chrono::seconds(90));
  EXPECT_EQ(settings.audit, 0.25);
  EXPECT_EQ(settings.log, "/var/log/h");
  EXPECT_EQ(settings.event_log, 1'000'000u);
  EXPECT_EQ(settings.cuid, "keep");
  EXPECT_TRUE(settings.quiet);
}

TEST_F(SettingsTest, AVariableWinsOverTheFileAndAnEmptyOneDoesNot) {
  const std::string file = "max_size = '5G'\njobs = 3\n";
  const Settings settings = load_with(file, {"HIPCACHE_MAX_SIZE=1G", "HIPCACHE_JOBS="}).value();
  EXPECT_EQ(settings.max_size, 1'000'000'000u);
  EXPECT_EQ(settings.jobs, 3u);
}

TEST_F(SettingsTest, SeedsAreSeparatedByCommasSinceTheirNamesMayContainBlanks) {
  EXPECT_THAT(load_with("seed = ['/a b', '/c']\n").value().seeds, testing::ElementsAre("/a b", "/c"));
  EXPECT_THAT(load_with("", {"HIPCACHE_SEED= /a b ,,/c,"}).value().seeds, testing::ElementsAre("/a b", "/c"));
  EXPECT_THAT(error_with("", {"HIPCACHE_SEED=a"}), HasSubstr("HIPCACHE_SEED: \"a\" is not an absolute directory"));
}

TEST_F(SettingsTest, BaseDirectoriesAreSeparatedByColonsAsInPath) {
  EXPECT_THAT(load_with("", {"HIPCACHE_BASEDIR=/src:/build/"}).value().base_directories,
              testing::ElementsAre("/src", "/build/"));
  EXPECT_THAT(load_with("basedir = ['/src', '/build']\n").value().base_directories,
              testing::ElementsAre("/src", "/build"));
  EXPECT_THAT(load_with("basedir = '/src:/build'\n").value().base_directories, testing::ElementsAre("/src", "/build"));
  EXPECT_THAT(error_with("", {"HIPCACHE_BASEDIR=/src:build"}), HasSubstr("\"build\" is not an absolute directory"));
}

TEST_F(SettingsTest, AUmaskIsOctalAndLetsNeitherOthersWriteNorTheOwnerGo) {
  EXPECT_EQ(load_with("").value().umask, 077u);
  EXPECT_EQ(load_with("umask = '027'\n").value().umask, 027u);
  EXPECT_EQ(load_with("", {"HIPCACHE_UMASK=2"}).value().umask, 02u);
  for (const char* wrong : {"0", "075", "020"})
    EXPECT_THAT(error_with("", {std::string("HIPCACHE_UMASK=") + wrong}), HasSubstr("lets everybody write")) << wrong;
  EXPECT_THAT(error_with("", {"HIPCACHE_UMASK=707"}), HasSubstr("takes the cache from its owner"));
  for (const char* wrong : {"8", "u=rwx", "1777", "-2"})
    EXPECT_THAT(error_with("", {std::string("HIPCACHE_UMASK=") + wrong}), HasSubstr("is not a umask")) << wrong;
}

TEST_F(SettingsTest, AnUnknownKeyIsNamedWithTheKnownOnes) {
  const std::string error = error_with("maxsize = '5G'\n");
  EXPECT_THAT(error, HasSubstr(path() + ": unknown key \"maxsize\""));
  EXPECT_THAT(error, HasSubstr("is max_size meant?"));
  EXPECT_THAT(error, HasSubstr("max_size, basedir"));
}

TEST_F(SettingsTest, AnUnknownKeyThatIsNearNoneIsOnlyNamed) {
  EXPECT_THAT(error_with("frobnicate = 1\n"), HasSubstr("unknown key \"frobnicate\"; the keys are"));
}

TEST_F(SettingsTest, NoFileIsAlsoSaidByTheNullDevice) {
  EXPECT_TRUE(load(lookup_in({"HOME=/h", "HIPCACHE_CONFIG=/dev/null"})));
}

TEST_F(SettingsTest, ABadValueIsNamedWithItsFileAndKey) {
  EXPECT_EQ(error_with("max_size = 'lots'\n"),
            path() + ": max_size: \"lots\" is not a size such as 500M, 20G, 1.5GiB or 0");
  EXPECT_THAT(error_with("readonly = 'perhaps'\n"), HasSubstr("readonly: \"perhaps\" is not a boolean"));
  EXPECT_THAT(error_with("jobs = -2\n"), HasSubstr("jobs: \"-2\" is not a number"));
  EXPECT_THAT(error_with("jobs = 1.5\n"), HasSubstr("jobs: \"1.5\" is not a number"));
  EXPECT_EQ(error_with("audit = 500\n"),
            path() + ": audit: \"500\" is not a share from 0 to 1 such as 0.01, or \"auto\"");
  EXPECT_THAT(error_with("basedir = 'src'\n"), HasSubstr("basedir: \"src\" is not an absolute directory"));
  EXPECT_THAT(error_with("seed = ['/a', 'b']\n"), HasSubstr("seed: \"b\" is not an absolute directory"));
  EXPECT_THAT(error_with("remote = ['cache.example']\n"), HasSubstr("is not a URL"));
  EXPECT_THAT(error_with("execute = 'http://host/'\n"), HasSubstr("execute: http://host: is no engine"));
  EXPECT_THAT(error_with("log = 'log'\n"), HasSubstr("\"stderr\" or an absolute path"));
  EXPECT_THAT(error_with("cuid = 'random'\n"), HasSubstr("\"auto\" or \"keep\""));
  for (const char* wrong : {"/usr/bin/mpicxx", "=gcc", "mpicxx=", "mpicxx=icc", "a=gcc=clang"})
    EXPECT_THAT(error_with("compilers = ['" + std::string(wrong) + "']\n"),
                HasSubstr("\"" + std::string(wrong) + "\" is not the name of a program such as mpicxx"));
}

TEST_F(SettingsTest, AWrongTypeIsNamedWithItsLine) {
  EXPECT_THAT(error_with("\njobs = 2026-11-23\n"), HasSubstr(path() + ": line 2: jobs should be"));
  EXPECT_THAT(error_with("remote = [1, 2]\n"), HasSubstr("line 1: remote should be"));
  EXPECT_THAT(error_with("[max_size]\nx = 1\n"), HasSubstr("max_size should be"));
}

TEST_F(SettingsTest, AFileThatIsNoTomlIsNamedWithItsLine) {
  const std::string error = error_with("jobs = 1\nmax_size = [1\n");
  EXPECT_THAT(error, HasSubstr(path() + ": line "));
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST_F(SettingsTest, AFileThatCannotBeReadIsAnError) {
  const Result<Settings> settings = load(lookup_in({"HOME=/h", "HIPCACHE_CONFIG=" + scratch.path()}));
  ASSERT_FALSE(settings);
  EXPECT_THAT(settings.error().message, HasSubstr(scratch.path()));
}

TEST_F(SettingsTest, ABadVariableIsNamed) {
  EXPECT_THAT(error_with("", {"HIPCACHE_MAX_SIZE=10X"}), HasSubstr("HIPCACHE_MAX_SIZE: \"10X\" is not a size"));
  EXPECT_THAT(error_with("", {"HIPCACHE_IDLE_TIMEOUT=soon"}), HasSubstr("HIPCACHE_IDLE_TIMEOUT: \"soon\""));
}

TEST_F(SettingsTest, DescribesEachKeyWithItsOrigin) {
  scratch.write("config.toml", "jobs = 3\nmax_size = '5G'\n");
  const auto described = describe(lookup_in({"HOME=/h", "HIPCACHE_CONFIG=" + path(), "HIPCACHE_MAX_SIZE=1G"})).value();
  const auto line = [&](const std::string& key) {
    for (const Described& entry : described)
      if (entry.key == key) return entry.value + " from " + entry.origin;
    return std::string("missing");
  };
  EXPECT_EQ(line("dir"), "/h/.cache/hipcache from default");
  EXPECT_EQ(line("config"), path() + " from HIPCACHE_CONFIG");
  EXPECT_EQ(line("max_size"), "1G from HIPCACHE_MAX_SIZE");
  EXPECT_EQ(line("jobs"), "3 from " + path());
  EXPECT_EQ(line("cuid"), "auto from default");
  EXPECT_EQ(line("audit"), "auto from default");
}

TEST_F(SettingsTest, IsDisabledByAnythingButAFalseValue) {
  for (const char* value : {"1", "yes", "true", "whatever"})
    EXPECT_TRUE(is_disabled(lookup_in({std::string("HIPCACHE_DISABLE=") + value}))) << value;
  for (const char* value : {"", "0", "no", "off"})
    EXPECT_FALSE(is_disabled(lookup_in({std::string("HIPCACHE_DISABLE=") + value}))) << value;
  EXPECT_FALSE(is_disabled(lookup_in({})));
}

TEST_F(SettingsTest, LooksUpWholeNamesOnly) {
  const Lookup lookup = lookup_in({"HIPCACHE_DIRECTORY=/wrong", "HIPCACHE_DIR=/right=1"});
  EXPECT_EQ(lookup("HIPCACHE_DIR"), "/right=1");
  EXPECT_EQ(lookup("HIPCACHE"), std::nullopt);
}

}  // namespace
}  // namespace hipcache::config
