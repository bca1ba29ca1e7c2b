// Plans with bytes and words changed, from fixed seeds: nothing crashes, and what is accepted writes into the directory
// only.
#include <gtest/gtest.h>

#include <random>

#include "compiler/hip/recorded_plans.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/cc1.h"

namespace hipcache::hip {
namespace {

using testing::invocation_of_a;
using testing::recorded;

std::string random_text(std::mt19937& random) {
  static const char* const kTexts[] = {"\"-o\" \"",
                                       "\" \"",
                                       "/tmp/probe/",
                                       "/etc/passwd",
                                       "\n \"",
                                       "\"-load\" \"x\" ",
                                       "\\",
                                       "..",
                                       "-fvisibility",
                                       "\"-cc1\" ",
                                       "\x1b[",
                                       "clang: warning: ",
                                       "\"\" ",
                                       "a.o",
                                       "-",
                                       "\"-dependency-file\" \"/x\" ",
                                       "\x01"
                                       "dir"
                                       "\x01"};
  return kTexts[random() % std::size(kTexts)];
}

// Mostly a small edit, as a new compiler's plan would be; at times a larger one.
std::string mutated(std::string text, std::mt19937& random) {
  for (unsigned edits = 1 + random() % 3; edits > 0 && !text.empty(); --edits) {
    const std::size_t at = random() % text.size();
    switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, 1 + random() % 40);
        break;
      case 2:
        text.insert(at, random_text(random));
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 300));
        break;
      default: {
        const auto word = text.find("\" \"", at);
        if (word != std::string::npos) text.insert(word + 2, random_text(random));
        break;
      }
    }
  }
  return text;
}

bool is_placed(const std::string& path) {
  return path.starts_with(std::string(kDirectory) + "/") && path.find("..") == std::string::npos;
}

void expect_writes_inside(const StepCommand& command) {
  if (command.argv[1] == "-cc1") {
    const auto read = compiler::read_cc1({command.argv.begin() + 2, command.argv.end()});
    ASSERT_TRUE(read);
    for (const auto& argument : *read) {
      if (argument.role == compiler::Cc1Role::output || argument.role == compiler::Cc1Role::depfile) {
        EXPECT_TRUE(is_placed(argument.value)) << argument.value;
      }
    }
    return;
  }
  for (std::size_t i = 0; i + 1 < command.argv.size(); ++i) {
    if (command.argv[i] == "-o") {
      EXPECT_TRUE(is_placed(command.argv[i + 1])) << command.argv[i + 1];
    }
    if (command.argv[i].starts_with("-output=")) {
      EXPECT_TRUE(is_placed(command.argv[i].substr(8)));
    }
  }
}

class PlanFuzz : public ::testing::TestWithParam<const char*> {};

TEST_P(PlanFuzz, NeverAcceptsAnOutputOutsideOfTheDirectory) {
  const bool depfile = std::string(GetParam()).find("depfile") != std::string::npos;
  const std::string printed = recorded(GetParam());
  std::mt19937 random(99);
  int accepted = 0;
  for (int round = 0; round < 600; ++round) {
    const auto plan = read_plan(mutated(printed, random), invocation_of_a(depfile), testing::kRecordedDirectory);
    if (!plan) {
      EXPECT_FALSE(plan.error().message.empty());
      continue;
    }
    ++accepted;
    for (const Step& step : plan->steps) {
      for (const StepOutput& output : step.outputs) EXPECT_EQ(output.name.find('/'), std::string::npos);
      for (const StepCommand& command : step.commands) expect_writes_inside(command);
    }
  }
  EXPECT_GT(accepted, 10);  // else the edits only ever break the quoting
}

INSTANTIATE_TEST_SUITE_P(Recorded, PlanFuzz,
                         ::testing::Values("clang-15-g-depfile", "clang-19-g-depfile", "clang-19-one-arch",
                                           "clang-19-three-archs", "clang-15-rdc", "clang-19-rdc"));

}  // namespace
}  // namespace hipcache::hip
