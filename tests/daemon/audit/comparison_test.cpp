#include "daemon/audit/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hipcache::daemon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

cache::Output output(const std::string& name, const std::string& bytes) {
  cache::Output output;
  output.name = name;
  output.blob = digest_of(bytes);
  output.size = bytes.size();
  return output;
}

template <typename Made>
std::vector<std::string> different(const Made& stored, const Made& made) {
  std::vector<std::string> names;
  for (const DifferentPart& one : differences_of(parts_of(stored), parts_of(made)))
    names.push_back(one.part().what + one.part().place);
  return names;
}

TEST(Comparison, OfResultsIsOfOutputsAndMessages) {
  cache::ActionResult stored;
  stored.outputs = {output("object", "one"), output("depfile", "a.o: a.c")};
  stored.duration_us = 1;
  cache::ActionResult made = stored;
  made.duration_us = 2;
  std::swap(made.outputs[0], made.outputs[1]);
  EXPECT_THAT(different(stored, made), IsEmpty());

  made.outputs[1] = output("object", "two");
  EXPECT_THAT(different(stored, made), ElementsAre("object"));
  made.outputs[1] = stored.outputs[0];
  made.outputs[1].executable = true;
  EXPECT_THAT(different(stored, made), ElementsAre("object"));
  made.outputs[1].executable = false;
  made.outputs[1].place = "b.o";
  EXPECT_THAT(different(stored, made), ElementsAre("object", "objectb.o"));
  made = stored;
  made.outputs.pop_back();
  made.stdout_text = "text";
  made.stderr_text = "warning";
  EXPECT_THAT(different(stored, made), ElementsAre("depfile", "stdout", "stderr"));
  EXPECT_EQ(to_text(differences_of(parts_of(stored), parts_of(made))[0], ""),
            "depfile (stored " + digest_of("a.o: a.c").shown() + ", made now none)");
}

hip::Step step(const std::string& argument) {
  hip::Step made;
  made.commands = {{"/clang", {"clang", argument}}};
  made.keyed = {{argument}};
  made.outputs = {{.role = hip::kObject, .name = "host.o", .place = "a.o"}};
  made.files = {{.name = "f", .bytes = "b"}};
  return made;
}

hip::Plan plan() {
  hip::Step device = step("-cc1");
  hip::SplitCodegen split;
  split.front = split.both = {"/clang", {"clang", "-emit-llvm-bc"}};
  split.back = {{"/clang", {"clang", "-x", "ir"}}};
  split.proof = std::make_shared<hip::Step>(step("proof"));
  device.split_codegen = split;
  hip::Plan made{.steps = {device, step("host")}, .driver_stderr = "warning"};
  made.deferred_fatbin = hip::DeferredFatbin{.steps = {step("deferred")}, .proof = step("of-fatbin")};
  made.question = step("question");
  return made;
}

TEST(Comparison, FindsNoDifferenceBetweenEqualPlans) { EXPECT_THAT(different(plan(), plan()), IsEmpty()); }

TEST(Comparison, NamesTheJobOfAPlanThatDiffers) {
  hip::Plan changed = plan();
  changed.steps[0].commands[0].argv[1] = "-O3";
  EXPECT_THAT(different(plan(), changed), ElementsAre("job 1 (device )"));
  changed.steps.pop_back();
  EXPECT_THAT(different(plan(), changed), ElementsAre("job 1 (device )", "job 2 (device )"));
}

TEST(Comparison, SaysWhereTwoPlansDiffer) {
  const std::pair<const char*, std::function<void(hip::Plan&)>> changes[] = {
      {"message", [](hip::Plan& one) { one.driver_stderr = ""; }},
      {"step", [](hip::Plan& one) { one.steps.pop_back(); }},
      {"argument", [](hip::Plan& one) { one.steps[1].commands[0].argv[1] = "-O3"; }},
      {"program", [](hip::Plan& one) { one.steps[1].commands[0].program = "/other"; }},
      {"command", [](hip::Plan& one) { one.steps[1].commands.clear(); }},
      {"key", [](hip::Plan& one) { one.steps[1].keyed[0][0] = "-O3"; }},
      {"architecture", [](hip::Plan& one) { one.steps[0].arch = {"gfx90a"}; }},
      {"kind", [](hip::Plan& one) { one.steps[1].kind = hip::StepKind::bundle; }},
      {"output", [](hip::Plan& one) { one.steps[1].outputs[0].place = "b.o"; }},
      {"depfile", [](hip::Plan& one) { one.steps[1].depfile = "d"; }},
      {"input", [](hip::Plan& one) { one.steps[1].inputs = {"x"}; }},
      {"file", [](hip::Plan& one) { one.steps[1].files[0].bytes = "c"; }},
      {"doubtful argument", [](hip::Plan& one) { one.steps[1].unproven = "-z"; }},
      {"no split", [](hip::Plan& one) { one.steps[0].split_codegen.reset(); }},
      {"split's front end", [](hip::Plan& one) { one.steps[0].split_codegen->front.argv[1] = "x"; }},
      {"split's back end", [](hip::Plan& one) { one.steps[0].split_codegen->back.clear(); }},
      {"split's one start", [](hip::Plan& one) { one.steps[0].split_codegen->both.argv[1] = "x"; }},
      {"split's proof",
       [](hip::Plan& one) { one.steps[0].split_codegen->proof = std::make_shared<hip::Step>(step("q")); }},
      {"no deferred fatbin", [](hip::Plan& one) { one.deferred_fatbin.reset(); }},
      {"deferred step", [](hip::Plan& one) { one.deferred_fatbin->steps[0].commands[0].argv[1] = "x"; }},
      {"fatbin's proof", [](hip::Plan& one) { one.deferred_fatbin->proof.commands[0].argv[1] = "x"; }},
      {"no question", [](hip::Plan& one) { one.question.reset(); }},
      {"question", [](hip::Plan& one) { one.question->commands[0].argv[1] = "x"; }},
  };
  for (const auto& [what, change] : changes) {
    hip::Plan changed = plan();
    change(changed);
    EXPECT_THAT(different(plan(), changed), Not(IsEmpty())) << what;
    EXPECT_THAT(different(changed, plan()), Not(IsEmpty())) << what;
  }
}

}  // namespace
}  // namespace hipcache::daemon
