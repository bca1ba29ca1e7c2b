// Which proxy leads to a server: the rules of curl, for all kinds of servers.
#include "remote/transport/proxy.h"

#include <gtest/gtest.h>

#include <map>

namespace hipcache::remote {
namespace {

using Values = std::map<std::string, std::string>;

std::string proxy(const std::string& host, const Values& values, bool is_tls = false) {
  return proxy_for(is_tls, host, [&](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
  });
}

TEST(Proxies, AreThoseOfTheScheme) {
  const Values both{{"http_proxy", "http://a"}, {"HTTPS_PROXY", "http://b"}};
  EXPECT_EQ(proxy("host", both), "http://a");
  EXPECT_EQ(proxy("host", both, true), "http://b");
  EXPECT_EQ(proxy("host", {{"HTTP_PROXY", "http://a"}}), "") << "a header of CGI, in capitals";
  EXPECT_EQ(proxy("host", {{"ALL_PROXY", "http://c"}}, true), "http://c");
}

TEST(Proxies, AreLeftOutForHostsOfNoProxyInEitherSpelling) {
  for (const char* name : {"no_proxy", "NO_PROXY"})
    for (const char* list : {"*", "cache.example", ".example", "example", "other, cache.example", "EXAMPLE."})
      EXPECT_EQ(proxy("cache.example", {{"http_proxy", "http://a"}, {name, list}}), "") << name << "=" << list;
  for (const char* list : {"ample", "a.cache.example", "10.0.0.0/8"})
    EXPECT_NE(proxy("cache.example", {{"http_proxy", "http://a"}, {"no_proxy", list}}), "") << list;
}

TEST(Proxies, AreLeftOutForAddressesOfANetwork) {
  EXPECT_TRUE(is_without_proxy("127.0.0.0/8", "127.0.0.1"));
  EXPECT_TRUE(is_without_proxy("10.0.0.0/8 127.0.0.1", "127.0.0.1"));
  EXPECT_TRUE(is_without_proxy("fd00::/8,[::1]", "::1"));
  EXPECT_TRUE(is_without_proxy("fd00::/8", "fd12::1"));
  EXPECT_FALSE(is_without_proxy("127.0.0.0/8", "128.0.0.1"));
  EXPECT_FALSE(is_without_proxy("127.0.0.0/x,127.0.0.0/99", "127.0.0.1"));
}

}  // namespace
}  // namespace hipcache::remote
