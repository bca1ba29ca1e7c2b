#include "cli/options/options.h"

#include <gmock/gmock.h>

#include <string>

#include "cli/options/options.h"
#include "client/launch_fixture.h"
#include "hipcache/config/settings.h"

namespace hipcache::cli {
namespace {

using testing::HasSubstr;

TEST(Generate, EveryKindNamesEveryOption) {
  for (const OptionText& option : option_texts()) {
    std::string in_roff(option.name);
    for (std::size_t at = 0; (at = in_roff.find('-', at)) != std::string::npos; at += 2) in_roff.insert(at, "\\");
    EXPECT_THAT(generate("man").value(), HasSubstr("\\fB" + in_roff + "\\fR"));
    EXPECT_THAT(generate("bash").value(), HasSubstr(option.name));
    EXPECT_THAT(generate("zsh").value(), HasSubstr(option.name));
    EXPECT_THAT(generate("fish").value(), HasSubstr(" -l " + std::string(option.name.substr(2))));
  }
}

TEST(Generate, TheManPageHasEverySettingAndWhatAReaderLooksFor) {
  const std::string page = generate("man").value();
  for (const config::SettingText& setting : config::setting_texts()) {
    EXPECT_FALSE(setting.meaning.empty()) << setting.key;
    EXPECT_THAT(page, HasSubstr("\\fB" + std::string(setting.key) + "\\fR, \\fB" + setting.variable + "\\fR"));
  }
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SETTINGS", "ENVIRONMENT", "FILES",
                              "EXAMPLES", "EXIT STATUS", "SEE ALSO"})
    EXPECT_THAT(page, HasSubstr(std::string("\n.SH ") + section + "\n"));
}

TEST(Generate, AQuoteInAHelpDoesNotEndAWordOfAShell) {
  EXPECT_THAT(generate("zsh").value(), HasSubstr("sccache'\\''s names"));
  EXPECT_THAT(generate("fish").value(), HasSubstr("sccache'\\''s names"));
}

class Completion : public client::LaunchTest {
 protected:
  // What bash offers for the last word.
  std::string offered(const std::string& words, int last) const {
    const std::string script = "eval \"$(hipcache --generate bash)\"; COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(last) + "; _hipcache; echo \"${COMPREPLY[@]}\"";
    const client::Ended ended = run({"/bin/bash", "-c", script});
    EXPECT_EQ(ended.err, "");
    return ended.out;
  }
};

TEST_F(Completion, OffersOptionsTheirValuesFilesAndCommands) {
  const std::string key = scratch.write("key.pem", "");
  EXPECT_EQ(offered("hipcache --st", 1), "--start-server --stop-server\n");
  EXPECT_EQ(offered("hipcache --show-stats --format m", 3), "markdown\n");
  EXPECT_EQ(offered("hipcache --public-key " + key.substr(0, key.size() - 2), 2), key + "\n");
  script("bin/strange-cc", "");
  EXPECT_EQ(offered("hipcache strange-", 1), "strange-cc\n");
  EXPECT_EQ(offered("hipcache --plan -- strange-", 3), "strange-cc\n");
  EXPECT_EQ(offered("hipcache cc --st", 2), "\n") << "words of the compiler";
}

TEST(Generate, NamesWhatItCanGenerate) {
  const Result<std::string> none = generate("tcsh");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "--generate is man, bash, zsh or fish, not \"tcsh\"");
}

}  // namespace
}  // namespace hipcache::cli
