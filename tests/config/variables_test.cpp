#include "hipcache/config/settings.h"

#include <gtest/gtest.h>

#include "support/scratch.h"

namespace hipcache::config {
namespace {

std::string told(const std::vector<std::string>& environment) {
  std::string text;
  for (const UnknownVariable& unknown : unknown_variables(environment))
    text += unknown.name + (unknown.nearest.empty() ? "" : "->" + unknown.nearest) + " ";
  return text;
}

TEST(UnknownVariables, AMisspeltOneIsToldWithTheNameThatMayBeMeant) {
  EXPECT_EQ(told({"HIPCACHE_MAXSIZE=5G"}), "HIPCACHE_MAXSIZE->HIPCACHE_MAX_SIZE ");
  EXPECT_EQ(told({"HIPCACHE_READ_ONLY=1", "PATH=/bin", "HIPCACHE_BASE_DIR=/src"}),
            "HIPCACHE_READ_ONLY->HIPCACHE_READONLY HIPCACHE_BASE_DIR->HIPCACHE_BASEDIR ");
}

TEST(UnknownVariables, OneOfTheUsersOwnIsToldWithoutAName) {
  EXPECT_EQ(told({"HIPCACHE_BUCKET=ours"}), "HIPCACHE_BUCKET ");
}

TEST(UnknownVariables, NoSettingIsUnknown) {
  std::vector<std::string> environment{"HIPCACHE_DIR=/c", "HIPCACHE_CONFIG=/f", "HIPCACHE_TRACE=/t", "HIPCACHE=x"};
  const std::vector<Described> settings = describe(lookup_in({"HOME=/h"})).value();
  for (const Described& setting : settings) {
    std::string name = "HIPCACHE_";
    for (const char letter : setting.key) name += letter == '_' ? '_' : static_cast<char>(letter - 'a' + 'A');
    environment.push_back(name + "=value");
  }
  EXPECT_EQ(told(environment), "");
}

TEST(UnknownVariables, AreNotMoreThanSixteen) {
  const std::vector<std::string> many(1000, "HIPCACHE_MAXSIZE=5G");
  EXPECT_EQ(unknown_variables(many).size(), 16u);
}

TEST(MissingFile, IsToldOnlyIfTheVariableNamesIt) {
  const support::Scratch scratch;
  EXPECT_EQ(missing_file(lookup_in({"HOME=/nonexistent"})), std::nullopt);
  EXPECT_EQ(missing_file(lookup_in({"HOME=/h", "HIPCACHE_CONFIG="})), std::nullopt);
  const Result<Settings> relative = load(lookup_in({"HOME=/h", "HIPCACHE_CONFIG=h.toml"}));
  ASSERT_FALSE(relative) << "each compile would read another file";
  EXPECT_EQ(relative.error().message,
            "HIPCACHE_CONFIG is h.toml: each directory would have another file; give an absolute path");
  EXPECT_EQ(missing_file(lookup_in({"HOME=/h", "HIPCACHE_CONFIG=" + (scratch / "none.toml")})), scratch / "none.toml");
  EXPECT_EQ(missing_file(lookup_in({"HOME=/h", "HIPCACHE_CONFIG=" + scratch.write("f.toml", "")})), std::nullopt);
  EXPECT_EQ(missing_file(lookup_in({"HOME=/h", "HIPCACHE_CONFIG=/dev/null"})), std::nullopt);
}

}  // namespace
}  // namespace hipcache::config
