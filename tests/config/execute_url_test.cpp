// URLs of engines: what they mean, and what errors say of wrong ones.
#include "hipcache/config/execute_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipcache::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string error_of(const std::string& text) {
  const Result<ExecuteUrl> url = parse_execute_url(text);
  EXPECT_FALSE(url) << text;
  return url ? "" : url.error().message;
}

TEST(ExecuteUrls, HaveTheServersOptionsAndTheirOwn) {
  const std::string text =
      "grpcs://ada:word@engine.example:8980/main?connect_timeout=20ms&property=pool:gfx9,image:a%2Cb&ca_file=/etc/ca"
      "&trusted=true&min_cost=500ms&audit=0.25&property=empty:&client_certificate=/c&client_key=/k";
  const Result<ExecuteUrl> url = parse_execute_url(text);
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->text, text);
  EXPECT_EQ(url->server.kind, RemoteKind::grpc);
  EXPECT_TRUE(url->server.tls);
  EXPECT_EQ(url->server.host, "engine.example");
  EXPECT_EQ(url->server.port, 8980);
  EXPECT_EQ(url->server.path, "/main");
  EXPECT_EQ(url->server.password, "word");
  EXPECT_EQ(url->server.connect_timeout, 20ms);
  EXPECT_EQ(url->server.ca_file, "/etc/ca");
  EXPECT_EQ(url->server.client_key, "/k");
  EXPECT_THAT(url->properties, ElementsAre("pool=gfx9", "image=a,b", "empty="));
  EXPECT_TRUE(url->is_trusted);
  EXPECT_EQ(url->min_cost, 500ms);
  EXPECT_EQ(url->audit, 0.25);
}

TEST(ExecuteUrls, MayLeaveTheToolchainToEachStep) {
  const ExecuteUrl url = parse_execute_url("grpc://host/?property=pool:a,hipcache-toolchain").value();
  EXPECT_THAT(url.properties, ElementsAre("pool=a"));
  EXPECT_TRUE(url.sends_toolchain);
  const ExecuteUrl fixed = parse_execute_url("grpc://host/?property=hipcache-toolchain:12ab").value();
  EXPECT_THAT(fixed.properties, ElementsAre("hipcache-toolchain=12ab"));
  EXPECT_FALSE(fixed.sends_toolchain);
}

TEST(ExecuteUrls, NeedNoOptions) {
  const ExecuteUrl url = parse_execute_url("grpc://[::1]:8980").value();
  EXPECT_FALSE(url.server.tls);
  EXPECT_TRUE(url.properties.empty());
  EXPECT_FALSE(url.is_trusted);
  EXPECT_EQ(url.min_cost, 1s);
  EXPECT_EQ(url.audit, 0.01);
}

TEST(ExecuteUrls, AreShownWithTheirOptionsAndWithoutSecrets) {
  const ExecuteUrl url = parse_execute_url("grpc://host/?token=hidden&property=pool:a").value();
  EXPECT_EQ(url.server.shown, "grpc://host?token&property");
  EXPECT_EQ(url.server.token, "hidden");
}

TEST(ExecuteUrls, OfOtherServersAreNone) {
  EXPECT_EQ(error_of("http://host/"),
            "http://host: is no engine of remote execution such as grpcs://engine.example:8980/");
  EXPECT_THAT(error_of("host:8980"), HasSubstr("is not a URL"));
  EXPECT_THAT(error_of("grpc:///main"), HasSubstr("a host is missing"));
}

TEST(ExecuteUrls, RefuseOptionsThatTheyDoNotHave) {
  const std::string error = error_of("grpc://host/?token=hidden&mode=ro");
  EXPECT_THAT(error, HasSubstr("unknown option \"mode\"; the options are property, trusted, min_cost, audit, connect"));
  EXPECT_THAT(error, Not(HasSubstr("hidden")));
  for (const char* of_tiers : {"prefix=a", "max_bytes=1M", "region=a", "pool=gfx9"})
    EXPECT_THAT(error_of("grpc://host/?" + std::string(of_tiers)), HasSubstr("unknown option")) << of_tiers;
}

TEST(ExecuteUrls, SayWhatAValueShouldBe) {
  for (const char* wrong : {"pool", ":gfx9", "a b:c", "pool:a,b", "pool:%0a", "pool:%4"})
    EXPECT_THAT(error_of("grpc://host/?property=" + std::string(wrong)), HasSubstr("is no list of properties"))
        << wrong;
  std::string many = "a:1";
  for (int count = 0; count < 32; ++count) many += ",a:1";
  EXPECT_THAT(error_of("grpc://host/?property=" + many), HasSubstr("more than 32 properties"));
  EXPECT_THAT(error_of("grpc://host/?trusted=perhaps"), HasSubstr("trusted is not true or false"));
  EXPECT_THAT(error_of("grpc://host/?min_cost=0"), HasSubstr("min_cost is no time"));
  EXPECT_THAT(error_of("grpc://host/?audit=2"), HasSubstr("audit is no share"));
  EXPECT_THAT(error_of("grpc://host/?timeout=long"), HasSubstr("timeout is no time"));
  EXPECT_THAT(error_of("grpc://host/?token=a&token_file=/b"), HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace hipcache::config
