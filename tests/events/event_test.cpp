#include "hipcache/events/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hipcache::events {
namespace {

using testing::HasSubstr;
using testing::Not;

RequestEvent request() {
  return {.id = "5-1",
          .start_us = 1'700'000'000'000'001,
          .duration_us = 2,
          .outcome = "partial",
          .kind = "hip",
          .object = "a.o",
          .source = "a.hip",
          .directory = "/build",
          .archs = {"gfx906", "gfx90a:xnack+"},
          .exit_code = -1,
          .bytes = 3,
          .saved_us = 4,
          .steps = {"gfx906", "host"},
          .reason = "step-failed",
          .detail = "host"};
}

StepEvent step() {
  return {.request = "5-1",
          .start_us = 6,
          .duration_us = 7,
          .outcome = "run",
          .kind = "device",
          .label = "device gfx906",
          .arch = "gfx906",
          .bytes = 8,
          .saved_us = 9,
          .header_saved_us = 7,
          .has_waited = true,
          .why = {"content ./a.h", "b"},
          .more = 10,
          .is_gone = true,
          .not_stored = "trace",
          .engine = {.outcome = "not-proved",
                     .reason = "absent-there",
                     .detail = "/usr/include/a.h",
                     .worker = "w",
                     .bytes_sent = 11,
                     .bytes_received = 12,
                     .whole_us = 16,
                     .queue_us = 13,
                     .staging_us = 14,
                     .execution_us = 15}};
}

template <typename Kind>
Kind read_back(const Kind& event) {
  const Result<Event> read = from_line(to_line(event));
  EXPECT_TRUE(read.ok()) << to_line(event);
  return read ? std::get<Kind>(*read) : Kind();
}

TEST(Event, IsReadBackFromItsLine) {
  EXPECT_EQ(read_back(request()), request());
  EXPECT_EQ(read_back(step()), step());
  EXPECT_EQ(read_back(RequestEvent()), RequestEvent());
  const EvictionEvent eviction{.time_us = 1, .values = 2, .bytes = 3, .max_size = 4};
  EXPECT_EQ(read_back(eviction), eviction);
  EXPECT_EQ(read_back(ZeroEvent{5}), ZeroEvent{5});
}

TEST(Event, IsOneLineOfJsonWhateverItsNamesHold) {
  RequestEvent event = request();
  event.object = "a\n\"b\\\x01\xff.o";
  const std::string line = to_line(event);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  EXPECT_EQ(read_back(event).object, "a\n\"b\\\x01\xef\xbf\xbd.o");
}

TEST(Event, LeavesEmptyFieldsOut) { EXPECT_EQ(to_line(ZeroEvent{}), "{\"v\":1,\"event\":\"zero\"}\n"); }

TEST(Event, HasABoundedLine) {
  RequestEvent event = request();
  event.object.assign(3 * kMostText, 'o');
  event.archs.assign(3 * kMostListed, "gfx906");
  EXPECT_EQ(read_back(event).object.size(), kMostText);
  EXPECT_EQ(read_back(event).archs.size(), kMostListed);
}

TEST(Event, IsRefusedIfItsLineIsDamaged) {
  const std::string line = to_line(request());
  for (std::size_t length = 0; length + 2 < line.size(); ++length)
    EXPECT_FALSE(from_line(line.substr(0, length)).ok()) << length;
  for (const char* damaged :
       {"", "1", "[]", "{}", R"({"v":1})", R"({"v":2,"event":"zero"})", R"({"v":1,"event":"other"})",
        R"({"v":1,"event":1})", R"({"v":1,"event":"step","duration_us":"long"})",
        R"({"v":1,"event":"step","duration_us":-1})", R"({"v":1,"event":"request","archs":"gfx906"})",
        R"({"v":1,"event":"request","archs":[1]})", R"({"v":1,"event":"request","object":null})"})
    EXPECT_FALSE(from_line(damaged).ok()) << damaged;
}

TEST(Event, IsReadWithFieldsOfALaterVersionBesideItsOwn) {
  EXPECT_TRUE(from_line(R"({"v":1,"event":"zero","time_us":1,"further":{"a":1}})").ok());
}

TEST(MacroValues, AreLeftOut) {
  EXPECT_EQ(without_macro_values("argument -DTOKEN=secret only now"), "argument -DTOKEN=...");
  EXPECT_EQ(without_macro_values("-O2 -DA=a b -O1"), "-O2 -DA=... -O1");
  EXPECT_EQ(without_macro_values("-D A=secret"), "-D A=...");
  EXPECT_EQ(without_macro_values("-DF(x)=secret"), "-DF(x)=...");
  EXPECT_EQ(without_macro_values("-Wp,-DA=secret"), "-Wp,-DA=...");
  EXPECT_EQ(without_macro_values("--define-macro=A=secret --define-macro B=secret"),
            "--define-macro=A=... --define-macro B=...");
  EXPECT_EQ(without_macro_values("\"-DA=secret\""), "\"-DA=...");
}

TEST(MacroValues, AreLeftOutOfArgumentsWithoutTheirOption) {
  EXPECT_EQ(without_values("TOKEN=secret"), "TOKEN=...");
  EXPECT_EQ(without_values("F(x)=secret more -O2 B=secret"), "F(x)=... -O2 B=...");
  EXPECT_EQ(without_values("-DA=secret -std=c++20 -I/a=b ./x=y"), "-DA=... -std=c++20 -I/a=b ./x=y");
}

TEST(MacroValues, AreNotSeenInOtherTexts) {
  for (const char* text : {"", "-D", "-DNDEBUG", "-DF(", "-DA(x", "content ./a-D=b.h (digest 1, was 2)", "my-DA=b",
                           "-fmacro-prefix-map=/a=/b"})
    EXPECT_EQ(without_macro_values(text), text);
}

}  // namespace
}  // namespace hipcache::events
