#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

Step step(const std::string& argument) {
  Step made;
  made.commands = {{"/clang", {"clang", argument}}};
  made.keyed = {{argument}};
  made.outputs = {{.role = kObject, .name = "host.o", .place = "a.o"}};
  made.files = {{.name = "f", .bytes = "b"}};
  return made;
}

Plan plan() {
  Step device = step("-cc1");
  SplitCodegen split;
  split.front = split.both = {"/clang", {"clang", "-emit-llvm-bc"}};
  split.back = {{"/clang", {"clang", "-x", "ir"}}};
  split.proof = std::make_shared<Step>(step("proof"));
  device.split_codegen = split;
  Plan made{.steps = {device, step("host")}, .driver_stderr = "warning"};
  made.deferred_fatbin = DeferredFatbin{.steps = {step("deferred")}, .proof = step("of-fatbin")};
  made.question = step("question");
  return made;
}

TEST(SamePlan, IsOneThatWasMadeTheSameWay) { EXPECT_TRUE(are_same_plan(plan(), plan())); }

TEST(SamePlan, DiffersInEachPart) {
  const std::pair<const char*, std::function<void(Plan&)>> changes[] = {
      {"message", [](Plan& one) { one.driver_stderr = ""; }},
      {"step", [](Plan& one) { one.steps.pop_back(); }},
      {"argument", [](Plan& one) { one.steps[1].commands[0].argv[1] = "-O3"; }},
      {"program", [](Plan& one) { one.steps[1].commands[0].program = "/other"; }},
      {"command", [](Plan& one) { one.steps[1].commands.clear(); }},
      {"key", [](Plan& one) { one.steps[1].keyed[0][0] = "-O3"; }},
      {"architecture", [](Plan& one) { one.steps[0].arch = {"gfx90a"}; }},
      {"kind", [](Plan& one) { one.steps[1].kind = StepKind::bundle; }},
      {"output", [](Plan& one) { one.steps[1].outputs[0].place = "b.o"; }},
      {"depfile", [](Plan& one) { one.steps[1].depfile = "d"; }},
      {"input", [](Plan& one) { one.steps[1].inputs = {"x"}; }},
      {"file", [](Plan& one) { one.steps[1].files[0].bytes = "c"; }},
      {"doubtful argument", [](Plan& one) { one.steps[1].unproven = "-z"; }},
      {"no split", [](Plan& one) { one.steps[0].split_codegen.reset(); }},
      {"split's front end", [](Plan& one) { one.steps[0].split_codegen->front.argv[1] = "x"; }},
      {"split's back end", [](Plan& one) { one.steps[0].split_codegen->back.clear(); }},
      {"split's one start", [](Plan& one) { one.steps[0].split_codegen->both.argv[1] = "x"; }},
      {"split's proof", [](Plan& one) { one.steps[0].split_codegen->proof = std::make_shared<Step>(step("q")); }},
      {"no deferred fatbin", [](Plan& one) { one.deferred_fatbin.reset(); }},
      {"deferred step", [](Plan& one) { one.deferred_fatbin->steps[0].commands[0].argv[1] = "x"; }},
      {"fatbin's proof", [](Plan& one) { one.deferred_fatbin->proof.commands[0].argv[1] = "x"; }},
      {"no question", [](Plan& one) { one.question.reset(); }},
      {"question", [](Plan& one) { one.question->commands[0].argv[1] = "x"; }},
  };
  for (const auto& [what, change] : changes) {
    Plan changed = plan();
    change(changed);
    EXPECT_FALSE(are_same_plan(plan(), changed)) << what;
    EXPECT_FALSE(are_same_plan(changed, plan())) << what;
  }
}

}  // namespace
}  // namespace hipcache::hip
