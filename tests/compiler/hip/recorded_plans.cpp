#include "compiler/hip/recorded_plans.h"

#include <gmock/gmock.h>

#include "support/scratch.h"

namespace hipcache::hip::testing {

std::string recorded(const std::string& name) {
  const std::size_t end_of_compiler = name.find('-', name.find('-') + 1);
  const std::string path = name.substr(0, end_of_compiler) + "/" + name.substr(end_of_compiler + 1);
  return support::read_bytes(std::string(HIPCACHE_FIXTURES) + "/plans/" + path + ".txt");
}

std::array<std::string, 2> arch_order(std::string_view compiler) {
  if (compiler == "clang-23") return {"gfx906", "gfx1030"};
  return {"gfx1030", "gfx906"};
}

compiler::Invocation invocation_of_a(bool depfile) {
  compiler::Invocation invocation;
  invocation.source = "a.hip";
  invocation.object = "a.o";
  if (depfile) invocation.depfile = "a.d";
  return invocation;
}

Plan accepted(const std::string& printed, const compiler::Invocation& invocation) {
  Result<Plan> plan = read_plan(printed, invocation, kRecordedDirectory);
  if (plan) return *std::move(plan);
  ADD_FAILURE() << plan.error().message;
  return {};
}

std::string refusal(const std::string& printed, const compiler::Invocation& invocation) {
  const Result<Plan> plan = read_plan(printed, invocation, kRecordedDirectory);
  return plan ? "accepted" : plan.error().message;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no " << from;
    return text;
  }
  return text.replace(at, from.size(), to);
}

void expect_refused(const std::string& printed, const compiler::Invocation& invocation, const Edit& edit) {
  ASSERT_EQ(refusal(printed, invocation), "accepted");
  EXPECT_THAT(refusal(replaced(printed, edit.from, edit.to), invocation), ::testing::HasSubstr(edit.message));
}

void expect_refused_in_part(const std::string& printed, const compiler::Invocation& invocation) {
  for (std::size_t length = 0; length < printed.size(); ++length)
    ASSERT_NE(refusal(printed.substr(0, length), invocation), "accepted") << length;
}

}  // namespace hipcache::hip::testing
