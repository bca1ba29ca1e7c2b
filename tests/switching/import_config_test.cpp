#include "hipcache/switching/import_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "hipcache/config/remote_url.h"
#include "support/scratch.h"
#include "switching/found_setting.h"

namespace hipcache::switching {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ImportConfig : public testing::Test {
 protected:
  std::string imported(const std::string& tool, std::vector<std::string> environment) const {
    environment.push_back("HOME=" + scratch_.path());
    const Result<std::string> text = import_config(tool, config::lookup_in(environment), environment);
    EXPECT_TRUE(text) << (text ? "" : text.error().message);
    return text ? *text : "";
  }
  std::string of_ccache(const std::string& file) const {
    return imported("ccache", {"CCACHE_CONFIGPATH=" + scratch_.write("ccache.conf", file)});
  }
  std::string of_sccache(const std::string& file, std::vector<std::string> environment = {}) const {
    environment.push_back("SCCACHE_CONF=" + scratch_.write("sccache", file));
    return imported("sccache", std::move(environment));
  }

  // As hipcache itself reads the text.
  config::Settings loaded(const std::string& text) const {
    const Result<config::Settings> settings = config::load(
        config::lookup_in({"HIPCACHE_DIR=/cache", "HIPCACHE_CONFIG=" + scratch_.write("config.toml", text)}));
    EXPECT_TRUE(settings) << settings.error().message << "\n" << text;
    return settings ? *settings : config::Settings();
  }

  // The lines of comments.
  static std::string comments(const std::string& text) {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (text[at] == '#') all += text.substr(at, end - at + 1);
      at = end + 1;
    }
    return all;
  }

  support::Scratch scratch_;
};

TEST_F(ImportConfig, OfCcacheGivesWhatCorresponds) {
  const config::Settings settings = loaded(of_ccache(
      "# a comment\nmax_size = 1.5GiB\nbase_dir=${HOME}/src\nread_only = true\nrecache = true\nnamespace = \"a\\b\"\n"
      "umask = 007\nlog_file = /var/log/cc.log\n"));
  EXPECT_EQ(settings.max_size, 1'610'612'736u);
  EXPECT_THAT(settings.base_directories, ElementsAre(scratch_ / "src"));
  EXPECT_TRUE(settings.readonly);
  EXPECT_TRUE(settings.recache);
  EXPECT_EQ(settings.cache_namespace, "\"a\\b\"");
  EXPECT_EQ(settings.umask, 007u);
  EXPECT_EQ(settings.log, "/var/log/cc.log");
}

TEST_F(ImportConfig, OfCcacheTakesSizesAsCcacheMeansThem) {
  const std::vector<std::pair<std::string, std::uint64_t>> sizes{
      {"5.0G", 5'000'000'000}, {"500M", 500'000'000}, {"2Gi", 2ull << 30}, {"3", 3ull << 30}, {"0", 0}};
  for (const auto& [theirs, bytes] : sizes)
    EXPECT_EQ(loaded(of_ccache("max_size = " + theirs + "\n")).max_size, bytes) << theirs;
}

TEST_F(ImportConfig, OfCcacheMakesUrlsOfItsRemoteStorage) {
  const std::string text = of_ccache(
      "remote_storage = redis://p%40ss@h:1/2|connect-timeout=20 http://u:pw@web/x|read-only|layout=bazel file:/var/c "
      "redis+unix:/run/r.sock https://n.example/ @bearer-token=tok+en request-timeout=90\n");
  const std::vector<std::string> urls = loaded(text).remote;
  ASSERT_EQ(urls.size(), 5u) << text;
  const config::RemoteUrl redis = *config::parse_remote_url(urls[0]);
  EXPECT_EQ(redis.password, "p@ss");
  EXPECT_EQ(redis.database, 2u);
  EXPECT_EQ(redis.connect_timeout.count(), 20);
  const config::RemoteUrl web = *config::parse_remote_url(urls[1]);
  EXPECT_FALSE(web.writes);
  EXPECT_EQ(web.password, "pw");
  EXPECT_EQ(config::parse_remote_url(urls[2])->path, "/var/c");
  EXPECT_EQ(config::parse_remote_url(urls[3])->path, "/run/r.sock");
  const config::RemoteUrl newer = *config::parse_remote_url(urls[4]);
  EXPECT_EQ(newer.token, "tok+en");
  EXPECT_EQ(newer.timeout.count(), 90);
  EXPECT_THAT(text, HasSubstr("remote_storage: layout (" + (scratch_ / "ccache.conf") + "): There is one layout."));
}

TEST_F(ImportConfig, SaysOfEachOtherSettingWhyNot) {
  const std::string text = of_ccache("sloppiness = locale\nmystery = 1\nmax_size = lots\numask = 000\n");
  EXPECT_THAT(text, HasSubstr("): No check can be relaxed;"));
  EXPECT_THAT(text, HasSubstr("): hipcache does not know this setting of ccache."));
  EXPECT_THAT(text, HasSubstr("): its value is not understood."));
  EXPECT_THAT(text, HasSubstr("): not taken over: HIPCACHE_UMASK"));
  loaded(text);
}

TEST_F(ImportConfig, NamesNoSecretOutsideTheSettings) {
  const std::string good = of_ccache("remote_storage = http://u:s3cret@web/x redis://s3cret@h|@bearer-token=s3cret\n");
  EXPECT_THAT(good, HasSubstr("s3cret"));
  EXPECT_THAT(comments(good), Not(HasSubstr("s3cret")));
  EXPECT_THAT(comments(good), HasSubstr("This line holds a secret"));
  const std::string bad = of_ccache("remote_storage = http://u:s3cret@web:port/x|@bearer-token=s3cret\n");
  EXPECT_THAT(bad, HasSubstr("not taken over"));
  EXPECT_THAT(bad, Not(HasSubstr("s3cret")));
  const std::string other =
      of_sccache("[cache.gha]\ntoken = \"s3cret\"\n[cache.redis]\nurl = \"redis://:s3cret@h:x\"\n");
  EXPECT_THAT(other, Not(HasSubstr("s3cret")));
}

TEST_F(ImportConfig, OfCcacheReadsTheFilesInItsOrder) {
  const std::string home = "HOME=" + scratch_.path();
  const auto found = [&](std::vector<std::string> environment, const std::string& system = "/nonexistent") {
    environment.push_back(home);
    return read_ccache(config::lookup_in(environment), environment, system).value();
  };
  EXPECT_TRUE(found({}).empty());
  const std::string own = scratch_.write(".config/ccache/ccache.conf", "max_size = 1G\n");
  EXPECT_EQ(found({}).at("max_size"), (FoundSetting{"1G", own}));
  const std::string xdg = scratch_.write("xdg/ccache/ccache.conf", "max_size = 2G\n");
  EXPECT_EQ(found({"XDG_CONFIG_HOME=" + (scratch_ / "xdg")}).at("max_size").origin, xdg);
  const std::string in_cache = scratch_.write("cache/ccache.conf", "max_size = 3G\n");
  EXPECT_EQ(found({"CCACHE_DIR=" + (scratch_ / "cache")}).at("max_size").origin, in_cache);
  const std::string system =
      scratch_.write("system.conf", "max_size = 4G\numask = 002\ncache_dir = " + (scratch_ / "cache"));
  EXPECT_EQ(found({}, system).at("max_size").origin, in_cache);
  EXPECT_EQ(found({}, system).at("umask").origin, system);
  EXPECT_EQ(found({"CCACHE_MAXSIZE=9G"}, system).at("max_size"), (FoundSetting{"9G", "CCACHE_MAXSIZE"}));
  EXPECT_EQ(found({"CCACHE_NOHASHDIR=1"}).at("hash_dir"), (FoundSetting{"false", "CCACHE_NOHASHDIR"}));
}

// What the installed ccache says of its settings: lines of "(origin) key = value".
TEST_F(ImportConfig, OfCcacheFindsWhatCcacheItselfFinds) {
  const std::string file = scratch_.write(
      "ccache.conf", "max_size = 7.0G\nbase_dir = $HOME/x\nremote_storage = file:/var/c|read-only\nnamespace = n\n");
  const std::string command = "env -i PATH=\"$PATH\" HOME='" + scratch_.path() + "' CCACHE_CONFIGPATH='" + file +
                              "' CCACHE_READONLY=1 CCACHE_NORECACHE=1 ccache --show-config 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  std::string printed;
  std::array<char, 4096> part{};
  while (fgets(part.data(), part.size(), pipe.get()) != nullptr) printed += part.data();
  ASSERT_FALSE(printed.empty()) << "tools/setup installs ccache";
  const std::vector<std::string> environment{"HOME=" + scratch_.path(), "CCACHE_CONFIGPATH=" + file,
                                             "CCACHE_READONLY=1", "CCACHE_NORECACHE=1"};
  const FoundSettings found = read_ccache(config::lookup_in(environment), environment).value();
  EXPECT_EQ(found.size(), 6u);
  for (const auto& [key, setting] : found) {
    const std::string origin = setting.origin == file ? file : "environment";
    EXPECT_THAT(printed, HasSubstr("(" + origin + ") " + key + " = " + setting.value + "\n"));
  }
}

TEST_F(ImportConfig, OfSccacheGivesWhatCorresponds) {
  const std::string text = of_sccache(
      "basedirs = [\"/one\", \"/two\"]\n[cache.disk]\nsize = 7516192768\nrw_mode = \"READ_ONLY\"\n",
      {"SCCACHE_IDLE_TIMEOUT=90", "SCCACHE_RECACHE=1", "SCCACHE_C_CUSTOM_CACHE_BUSTER=n", "SCCACHE_ERROR_LOG=/l"});
  const config::Settings settings = loaded(text);
  EXPECT_THAT(settings.base_directories, ElementsAre("/one", "/two"));
  EXPECT_EQ(settings.max_size, 7'516'192'768u);
  EXPECT_TRUE(settings.readonly);
  EXPECT_TRUE(settings.recache);
  EXPECT_EQ(settings.idle_timeout.count(), 90);
  EXPECT_EQ(settings.cache_namespace, "n");
  EXPECT_EQ(settings.log, "/l");
  EXPECT_EQ(loaded(of_sccache("", {"SCCACHE_CACHE_SIZE=10G"})).max_size, 10ull << 30) << "binary in sccache";
}

TEST_F(ImportConfig, OfSccacheMakesUrlsOfItsServersInTheOrderOfItsChain) {
  const std::string text = of_sccache(
      "[cache.multilevel]\nchain = [\"disk\", \"webdav\", \"s3\", \"redis\"]\n"
      "[cache.s3]\nbucket = \"name\"\nendpoint = \"minio:9000\"\nuse_ssl = true\nkey_prefix = \"/pre/fix/\"\n"
      "region = \"eu-1\"\nno_credentials = true\nenable_virtual_host_style = true\n"
      "[cache.redis]\nendpoint = \"tcp://r:6379\"\nexpiration = 60\nrw_mode = \"READ_ONLY\"\n"
      "[cache.webdav]\nendpoint = \"http://w:80/dav\"\nusername = \"a@x\"\npassword = \"p:1/2\"\n",
      {"SCCACHE_REDIS_PASSWORD=p&w", "SCCACHE_REDIS_USERNAME=me", "SCCACHE_REDIS_DB=3"});
  const std::vector<std::string> urls = loaded(text).remote;
  ASSERT_EQ(urls.size(), 3u) << text;
  const config::RemoteUrl web = *config::parse_remote_url(urls[0]);
  EXPECT_EQ(web.user, "a@x");
  EXPECT_EQ(web.password, "p:1/2");
  EXPECT_EQ(web.path, "/dav");
  const config::RemoteUrl s3 = *config::parse_remote_url(urls[1]);
  EXPECT_EQ(s3.host, "name");
  EXPECT_EQ(s3.endpoint, "https://minio:9000");
  EXPECT_EQ(s3.s3.region, "eu-1");
  EXPECT_EQ(s3.prefix, "pre/fix");
  EXPECT_FALSE(s3.is_signed);
  EXPECT_EQ(s3.s3.addressing, config::S3Options::Addressing::host);
  const config::RemoteUrl redis = *config::parse_remote_url(urls[2]);
  EXPECT_EQ(redis.host, "r");
  EXPECT_EQ(redis.user, "me");
  EXPECT_EQ(redis.password, "p&w");
  EXPECT_EQ(redis.database, 3u);
  EXPECT_FALSE(redis.writes);
  EXPECT_THAT(text, HasSubstr("cache.redis.expiration (" + (scratch_ / "sccache") + "): Values do not expire."));
}

TEST_F(ImportConfig, OfSccacheMakesUrlsOfGoogleAndAzure) {
  const std::string text = of_sccache(
      "[cache.gcs]\nbucket = \"ours\"\nkey_prefix = \"/hip/\"\nrw_mode = \"READ_WRITE\"\n"
      "cred_path = \"/etc/key.json\"\nservice_account = \"ci\"\n",
      {"SCCACHE_AZURE_BLOB_CONTAINER=cache", "SCCACHE_AZURE_KEY_PREFIX=hip",
       "SCCACHE_AZURE_CONNECTION_STRING=DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=s3cret=="});
  const std::vector<std::string> urls = loaded(text).remote;
  ASSERT_EQ(urls.size(), 2u) << text;
  const config::RemoteUrl google = *config::parse_remote_url(urls[0]);
  EXPECT_EQ(google.kind, config::RemoteKind::google);
  EXPECT_EQ(google.host, "ours");
  EXPECT_EQ(google.prefix, "hip");
  EXPECT_EQ(google.credentials_file, "/etc/key.json");
  EXPECT_TRUE(google.writes);
  const config::RemoteUrl azure = *config::parse_remote_url(urls[1]);
  EXPECT_EQ(azure.kind, config::RemoteKind::azure);
  EXPECT_EQ(azure.host, "acc");
  EXPECT_EQ(azure.path, "/cache");
  EXPECT_EQ(azure.prefix, "hip");
  EXPECT_THAT(text, Not(HasSubstr("s3cret")));
  EXPECT_THAT(text, HasSubstr("cache.azure.connection_string (SCCACHE_AZURE_CONNECTION_STRING): Or set"));
  EXPECT_THAT(text, HasSubstr("cache.gcs.service_account"));
  const std::string silent = of_sccache("", {"SCCACHE_GCS_BUCKET=ours"});
  EXPECT_FALSE(config::parse_remote_url(loaded(silent).remote[0])->writes) << "as sccache without a mode";
}

TEST_F(ImportConfig, OfSccacheSaysThatGithubsCacheIsReachedByAnArchive) {
  EXPECT_THAT(of_sccache("[cache.gha]\nenabled = true\n"), HasSubstr("One archive for each job"));
}

TEST_F(ImportConfig, OfNoSettingsSaysSo) {
  EXPECT_THAT(imported("sccache", {}), HasSubstr("# sccache has no settings here.\n"));
}

TEST_F(ImportConfig, NamesWhatCannotBeRead) {
  const auto error_of = [&](const std::string& tool, const std::vector<std::string>& environment) {
    const Result<std::string> text = import_config(tool, config::lookup_in(environment), environment);
    return text ? "" : text.error().message;
  };
  EXPECT_EQ(error_of("distcc", {}), "--import-config is ccache or sccache, not distcc");
  const std::string broken = scratch_.write("broken", "a = 1\nb = = 2\n");
  EXPECT_EQ(error_of("sccache", {"SCCACHE_CONF=" + broken}), broken + ": line 2: this is no TOML");
}

}  // namespace
}  // namespace hipcache::switching
