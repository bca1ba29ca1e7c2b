#include "store/recency.h"

#include <gtest/gtest.h>

namespace hipcache::store {
namespace {

TEST(Pins, HoldABlobUntilItsLastLeaseEnds) {
  const auto holds = std::make_shared<Pins>();
  const Digest blob = digest_of("blob");
  auto first = make_lease(holds);
  auto second = make_lease(holds);
  first->add(blob);
  first->add(blob);
  second->add(blob);
  first.reset();
  EXPECT_TRUE(holds->pins(blob));
  second.reset();
  EXPECT_FALSE(holds->pins(blob));
}

TEST(Pins, HoldNothingThatNoLeaseNamed) {
  const auto holds = std::make_shared<Pins>();
  const auto lease = make_lease(holds);
  lease->add(digest_of("blob"));
  EXPECT_FALSE(holds->pins(digest_of("other")));
}

}  // namespace
}  // namespace hipcache::store
