// What a request leaves in the event log and in the daemon's log. The explanations themselves are the explainer's.
#include "daemon/tell/request_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include "daemon/services_in_memory.h"
#include "hipcache/base/reason.h"
#include "hipcache/events/event_log.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using events::RequestEvent;
using events::StepEvent;
using stats::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RequestEventsTest : public testing::Test {
 protected:
  RequestEventsTest() {
    Result<OwnDirectory> opened = OwnDirectory::open_or_make(scratch_ / "events");
    EXPECT_TRUE(opened.ok());
    directory_.emplace(std::move(*opened));
    message_.argv = {"clang++", "-c", "a.cpp", "-oa.o"};
    message_.working_directory = "/build";
    request_.invocation.route = compiler::Route::is_opaque;
    request_.invocation.object = "a.o";
  }

  void make_services(const std::string& log = "") {
    made_.emplace(ServicesOptions{.log = log, .event_directory = &*directory_});
  }
  const Services& services() const { return made_->services; }

  std::vector<events::Event> written() const {
    services().event_log.flush();
    const Result<events::ReadEvents> read = events::read_event_files(directory_->path());
    EXPECT_TRUE(read.ok());
    return read->events;
  }
  RequestEvent request_written() const { return std::get<RequestEvent>(written().back()); }

  RequestContext context() { return context_of(channel_, request_, services(), *lease_, nullptr); }

  static StepState ended(const std::string& label) {
    StepSpec spec;
    spec.label = label;
    spec.key = {digest_of(label)};
    return StepState(std::move(spec));
  }
  static StepState found(const std::string& label, std::uint64_t saved_us) {
    StepState state = ended(label);
    state.take({.result = {.duration_us = saved_us}});
    return state;
  }
  static cache::HistoryStep history(const std::string& label) { return {.label = label, .key = {digest_of(label)}}; }

  support::Scratch scratch_;
  std::optional<OwnDirectory> directory_;
  protocol::CompileRequest message_;
  Request request_;
  protocol::Channel channel_{UniqueFd()};
  std::optional<ServicesInMemory<>> made_;
  std::unique_ptr<store::Lease> lease_ = support::MemoryStore().lease();
};

TEST_F(RequestEventsTest, WritesOneLineForAHitWithTheStepsThatItHad) {
  make_services();
  {
    RequestEvents events(message_, services());
    events.understood(request_);
    const cache::ActionResult result{.outputs = {{.name = "object", .size = 3}, {.name = "depfile", .size = 4}},
                                     .duration_us = 5,
                                     .steps = {"host"}};
    events.has_result(result, true);
    events.replied({.outcome = Outcome::hit});
    EXPECT_THAT(written(), IsEmpty()) << "before the request has ended";
  }
  ASSERT_EQ(written().size(), 1u);
  const RequestEvent event = request_written();
  EXPECT_EQ(event.outcome, "hit");
  EXPECT_EQ(event.kind, "compile");
  EXPECT_EQ(event.bytes, 7u);
  EXPECT_EQ(event.saved_us, 5u);
  EXPECT_THAT(event.steps, ElementsAre("host"));
  EXPECT_EQ(event.directory, "/build");
  EXPECT_NE(event.id, "");
}

TEST_F(RequestEventsTest, JoinsStepsToTheirRequestAndSaysWhyTheyRan) {
  make_services();
  {
    RequestEvents events(message_, services());
    events.understood(request_);
    events.step_runs(context(), history("device gfx906"), {});
    events.step_ended(ended("device gfx906"), StepClock(), true);
    events.step_ended(found("host", 6), StepClock(), true);
    events.step_ended(found("bundle", 7), StepClock(), true);
    events.replied({.outcome = Outcome::partial});
  }
  const std::vector<events::Event> all = written();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_THAT(std::get<StepEvent>(all[0]).why, ElementsAre("no compile of this output is stored"));
  EXPECT_THAT(std::get<StepEvent>(all[1]).why, IsEmpty());
  for (int step = 0; step < 3; ++step)
    EXPECT_EQ(std::get<StepEvent>(all[static_cast<std::size_t>(step)]).request, request_written().id);
  EXPECT_EQ(request_written().saved_us, 13u);
}

TEST_F(RequestEventsTest, CallsARequestWithoutAnAnswerAborted) {
  make_services();
  RequestEvents(message_, services()).understood(request_);
  EXPECT_EQ(request_written().outcome, "aborted");
}

TEST_F(RequestEventsTest, NamesTheFilesOfACommandThatIsNotUnderstood) {
  make_services();
  {
    RequestEvents events(message_, services());
    const compiler::Uncacheable why{Reason::not_a_compiler, "with -DTOKEN=secret"};
    events.replied({.outcome = Outcome::passthrough, .why = &why});
  }
  const RequestEvent event = request_written();
  EXPECT_EQ(event.object, "a.o");
  EXPECT_EQ(event.source, "a.cpp");
  EXPECT_EQ(event.kind, "");
  EXPECT_EQ(event.reason, "not-a-compiler");
  EXPECT_EQ(event.detail, "with -DTOKEN=...");
}

TEST_F(RequestEventsTest, ShowsNoValueOfABadSetting) {
  make_services();
  {
    RequestEvents events(message_, services());
    const compiler::Uncacheable why{Reason::bad_configuration, "HIPCACHE_JOBS: \"secret\" is not a number"};
    events.replied({.outcome = Outcome::passthrough, .why = &why});
  }
  EXPECT_EQ(request_written().detail, "HIPCACHE_JOBS");
}

TEST_F(RequestEventsTest, ExplainsBeforeTheRunIfThereIsALogForIt) {
  make_services(scratch_ / "log");
  RequestEvents events(message_, services());
  events.understood(request_);
  events.step_runs(context(), history("host"), {});
  EXPECT_THAT(support::read_bytes(scratch_ / "log"), HasSubstr("a.o: host runs: no compile of this output is stored"));
  events.replied({.outcome = Outcome::miss});
  EXPECT_THAT(support::read_bytes(scratch_ / "log"), HasSubstr("a.o: miss in "));
  const compiler::Uncacheable why{Reason::step_failed, "host"};
  events.replied({.outcome = Outcome::passthrough, .why = &why});
  EXPECT_THAT(support::read_bytes(scratch_ / "log"), HasSubstr("a.o: passed through: step-failed: host"));
  events.replied({.outcome = Outcome::aborted, .why = &why});
  EXPECT_THAT(support::read_bytes(scratch_ / "log"), HasSubstr("a.o: given up, the client is gone: step-failed"));
}

// Otherwise the log would compare with an older compile.
TEST_F(RequestEventsTest, WaitsInTheLogUntilTheCompileBeforeIsRecorded) {
  make_services(scratch_ / "log");
  RequestEvents events(message_, services());
  events.understood(request_);
  std::optional<PendingWrites::Mark> pending(context().mark_pending());
  std::promise<void> begun;
  std::future<void> explained = std::async(std::launch::async, [&] {
    begun.set_value();
    events.step_runs(context(), history("host"), {});
  });
  begun.get_future().wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that without the wait the test fails
  ASSERT_TRUE(services().miss_history.record({context().history}, {.object = "a.o", .steps = {history("host")}}).ok());
  pending.reset();
  explained.get();
  EXPECT_THAT(support::read_bytes(scratch_ / "log"), Not(HasSubstr("no compile of this output is stored")));
}

TEST(NamesTyped, AreTheWordAfterTheOptionAndTheFirstSource) {
  EXPECT_EQ(names_typed({"cc", "-c", "x/a.c", "b.cpp", "-o", "a.o"}).object, "a.o");
  EXPECT_EQ(names_typed({"cc", "-c", "x/a.c", "b.cpp", "-o", "a.o"}).source, "x/a.c");
  EXPECT_EQ(names_typed({"cc", "-ob.o", "-I.c", "k.hip"}).object, "b.o");
  EXPECT_EQ(names_typed({"cc", "-ob.o", "-I.c", "k.hip"}).source, "k.hip");
  EXPECT_EQ(names_typed({"a.c", "-o"}).object, "");
  EXPECT_EQ(names_typed({"a.c", "-o"}).source, "");
  EXPECT_EQ(names_typed({}).source, "");
}

}  // namespace
}  // namespace hipcache::daemon
