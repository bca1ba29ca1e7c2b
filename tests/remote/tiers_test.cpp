// Several shared caches as one.
#include "remote/tiers/tiers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "remote/support.h"
#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

class TiersTest : public testing::Test {
 protected:
  // The first one is asked first.
  Tiers tiers(const std::vector<std::string>& urls) {
    std::vector<std::unique_ptr<Tier>> made;
    for (const std::string& url : urls)
      made.push_back(std::make_unique<Tier>(
          *config::parse_remote_url(url), backend_at(url), [](bool, const std::string&) {}, trust_));
    return Tiers(std::move(made), trust_);
  }

  std::string url_of(const char* name) { return "file://" + scratch_.make_directory(name); }

  const std::shared_ptr<const Trust> trust_ = std::make_shared<const Trust>();
  const std::string large_ = noise(1u << 20);
  const Publication publication_{.key = digest_of("key"),
                                 .result_key = digest_of("result key"),
                                 .action = "action",
                                 .path_set = {digest_of("path set"), "questions", {}},
                                 .blobs = {{digest_of(large_), large_}}};
  support::Scratch scratch_;
};

TEST_F(TiersTest, WhatAnEarlierTierHasDamagedIsWrittenIntoItAgain) {
  const std::string near = url_of("near");
  const std::string far = url_of("far");
  Tiers both = tiers({near, far});
  ASSERT_EQ(both.publish(publication_), "");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_ / "near"))
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "damaged";

  EXPECT_TRUE(both.list(publication_.key, 0).value);
  EXPECT_TRUE(both.result(publication_.result_key).value);
  EXPECT_TRUE(both.blob(digest_of(large_), large_.size()).value);
  const std::unique_ptr<Backend> alone = backend_at(near);
  EXPECT_TRUE(support::comes_true([&] {
    return alone->list(publication_.key, kPatient).value && alone->result(publication_.result_key, kPatient).value &&
           alone->blob(digest_of(large_), large_.size(), kPatient).value;
  }));
}

TEST_F(TiersTest, OneForWhichNoTimeIsLeftIsNotAskedAndNotBlamed) {
  Tiers one = tiers({url_of("near")});
  ASSERT_EQ(one.publish(publication_), "");
  const Found<List> found = one.list(publication_.key, 0, Tiers::TimePoint());
  EXPECT_FALSE(found.value);
  EXPECT_TRUE(found.failed) << "it may have the value";
  EXPECT_EQ(one.statistics().front().state, "ok");
  EXPECT_EQ(one.statistics().front().errors, 0u);
}

TEST_F(TiersTest, OneThatFailedLastSaysWhy) {
  Tiers one = tiers({"file://" + (scratch_ / "typo/tier")});
  one.list(publication_.key, 0);
  EXPECT_EQ(one.statistics().front().state.substr(0, 28), "fails: there is no directory");
}

}  // namespace
}  // namespace hipcache::remote
