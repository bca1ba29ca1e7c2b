// The circuit breaker, with a clock of the test.
#include "remote/tiers/circuit.h"

#include <gtest/gtest.h>

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;

class CircuitBreaker : public testing::Test {
 protected:
  void fail(std::size_t times, const Failure& why = {Trouble::unreachable, "no answer", {}}) {
    for (std::size_t i = 0; i < times && circuit_.lets_through(); ++i) circuit_.failed(why);
  }

  Circuit::Clock::time_point now_ = Circuit::Clock::now();
  Circuit circuit_{[this] { return now_; }};
};

TEST_F(CircuitBreaker, OpensAfterFiveFailuresInTenSeconds) {
  fail(4);
  EXPECT_TRUE(circuit_.lets_through());
  circuit_.failed({});
  EXPECT_FALSE(circuit_.lets_through());
  EXPECT_NE(circuit_.state(), "ok");
}

TEST_F(CircuitBreaker, OpensAfterThreeFailuresThatTookTheirTimeLimit) {
  for (int i = 0; i < 2; ++i) circuit_.failed({}, true);
  EXPECT_TRUE(circuit_.lets_through());
  circuit_.succeeded();
  now_ += 20s;
  circuit_.failed({Trouble::unreachable, "no answer in time", {}}, true);
  EXPECT_FALSE(circuit_.lets_through()) << "what succeeded between them did not shorten the waits";
  EXPECT_EQ(circuit_.state(), "not asked for 60 s: 3 look-ups took their time limit; no answer in time");
  now_ += 59s;
  EXPECT_FALSE(circuit_.lets_through());
  now_ += 1s;
  EXPECT_TRUE(circuit_.lets_through());
  circuit_.failed({}, true);
  now_ += 119s;
  EXPECT_FALSE(circuit_.lets_through()) << "the next pause is longer";
}

TEST_F(CircuitBreaker, StaysClosedWhileSlowAnswersAreRare) {
  for (int i = 0; i < 10; ++i) {
    circuit_.failed({}, true);
    now_ += 31s;
  }
  EXPECT_TRUE(circuit_.lets_through());
}

TEST_F(CircuitBreaker, ForgetsFailuresThatAreOlder) {
  for (int i = 0; i < 20; ++i) {
    fail(1);
    now_ += 3s;
  }
  EXPECT_TRUE(circuit_.lets_through());
  EXPECT_EQ(circuit_.state(), "fails: no answer") << "it is asked, but did not answer";
  circuit_.succeeded();
  EXPECT_EQ(circuit_.state(), "ok");
}

TEST_F(CircuitBreaker, LetsOneTrialThroughAfterAPauseThatDoubles) {
  fail(5);
  for (auto pause = 5s; pause < 100s; pause *= 2) {
    now_ += pause - 1s;
    EXPECT_FALSE(circuit_.lets_through()) << pause.count();
    now_ += 1s;
    EXPECT_TRUE(circuit_.lets_through()) << pause.count();
    EXPECT_FALSE(circuit_.lets_through()) << "one trial";
    circuit_.failed({});
  }
  now_ += Circuit::kLongestPause;
  EXPECT_TRUE(circuit_.lets_through());
  circuit_.succeeded();
  EXPECT_TRUE(circuit_.lets_through());
  EXPECT_EQ(circuit_.state(), "ok");
}

TEST_F(CircuitBreaker, ObeysRetryAfterWithinItsLongestPause) {
  fail(1, {Trouble::throttled, "HTTP status 429", 60s});
  EXPECT_FALSE(circuit_.lets_through());
  now_ += 60s;
  EXPECT_TRUE(circuit_.lets_through());
  circuit_.failed({Trouble::throttled, "HTTP status 429", 100'000s});
  now_ += Circuit::kLongestPause;
  EXPECT_TRUE(circuit_.lets_through());
}

}  // namespace
}  // namespace hipcache::remote
