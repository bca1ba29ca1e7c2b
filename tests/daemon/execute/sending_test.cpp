// Which steps are sent to the engine, as --plan tells. It sends none.
#include "daemon/execute/action.h"

#include "daemon/execute/engine.h"
#include "daemon/serve/scripted_client.h"
#include "hipcache/config/execute_url.h"

namespace hipcache::daemon {
namespace {

using ::testing::HasSubstr;

// An engine that must not be sent anything.
class EngineThatIsLeftAlone {
 protected:
  explicit EngineThatIsLeftAlone(const std::string& options)
      : idle_(
            *config::parse_execute_url("grpc://engine.example:8980/" + options),
            [](const protocol::RemoteMessage&) {
              ADD_FAILURE() << "something is sent";
              return true;
            },
            log_) {}

  Log log_{"", Log::Level::info};
  Engine idle_;
};

class Sending : protected EngineThatIsLeftAlone, public RouteTest {
 protected:
  explicit Sending(const std::string& options = "") : EngineThatIsLeftAlone(options), RouteTest({.engine = &idle_}) {}

  // "sent", or why not.
  std::string place_of(const std::string& name) {
    for (const protocol::PlanStep& step : plan().steps)
      if (step.name == name) return step.is_sent ? "sent" : step.not_sent;
    return "no such step";
  }
};

TEST_F(Sending, IsForDeviceStepsThatAreNotStored) {
  EXPECT_EQ(place_of("device gfx906"), "sent");
  EXPECT_EQ(place_of("host"), "not a device step");
  EXPECT_EQ(plan().not_sent, "");
  compile();
  EXPECT_EQ(place_of("device gfx906"), "") << "it is stored";
  set("HIPCACHE_RECACHE", "1");
  EXPECT_THAT(place_of("device gfx906"), HasSubstr("less than min_cost")) << "it would run, and its time is known";
}

TEST_F(Sending, IsNotForACompileThatIsOneStep) {
  argv_ = {"clang++", "-c", "a.cpp", "-o", "a.o"};
  write("a.cpp", "int a;\n");
  const protocol::PlanReport report = plan();
  ASSERT_EQ(report.steps.size(), 1u);
  EXPECT_EQ(report.steps.front().not_sent, "not a device step");
}

TEST_F(Sending, WaitsUntilTheEngineIsAskedAgain) {
  for (int failure = 0; failure < Engine::kMostFailures; ++failure) idle_.note_failure("trouble");
  EXPECT_THAT(place_of("device gfx906"), HasSubstr("not asked now"));
}

TEST_F(Sending, IsNotForStepsThatAreExpectedToBeShort) {
  idle_.note_cost(300'000);
  EXPECT_EQ(place_of("device gfx906"), "expected to take 300 ms, less than min_cost (1000 ms)");
  EXPECT_TRUE(is_worth_sending(1'000'000, idle_.url()));
  EXPECT_TRUE(is_worth_sending(0, idle_.url())) << "nothing is known";
}

class SendingToOthers : public Sending {
 protected:
  SendingToOthers() : Sending("?property=hipcache-toolchain:0123") {}
};

TEST_F(SendingToOthers, IsNotForStepsOfAnotherToolchain) {
  EXPECT_THAT(place_of("device gfx906"), HasSubstr("which needs hipcache-toolchain="));
}

class SendingNowhere : public RouteTest {};

TEST_F(SendingNowhere, IsSaidIfTheUserWantsAnEngine) {
  EXPECT_EQ(plan().not_sent, "");
  set("HIPCACHE_EXECUTE", "grpc://engine.example:8980/");
  EXPECT_THAT(plan().not_sent, HasSubstr("the running daemon has no engine"));
}

}  // namespace
}  // namespace hipcache::daemon
