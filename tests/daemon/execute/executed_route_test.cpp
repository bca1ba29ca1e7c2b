// Device steps with an engine, with a worker and a client that the test plays: whose result counts, and what runs here.
#include <algorithm>
#include <set>

#include "daemon/execute/played_worker.h"
#include "daemon/serve/scripted_client.h"
#include "hipcache/base/files.h"
#include "hipcache/config/execute_url.h"
#include "hipcache/events/event_log.h"
#include "hipcache/trace/seen.h"
#include "support/comes_true.h"

namespace hipcache::daemon {
namespace {

using protocol::ExecuteOutcome;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using trace::Kind;
using trace::Record;

class ExecutedRoute : protected Worker, public RouteTest {
 protected:
  explicit ExecutedRoute(const std::string& options = "", const OwnDirectory* events = nullptr)
      : Worker(options), RouteTest({.engine = &engine_, .event_directory = events}) {
    plan_ = replaced(plan_of("clang-19/three-archs"), "\"-O2\"", "\"-O0\"");
    argv_ = {"clang++", "-x", "hip", "--offload-arch=gfx906", "--offload-arch=gfx90a", "--offload-arch=gfx1030", "-c",
             "a.hip",   "-o", "a.o"};
    scratch_.write("libhipcache-trace.so", "library");
    is_silent_ = true;
    EXPECT_EQ(compile().finish().exit_code, 0);
    is_silent_ = false;
    actions_.clear();
    cancelled_ = 0;
    set("HIPCACHE_RECACHE", "1");
    before_ = counted().executed;
  }

  // How many device steps the client ran.
  static std::size_t devices(const Reply& reply) {
    return static_cast<std::size_t>(std::count_if(reply.asked.begin(), reply.asked.end(),
                                                  [](const std::string& name) { return name.starts_with("device"); }));
  }
  // Every device runs here, and the reason is counted.
  void expect_in_vain(const std::string& reason) {
    const Reply reply = compile();
    EXPECT_EQ(reply.finish().exit_code, 0);
    EXPECT_EQ(reply.finish().stderr_text, "");
    EXPECT_EQ(devices(reply), 3u);
    const stats::Executed executed = counted().executed;
    EXPECT_EQ(executed.won, before_.won);
    EXPECT_THAT(executed.why, Contains(testing::Key(reason)));
    EXPECT_EQ(executed.not_proved + executed.failed, before_.not_proved + before_.failed + 2);
  }

  stats::Executed before_;
};

TEST_F(ExecutedRoute, TakesWhatWorkersMadeWhileTheClientRunsTheFirstStep) {
  const Reply reply = compile();
  EXPECT_EQ(reply.finish().exit_code, 0);
  EXPECT_EQ(devices(reply), 1u);
  EXPECT_THAT(actions_, SizeIs(2));
  EXPECT_EQ(counted().executed.won, before_.won + 2);
  EXPECT_EQ(counted().executed.execution_us, before_.execution_us + 14);
  set("HIPCACHE_RECACHE", "0");
  EXPECT_THAT(compile().asked, IsEmpty()) << "the results are stored like all others";
}

TEST_F(ExecutedRoute, SendsTheSourcesAndTheLibraryAndNoVariableThatNobodyAskedFor) {
  set("AWS_SECRET_ACCESS_KEY", "secret");
  compile();
  ASSERT_THAT(actions_, SizeIs(2));
  const protocol::RemoteExecute& action = actions_.front();
  EXPECT_THAT(action.environment, Each(Not(HasSubstr("secret"))));
  std::vector<std::string> paths;
  for (const protocol::ExecuteInput& input : action.inputs) paths.push_back(input.path);
  EXPECT_THAT(paths, Contains(in_work("a.hip")));
  EXPECT_THAT(paths, Contains(testing::EndsWith("/libhipcache-trace.so")));
  EXPECT_EQ(action.working_directory, "/");
  EXPECT_THAT(action.outputs, Each(Not(testing::StartsWith("/"))));
}

TEST_F(ExecutedRoute, ShowsTheWarningsOfAWorkerWhoseResultIsProved) {
  said_ = "a.hip: warning: device\n";
  EXPECT_EQ(compile().finish().stderr_text, "a.hip: warning: device\na.hip: warning: device\n");
}

TEST_F(ExecutedRoute, RunsHereWhatAWorkerDidWithoutAHeaderThatIsHere) {
  write("optional.h", "#define OPTIONAL\n");
  edit_ = [](std::vector<Record>& records, auto&) { records.push_back({Kind::open_read, false, "optional.h"}); };
  expect_in_vain("absent-there");
}

TEST_F(ExecutedRoute, RunsHereWhatAWorkerMadeOfOtherBytes) {
  edit_ = [](std::vector<Record>& records, auto&) {
    for (Record& record : records)
      if (record.kind == Kind::content && record.found) ++record.seen;
  };
  expect_in_vain("other-content");
}

TEST_F(ExecutedRoute, RunsHereWhatAWorkerWithAnotherToolchainMade) {
  edit_ = [](std::vector<Record>& records, auto&) {
    for (Record& record : records)
      if (record.kind == Kind::content && !record.found) ++record.seen;
  };
  expect_in_vain("other-toolchain");
}

TEST_F(ExecutedRoute, RunsHereWhatWasTracedInPart) {
  edit_ = [](std::vector<Record>& records, auto&) {
    std::erase_if(records, [](const Record& record) { return record.kind == Kind::end; });
  };
  expect_in_vain("trace");
}

TEST_F(ExecutedRoute, RunsHereWhatAWorkerMadeThatPrintedMoreThanTheCompiler) {
  said_ = "a.hip: warning: device\n";
  for (const bool is_error : {true, false}) {
    edit_ = [is_error](auto&, protocol::RemoteExecuted& executed) {
      (is_error ? executed.stderr_text : executed.stdout_text) = "ERROR: ld.so: object 'x.so' cannot be preloaded\n";
    };
    before_ = counted().executed;
    expect_in_vain("worker-noise");
  }
}

TEST_F(ExecutedRoute, ShowsNothingOfACommandThatFailedThere) {
  edit_ = [](auto&, protocol::RemoteExecuted& executed) {
    executed.exit_code = 1;
    executed.stderr_text = "a.hip:1:1: error: no such file\n";
  };
  expect_in_vain("worker-exit");
}

TEST_F(ExecutedRoute, RunsHereWhatTheEngineLost) {
  edit_ = [](auto&, protocol::RemoteExecuted& executed) { executed.outcome = ExecuteOutcome::lost; };
  expect_in_vain("engine-lost-it");
}

TEST_F(ExecutedRoute, EndsWithoutAnEngineThatSaysNothing) {
  is_silent_ = true;
  const Reply reply = compile();
  EXPECT_EQ(reply.finish().exit_code, 0);
  EXPECT_EQ(devices(reply), 3u);
  EXPECT_EQ(cancelled_, 2u) << "its workers need not go on";
  EXPECT_EQ(counted().executed.lost, before_.lost + 2);
}

TEST_F(ExecutedRoute, ListsTheStepsThatAreWithTheEngineBesideThoseThatRunHere) {
  is_silent_ = true;
  on("host", [&](Ran&) {
    EXPECT_TRUE(support::comes_true([&] {
      const std::vector<stats::RunningStep> now = services_.running_steps.now();
      return now.size() == 3 &&
             std::count_if(now.begin(), now.end(), [](const stats::RunningStep& step) { return step.is_sent; }) == 2;
    }));
  });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_THAT(services_.running_steps.now(), IsEmpty());
}

TEST_F(ExecutedRoute, StopsTheRunHereOnceTheWorkersResultIsProved) {
  is_silent_ = true;
  on("device gfx90a", [&](Ran& run) {
    run.waits_for_stop = true;
    for (const protocol::RemoteExecute& action : sent())
      if (action.argv.back().find("'gfx90a'") != std::string::npos) Worker::answer(action);
  });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().executed.won, before_.won + 1);
}

TEST_F(ExecutedRoute, RunsHereWhatAFullEngineDidNotTakeAndGoesOnAskingIt) {
  is_silent_ = true;
  const auto other = engine_.start({}, -1);  // of another request
  is_silent_ = false;
  engine_.receive(protocol::RemoteExecuteEvent{.id = other.value(), .state = protocol::ExecuteState::executing});
  edit_ = [](auto&, protocol::RemoteExecuted& executed) { executed.outcome = ExecuteOutcome::expired; };
  EXPECT_EQ(devices(compile()), 3u);
  EXPECT_EQ(counted().executed.why.at("engine-full"), 2u) << "once each: then the window is as wide as what executes";
  EXPECT_TRUE(engine_.is_open());
}

class ExecutedRouteForHeavySteps : public ExecutedRoute {
 protected:
  ExecutedRouteForHeavySteps() : ExecutedRoute("&min_cost=60s") {}
};

TEST_F(ExecutedRouteForHeavySteps, SendsNoStepThatIsKnownToTakeLess) {
  EXPECT_EQ(devices(compile()), 3u);
  EXPECT_THAT(actions_, IsEmpty());
}

class ExecutedRouteForOthers : public ExecutedRoute {
 protected:
  ExecutedRouteForOthers() : ExecutedRoute("&property=hipcache-toolchain:0123") {}
};

TEST_F(ExecutedRouteForOthers, SendsNothingToWorkersWithAnotherToolchain) {
  EXPECT_EQ(devices(compile()), 3u);
  EXPECT_THAT(actions_, IsEmpty());
  EXPECT_THAT(logged(), HasSubstr("which needs hipcache-toolchain="));
}

class ExecutedRouteWithToolchain : public ExecutedRoute {
 protected:
  ExecutedRouteWithToolchain() : ExecutedRoute("&property=hipcache-toolchain") {}
};

TEST_F(ExecutedRouteWithToolchain, AsksForWorkersWithTheStepsToolchain) {
  compile();
  ASSERT_THAT(actions_, SizeIs(2));
  ASSERT_THAT(actions_.front().platform, SizeIs(1));
  EXPECT_THAT(actions_.front().platform.front(), testing::StartsWith("hipcache-toolchain="));
  EXPECT_EQ(actions_.front().platform, actions_.back().platform) << "one for all processors";
}

class ExecutedRouteWithAudit : public ExecutedRoute {
 protected:
  ExecutedRouteWithAudit() : ExecutedRoute("&audit=1") {}
};

TEST_F(ExecutedRouteWithAudit, RunsHereAsWellWhatIsAudited) {
  EXPECT_EQ(devices(compile()), 3u);
  EXPECT_EQ(counted().executed.differences, 0u);
  EXPECT_TRUE(engine_.is_open());
}

TEST_F(ExecutedRouteWithAudit, AsksNoMoreAfterAWorkerMadeSomethingElse) {
  on("device gfx906", [](Ran& run) { run.replace(".out", "something else"); });
  compile();
  EXPECT_EQ(counted().executed.differences, 1u);
  EXPECT_FALSE(engine_.is_open());
}

// What the event log says.

class EventDirectory {
 protected:
  support::Scratch events_;
  const Result<OwnDirectory> directory_ = OwnDirectory::open_or_make(events_ / "events");
};

class ExecutedEvents : EventDirectory, public ExecutedRoute {
 protected:
  explicit ExecutedEvents(const std::string& options = "") : ExecutedRoute(options, &*directory_) {
    edit_ = [](auto&, protocol::RemoteExecuted& executed) {
      executed = {.id = executed.id,
                  .outcome = ExecuteOutcome::done,
                  .worker = "w1",
                  .queue_us = 1,
                  .staging_us = 2,
                  .execution_us = 3,
                  .bytes_sent = 4,
                  .bytes_received = 5};
    };
  }

  // What came of the device steps of the next compile, by the number of its kind.
  std::vector<events::AtEngine> compiled() {
    EXPECT_EQ(compile().finish().exit_code, 0);
    services_.event_log.flush();
    std::vector<events::AtEngine> sent;
    std::set<std::string> requests;
    const Result<events::ReadEvents> log = events::read_event_files(directory_->path());
    for (const events::Event& event : log->events)
      if (const auto* step = std::get_if<events::StepEvent>(&event); step != nullptr && step->kind == "device") {
        if (requests.insert(step->request).second) sent.clear();  // of the last request alone
        EXPECT_EQ(step->outcome, "run");
        if (step->engine.outcome.empty()) continue;
        EXPECT_EQ(step->engine.whole_us > 0, step->engine.outcome != "lost");
        sent.push_back(step->engine);
        sent.back().whole_us = 0;  // differs from run to run
      }
    return sent;
  }
};

TEST_F(ExecutedEvents, SayThatAResultWasTakenAndWhatItTook) {
  EXPECT_THAT(compiled(), AllOf(SizeIs(2), Each(events::AtEngine{.outcome = "won",
                                                                 .worker = "w1",
                                                                 .bytes_sent = 4,
                                                                 .bytes_received = 5,
                                                                 .queue_us = 1,
                                                                 .staging_us = 2,
                                                                 .execution_us = 3})));
}

TEST_F(ExecutedEvents, SayThatThisMachineWasFaster) {
  is_silent_ = true;
  EXPECT_THAT(compiled(), AllOf(SizeIs(2), Each(events::AtEngine{.outcome = "lost"})));
}

TEST_F(ExecutedEvents, SayWhyAResultIsNotProved) {
  write("optional.h", "#define OPTIONAL\n");
  const auto usual = edit_;
  edit_ = [usual](std::vector<Record>& records, protocol::RemoteExecuted& executed) {
    usual(records, executed);
    records.push_back({Kind::open_read, false, "optional.h"});
  };
  const std::vector<events::AtEngine> sent = compiled();
  ASSERT_THAT(sent, SizeIs(2));
  for (const events::AtEngine& one : sent) {
    EXPECT_EQ(one.outcome, "not-proved");
    EXPECT_EQ(one.reason, "absent-there");
    EXPECT_EQ(one.detail, in_work("optional.h"));
    EXPECT_EQ(one.execution_us, 3u);
  }
  EXPECT_EQ(counted().executed.paths, (std::map<std::string, std::uint64_t>{{in_work("optional.h"), 2}}));
}

TEST_F(ExecutedEvents, SayHowTheEngineFailed) {
  edit_ = [](auto&, protocol::RemoteExecuted& executed) {
    executed.outcome = ExecuteOutcome::expired;
    executed.detail = "no worker";
  };
  const std::vector<events::AtEngine> sent = compiled();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent.front().outcome, "failed");
  EXPECT_EQ(sent.front().reason, "no-worker-in-time");
  EXPECT_EQ(sent.front().detail, "no worker");
  EXPECT_THAT(counted().executed.paths, IsEmpty());
}

class AuditedEvents : public ExecutedEvents {
 protected:
  AuditedEvents() : ExecutedEvents("&audit=1") {}
};

TEST_F(AuditedEvents, SayThatTheStepWasMadeHereAsWell) {
  const std::vector<events::AtEngine> sent = compiled();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent.front().outcome, "audited");
}

}  // namespace
}  // namespace hipcache::daemon
