// Results of shared caches write to the request's own places only.
#include "hipcache/cache/exchange.h"

#include <gtest/gtest.h>

#include "hipcache/base/roots.h"

namespace hipcache::cache {
namespace {

std::string below(const char* mark, const std::string& name) {
  Roots roots;
  roots.add(mark, "/root");
  return roots.portable_path("/root/" + name);
}

TEST(RemotePlaces, AreTheRequestsDirectoryAndItsRoots) {
  for (const std::string& place :
       {std::string(), std::string("a.o"), std::string("objects/..a.o"), below(kBaseMark, "a.o"),
        below(kBuildMark, "objects/a.o"), below(kOuterBuildMark, "a.o")})
    EXPECT_TRUE(is_place_of_request(place)) << place;
}

TEST(RemotePlaces, AreNeverOutside) {
  for (const std::string& place :
       {std::string("/home/user/.profile"), std::string("../a.o"), std::string("objects/../../a.o"), std::string(".."),
        below(kBaseMark, "../a.o"), below(kToolchainMark, "bin/clang")})
    EXPECT_FALSE(is_place_of_request(place)) << place;
}

TEST(RemotePlaces, MakeAResultUselessIfOneIsOutside) {
  ActionResult result;
  result.outputs = {{.name = "object", .place = "a.o"}, {.name = "depfile", .place = "a.d"}};
  EXPECT_TRUE(names_only_places_of_request(result));
  result.outputs.back().place = "/etc/ld.so.preload";
  EXPECT_FALSE(names_only_places_of_request(result));
}

}  // namespace
}  // namespace hipcache::cache
