// Device steps whose code generation is split, with an engine, and a worker and a client that the test plays.
#include <algorithm>
#include <chrono>
#include <thread>

#include "daemon/execute/played_worker.h"
#include "daemon/serve/scripted_client.h"

namespace hipcache::daemon {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Not;
using trace::Kind;
using trace::Record;

// Steps whose code generation is split (split_codegen_route_test.cpp).
class ExecutedSplitRoute : protected Worker, public RouteTest {
 protected:
  explicit ExecutedSplitRoute(const std::string& options = "") : Worker(options), RouteTest({.engine = &engine_}) {
    plan_ = plan_of("clang-19/three-archs");
    argv_ = {"clang++", "-x", "hip", "--offload-arch=gfx906", "--offload-arch=gfx90a", "--offload-arch=gfx1030", "-c",
             "a.hip",   "-o", "a.o"};
    scratch_.write("libhipcache-trace.so", "library");
    compile_here();  // so that its inputs are known
    plan_ = replaced(plan_, "\"-O0\"", "\"-O2\"");
    argv_.emplace_back("-O2");
    for (const char* arch : {"gfx906", "gfx90a", "gfx1030"}) on(std::string("both ") + arch, takes_seconds);
  }

  static void takes_seconds(Ran& run) {
    run.report.processor_us = 9'000'000;
    run.files[run.step.trace_path + ".first"] = "1000000";
  }
  void compile_here() {
    is_silent_ = true;
    EXPECT_EQ(compile().finish().exit_code, 0);
    is_silent_ = false;
    actions_.clear();
  }
  void edit_source(const std::string& bitcode) {
    write("a.hip", bitcode);
    for (const char* arch : {"gfx906", "gfx90a", "gfx1030"})
      on(std::string("front ") + arch, [=](Ran& run) { run.replace(".bc", bitcode); });
    actions_.clear();
  }
  static std::size_t count(const Reply& reply, const std::string& name) {
    return static_cast<std::size_t>(std::count_if(reply.asked.begin(), reply.asked.end(),
                                                  [&](const std::string& one) { return one.starts_with(name); }));
  }
};

TEST_F(ExecutedSplitRoute, LeavesWhatLaterEditsNeedOfAStepThatAWorkerRan) {
  constexpr auto kWorthASplit = std::chrono::milliseconds(600);
  is_silent_ = true;
  edit_ = [](auto&, protocol::RemoteExecuted& executed) { executed.execution_us = 9'000'000; };
  on("both gfx1030", [&](Ran& run) {  // the first one
    takes_seconds(run);
    std::this_thread::sleep_for(kWorthASplit);
    for (const protocol::RemoteExecute& action : sent()) Worker::answer(action);
  });
  const Reply first = compile();
  EXPECT_EQ(first.finish().exit_code, 0);
  EXPECT_EQ(count(first, "both"), 1u);
  EXPECT_EQ(counted().executed.won, 2u);
  EXPECT_EQ(counted().back.run, 3u);
  actions_.clear();
  write("a.hip", "an edit that leaves the bitcode");
  const Reply second = compile();
  EXPECT_EQ(count(second, "front"), 3u);
  EXPECT_EQ(count(second, "back"), 0u);
  EXPECT_EQ(counted().back.hit, 3u);
  EXPECT_THAT(actions_, IsEmpty());
}

TEST_F(ExecutedSplitRoute, SendsTheBackEndsOfAnEditWhoseFrontEndsRanHere) {
  compile_here();
  edit_source("other bitcode");
  const std::uint64_t won = counted().executed.won;
  const Reply reply = compile();
  EXPECT_EQ(reply.finish().exit_code, 0);
  EXPECT_EQ(count(reply, "front"), 3u);
  EXPECT_EQ(count(reply, "back"), 3u - actions_.size());
  EXPECT_GE(actions_.size(), 2u);
  EXPECT_EQ(counted().executed.won, won + actions_.size());
  for (const protocol::RemoteExecute& action : actions_) {
    EXPECT_TRUE(Worker::runs_back_end_alone(action)) << action.argv.back();
    std::vector<std::string> files;
    for (const protocol::ExecuteInput& input : action.inputs)
      if (input.kind == protocol::ExecuteInputKind::file) files.push_back(input.path);
    EXPECT_THAT(files, Contains(testing::EndsWith(".bc")));
    EXPECT_THAT(files, Each(Not(testing::EndsWith("a.hip"))));
  }
  EXPECT_THAT(compile().asked, IsEmpty());
  write("a.hip", "source with the same bitcode");
  EXPECT_EQ(count(compile(), "back"), 0u) << "each back end is stored under its bitcode";
}

TEST_F(ExecutedSplitRoute, RunsABackEndHereWhoseWorkerWasTracedInPart) {
  compile_here();
  edit_source("other bitcode");
  edit_ = [](std::vector<Record>& records, auto&) {
    std::erase_if(records, [](const Record& record) { return record.kind == Kind::end; });
  };
  const stats::Executed before = counted().executed;
  const Reply reply = compile();
  EXPECT_EQ(reply.finish().exit_code, 0);
  EXPECT_EQ(count(reply, "back"), 3u);
  EXPECT_EQ(count(reply, "device"), 0u) << "nor does it run as one";
  EXPECT_EQ(counted().executed.won, before.won);
  EXPECT_GT(counted().executed.not_proved, before.not_proved);
  EXPECT_THAT(counted().executed.why, Contains(testing::Key("not-recorded")));
}

TEST_F(ExecutedSplitRoute, RunsAFirstCompileHereThatAWorkerTracedInPart) {
  edit_ = [](std::vector<Record>& records, auto&) {
    std::erase_if(records, [](const Record& record) { return record.kind == Kind::end; });
  };
  const Reply reply = compile();
  EXPECT_EQ(count(reply, "both"), 3u);
  EXPECT_EQ(counted().executed.won, 0u);
  EXPECT_GT(counted().executed.not_proved, 0u);
  EXPECT_THAT(compile().asked, IsEmpty());
}

TEST_F(ExecutedSplitRoute, StopsABackEndHereOnceTheWorkersResultIsProved) {
  compile_here();
  edit_source("other bitcode");
  is_silent_ = true;
  for (const char* arch : {"gfx906", "gfx90a", "gfx1030"})
    on(std::string("back ") + arch, [this, arch](Ran& run) {
      for (const protocol::RemoteExecute& action : sent())
        if (action.argv.back().find(std::string("'") + arch + "'") != std::string::npos) {
          run.waits_for_stop = true;
          Worker::answer(action);
        }
    });
  const stats::Executed before = counted().executed;
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_GT(counted().executed.won, before.won);
}

class ExecutedSplitRouteWithAudit : public ExecutedSplitRoute {
 protected:
  ExecutedSplitRouteWithAudit() : ExecutedSplitRoute("&audit=1") {}
};

TEST_F(ExecutedSplitRouteWithAudit, ComparesABackEndWithTheOneOfHere) {
  compile();
  EXPECT_EQ(counted().executed.differences, 0u);
  edit_source("other bitcode");
  on("back gfx906", [](Ran& run) { run.replace(".out", "something else"); });
  on("back gfx90a", [](Ran& run) { run.replace(".out", "something else"); });
  compile();
  EXPECT_GT(counted().executed.differences, 0u);
  EXPECT_FALSE(engine_.is_open());
}

}  // namespace
}  // namespace hipcache::daemon
