#include "daemon/server/control_service.h"

#include <gtest/gtest.h>

#include "support/memory_store.h"

namespace hipcache::daemon {
namespace {

class StatisticsOfADaemon : public testing::Test {
 protected:
  Log log_;
  support::MemoryStore store_;
};

TEST_F(StatisticsOfADaemon, GoOnWhereTheLastDaemonLeftThem) {
  {
    stats::Counters counters;
    PersistentCounters persistent(counters, store_, log_);
    counters.host(true);
    counters.device("gfx906", false);
    persistent.save_if_changed();
  }
  stats::Counters counters;
  const PersistentCounters persistent(counters, store_, log_);
  EXPECT_EQ(counters.snapshot().host.hit, 1u);
  EXPECT_EQ(counters.snapshot().device["gfx906"].run, 1u);
}

TEST_F(StatisticsOfADaemon, AreWrittenOnlyWhenSomethingWasCounted) {
  stats::Counters counters;
  PersistentCounters persistent(counters, store_, log_);
  persistent.save_if_changed();
  EXPECT_FALSE(store_.note("statistics")->has_value());
  counters.host(true);
  persistent.save_if_changed();
  EXPECT_TRUE(store_.note("statistics")->has_value());
}

TEST_F(StatisticsOfADaemon, StartAnewWhereTheNoteIsDamaged) {
  ASSERT_TRUE(store_.put_note("statistics", "{\"compile_requests\": \"many\"}").ok());
  stats::Counters counters;
  const PersistentCounters persistent(counters, store_, log_);
  EXPECT_EQ(counters.snapshot().compile_requests, 0u);
}

}  // namespace
}  // namespace hipcache::daemon
