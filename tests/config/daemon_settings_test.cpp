#include "hipcache/config/cache_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch.h"

namespace hipcache::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string text_with(std::vector<std::string> variables) {
  variables.emplace_back("HOME=/h");
  return daemon_settings_text(load(lookup_in(variables)).value());
}

std::vector<std::string> unused(std::vector<std::string> variables, const std::string& of_daemon) {
  variables.emplace_back("HOME=/h");
  std::vector<std::string> texts;
  const std::vector<UnusedSetting> found = unused_settings(lookup_in(variables), of_daemon).value();
  for (const UnusedSetting& setting : found) texts.push_back(describe(setting));
  return texts;
}

TEST(DaemonSettings, AreThoseThatCountAtItsStart) {
  const std::string text = text_with({"HIPCACHE_MAX_SIZE=5G", "HIPCACHE_READONLY=1"});
  EXPECT_THAT(text, HasSubstr("max_size = 5G\n"));
  for (const char* key :
       {"remote", "execute", "trusted_keys", "signing_key", "seed", "umask", "jobs", "idle_timeout", "log"})
    EXPECT_THAT(text, HasSubstr(std::string(key) + " = ")) << key;
  for (const char* key : {"readonly", "basedir", "namespace", "audit", "compilers", "cuid", "quiet"})
    EXPECT_THAT(text, Not(HasSubstr(key))) << key;
}

TEST(DaemonSettings, HaveNoSecrets) {
  EXPECT_THAT(text_with({"HIPCACHE_REMOTE=http://user:secret@host/", "HIPCACHE_SIGNING_KEY=/secret"}),
              Not(HasSubstr("secret")));
}

TEST(UnusedSettings, AChangeOfWhatIsNotShownIsTold) {
  const std::string of_daemon = text_with({"HIPCACHE_REMOTE=http://user:secret@host/", "HIPCACHE_SIGNING_KEY=/a"});
  EXPECT_THAT(unused({"HIPCACHE_REMOTE=http://user:secret@host/", "HIPCACHE_SIGNING_KEY=/a"}, of_daemon), IsEmpty());
  EXPECT_THAT(unused({"HIPCACHE_REMOTE=http://user:hidden@host/", "HIPCACHE_SIGNING_KEY=/b"}, of_daemon),
              ElementsAre(HasSubstr("HIPCACHE_REMOTE differs in what is not shown"),
                          HasSubstr("HIPCACHE_SIGNING_KEY differs in what is not shown")));
  EXPECT_THAT(unused({"HIPCACHE_REMOTE=http://other/"}, of_daemon),
              ElementsAre(HasSubstr("HIPCACHE_REMOTE is http://other, but the running daemon uses http://host;")));
}

TEST(UnusedSettings, AreThoseThatTheUserGaveAndTheDaemonHasOtherwise) {
  const std::string of_daemon = text_with({});
  EXPECT_THAT(unused({"HIPCACHE_MAX_SIZE=5G", "HIPCACHE_NAMESPACE=n"}, of_daemon),
              ElementsAre("HIPCACHE_MAX_SIZE is 5G, but the running daemon uses 20G; after hipcache --stop-server the "
                          "next compile starts a daemon with the new value"));
  EXPECT_THAT(unused({"HIPCACHE_MAX_SIZE=20GB"}, of_daemon), IsEmpty()) << "the same size, written otherwise";
  EXPECT_THAT(unused({"HIPCACHE_REMOTE=file:///c"}, of_daemon), ElementsAre(HasSubstr("uses none")));
}

TEST(UnusedSettings, ADefaultIsNoneWhateverTheDaemonHas) {
  EXPECT_THAT(unused({}, text_with({"HIPCACHE_MAX_SIZE=5G"})), IsEmpty());
}

TEST(UnusedSettings, OneOfTheFileIsNamedWithIt) {
  const support::Scratch scratch;
  const std::string file = scratch.write("config.toml", "jobs = 3\n");
  EXPECT_THAT(unused({"HIPCACHE_CONFIG=" + file}, text_with({})),
              ElementsAre(HasSubstr(file + ": jobs is 3, but the running daemon uses 0;")));
}

TEST(UnusedSettings, ATextThatIsCutOrOfAnotherVersionIsNoReason) {
  const std::string of_daemon = text_with({});
  EXPECT_THAT(unused({"HIPCACHE_LOG=/l"}, of_daemon.substr(0, of_daemon.find("log = "))), IsEmpty());
  EXPECT_THAT(unused({"HIPCACHE_MAX_SIZE=5G"}, ""), IsEmpty());
  EXPECT_THAT(unused({"HIPCACHE_MAX_SIZE=5G"}, std::string(100'000, '\n')), IsEmpty());
}

}  // namespace
}  // namespace hipcache::config
