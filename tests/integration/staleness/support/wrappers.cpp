#include "integration/staleness/support/wrappers.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// Like ROCm's amdclang++: executes the program beside it with the same name less "amd".
constexpr const char* kStandIn = R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char** argv) {
  char path[4096];
  const char* slash = strrchr(argv[0], '/');
  if (argc < 1 || slash == NULL) return 1;
  snprintf(path, sizeof path, "%.*s%s", (int)(slash - argv[0] + 1), argv[0], slash + 1 + strlen("amd"));
  argv[0] = path;
  BEFORE_THAT
  execv(path, argv);
  return 127;
}
)";

}  // namespace

std::string Wrappers::write_script(const std::string& text, const std::string& name) const {
  std::string path = project_.write(name, text);
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

std::string Wrappers::build(const std::string& before_that, const Arguments& flags) const {
  constexpr std::string_view kPlace = "BEFORE_THAT";
  std::string text = kStandIn;
  text.replace(text.find(kPlace), kPlace.size(), before_that);
  project_.write("stand-in.c", text);
  std::string program = project_ / "rocm/bin/amdclang++";
  EXPECT_EQ(run(Arguments{"cc", "stand-in.c", "-o", program} + flags, project_.path()).exit_code, 0);
  return program;
}

Arguments Wrappers::by(const std::string& wrapper, const std::vector<std::string>& gpus) const {
  Arguments argv = GetParam().hip() + archs(gpus) + words("-O1 -c a.hip -o a.o");
  argv[0] = wrapper;
  return argv;
}

std::string Wrappers::cache_variables() const {
  std::string text;
  for (const auto& [name, value] : cache_.variables())
    if (!value.empty()) text += " " + name + "='" + value + "'";
  return text;
}

void Wrappers::expect_by_architecture(const std::string& wrapper) {
  const Counts cold = check(by(wrapper));
  EXPECT_EQ(cold.run.at("device"), 2) << cold.json.dump();
  EXPECT_EQ(check(by(wrapper)).hits, 1);
  const Counts added = check(by(wrapper, {"gfx906", "gfx908", "gfx1030"}));
  EXPECT_EQ(added.run.at("device"), 1) << added.json.dump();
  EXPECT_EQ(added.run.at("host"), 0);
  EXPECT_TRUE(cold.not_stored.empty() && added.not_stored.empty()) << added.json.dump();
}

void Wrappers::expect_kept_opaque(const std::string& wrapper, bool is_stored) {
  const Counts cold = check(by(wrapper, {"gfx906"}));
  EXPECT_EQ(cold.run.at("device"), 0) << cold.json.dump();
  EXPECT_EQ(cold.run.at("host"), 1) << cold.json.dump();
  const Counts again = check(by(wrapper, {"gfx906"}));
  EXPECT_EQ(again.hits, is_stored ? 1 : 0) << again.json.dump();
  EXPECT_EQ(again.run.at("device"), 0);
}

}  // namespace hipcache::integration
