#include "hipcache/config/values.h"

#include <gtest/gtest.h>

namespace hipcache::config {
namespace {

using std::chrono::seconds;

TEST(Values, SizesAreDecimalUnlessTheUnitSaysBinary) {
  EXPECT_EQ(parse_size("20G").value(), 20'000'000'000u);
  EXPECT_EQ(parse_size("20GB").value(), 20'000'000'000u);
  EXPECT_EQ(parse_size("20Gi").value(), 21'474'836'480u);
  EXPECT_EQ(parse_size("1.5 GiB").value(), 1'610'612'736u);
  EXPECT_EQ(parse_size("500m").value(), 500'000'000u);
  EXPECT_EQ(parse_size("1k").value(), 1'000u);
  EXPECT_EQ(parse_size("2T").value(), 2'000'000'000'000u);
  EXPECT_EQ(parse_size("123").value(), 123u);
  EXPECT_EQ(parse_size("0").value(), 0u);
}

TEST(Values, WhatIsNoSizeIsNamedWithExamples) {
  for (const char* text : {"", "G", "lots", "-1", "10X", "10GG", "1e30", "nan", "inf", "99999999T", "20 G B", "1,5G"}) {
    const Result<std::uint64_t> size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().message, "\"" + std::string(text) + "\" is not a size such as 500M, 20G, 1.5GiB or 0");
  }
}

TEST(Values, SizesAreShownAsTheyCouldBeTyped) {
  for (const std::uint64_t size : {0ull, 1ull, 1000ull, 1024ull, 20'000'000'000ull, 1'500'000ull})
    EXPECT_EQ(parse_size(format_size(size)).value(), size);
  EXPECT_EQ(format_size(20'000'000'000), "20G");
}

TEST(Values, DurationsAreSecondsUnlessAUnitSaysOtherwise) {
  EXPECT_EQ(parse_duration("600").value(), seconds(600));
  EXPECT_EQ(parse_duration("90s").value(), seconds(90));
  EXPECT_EQ(parse_duration("10m").value(), seconds(600));
  EXPECT_EQ(parse_duration("2h").value(), seconds(7200));
  EXPECT_EQ(parse_duration("1d").value(), seconds(86400));
  for (const char* text : {"", "m", "-1", "10 years", "1e99"}) EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Values, BooleansAreTheFourCommonPairsInAnyCase) {
  for (const char* text : {"1", "true", "YES", "On"}) EXPECT_TRUE(parse_boolean(text).value()) << text;
  for (const char* text : {"0", "False", "no", "OFF"}) EXPECT_FALSE(parse_boolean(text).value()) << text;
  for (const char* text : {"", "2", "maybe", "truefalse"}) EXPECT_FALSE(parse_boolean(text)) << text;
}

TEST(Values, CountsAreWholeNumbers) {
  EXPECT_EQ(parse_count("16").value(), 16u);
  for (const char* text : {"", "-1", "1.5", "four", "99999999999"}) EXPECT_FALSE(parse_count(text)) << text;
}

TEST(Values, SharesAreFromNothingToAll) {
  EXPECT_EQ(parse_share("0").value(), 0);
  EXPECT_EQ(parse_share(" 0.01 ").value(), 0.01);
  EXPECT_EQ(parse_share("1e-4").value(), 0.0001);
  EXPECT_EQ(parse_share("1").value(), 1);
  for (const char* text : {"", "-0.1", "1.01", "500", "1 %", "nan", "inf", "half", "0,01"}) {
    const Result<double> share = parse_share(text);
    ASSERT_FALSE(share) << text;
    EXPECT_EQ(share.error().message,
              "\"" + std::string(text) + "\" is not a share from 0 to 1 such as 0.01, or \"auto\"");
  }
  for (const double share : {0.0, 0.002, 0.01, 1.0}) EXPECT_EQ(parse_share(format_share(share)).value(), share);
}

TEST(Values, ListsAreSeparatedByCommasOrBlanks) {
  EXPECT_EQ(parse_list("a, b  c,,d"), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_TRUE(parse_list(" , ").empty());
  EXPECT_EQ(format_list({"a", "b"}), "a,b");
}

}  // namespace
}  // namespace hipcache::config
