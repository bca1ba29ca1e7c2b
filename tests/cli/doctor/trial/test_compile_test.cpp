#include "cli/doctor/trial/trial.h"

#include <gtest/gtest.h>

#include "cli/show/show_plan.h"

namespace hipcache::cli {
namespace {

Treatment treatment(const std::vector<protocol::PlanStep>& steps, const std::string& reason = "") {
  protocol::PlanReport plan;
  plan.reason = reason;
  plan.steps = steps;
  return treatment_in(plan_to_json(plan)).value();
}

TEST(Treatments, AreReadFromThePlan) {
  EXPECT_EQ(treatment({}, "link"), Treatment::bypass);
  EXPECT_EQ(treatment({{.name = "compile"}}), Treatment::is_opaque);
  EXPECT_EQ(treatment({{.name = "device gfx906"}, {.name = "bundle"}, {.name = "host"}}), Treatment::split);
  EXPECT_EQ(treatment({{.name = "device gfx906 front end"}, {.name = "device gfx906 back end"}, {.name = "host"}}),
            Treatment::split_by_new_driver);
  EXPECT_FALSE(treatment_in("no JSON"));
  EXPECT_FALSE(treatment_in("{}"));
}

TEST(Reasons, AreThoseOfTheStatistics) {
  stats::Snapshot statistics;
  EXPECT_EQ(reason_in(statistics), "hipcache --explain says more");
  statistics.not_stored["unknown-call"] = 1;
  EXPECT_EQ(reason_in(statistics), "unknown-call");
  statistics.not_cached = {{"rare", 1}, {"not-a-compiler", 2}};
  statistics.not_cached_detail["not-a-compiler"] = "mycc: name it";
  EXPECT_EQ(reason_in(statistics), "not-a-compiler: mycc: name it");
}

TEST(Ties, OfScriptsAreReadFromTheExplanation) {
  EXPECT_EQ(tie_in(R"({"steps": [{"ties": []}, {"ties": [{"kind": "absolute_path", "text": "elsewhere"},
                       {"kind": "environment", "text": "kept to this machine: hipcc"}]}]})"),
            "kept to this machine: hipcc");
  for (const char* none : {"no JSON", "{}", R"({"steps": [{}, 1, {"ties": [1, {"kind": "cuid", "text": "x"}]}]})"})
    EXPECT_EQ(tie_in(none), "") << none;
}

}  // namespace
}  // namespace hipcache::cli
