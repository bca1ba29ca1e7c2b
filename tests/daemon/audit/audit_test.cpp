// The parts of an audit: what is drawn, what is counted, and what is kept.
#include "daemon/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "daemon/request/request_context.h"
#include "daemon/services_in_memory.h"
#include "hipcache/protocol/channel.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using testing::IsEmpty;

std::string drawn(std::uint64_t seed, double share, int draws) {
  AuditDraw draw(seed);
  std::string text;
  for (int i = 0; i < draws; ++i) text += draw.draw(share) ? '1' : '0';
  return text;
}

TEST(AuditDraw, DrawsNothingAllOrTheShare) {
  EXPECT_EQ(drawn(1, 0, 20), std::string(20, '0'));
  EXPECT_EQ(drawn(1, 1, 20), std::string(20, '1'));
  const std::string some = drawn(1, 0.1, 10'000);
  EXPECT_NEAR(std::count(some.begin(), some.end(), '1'), 1'000, 150);
}

TEST(AuditDraw, RepeatsASeed) {
  EXPECT_EQ(drawn(7, 0.5, 100), drawn(7, 0.5, 100));
  EXPECT_NE(drawn(7, 0.5, 100), drawn(8, 0.5, 100));
}

OwnDirectory opened(const std::string& path) {
  Result<OwnDirectory> directory = OwnDirectory::open(path);
  EXPECT_TRUE(directory);
  return std::move(*directory);
}

class AuditEvidenceTest : public testing::Test {
 protected:
  std::vector<std::string> kept() const {
    const Result<std::vector<std::string>> names = list_directory(scratch_ / "audit");
    return names ? *names : std::vector<std::string>();
  }

  support::Scratch scratch_;
  const OwnDirectory parent_ = opened(scratch_.path());
};

TEST_F(AuditEvidenceTest, KeepsBothSidesWithAReport) {
  AuditEvidence evidence(&parent_);
  const std::string path = *evidence.keep(digest_of("key"), "report\n", {{"one", "two"}, {std::nullopt, "new"}});
  EXPECT_EQ(support::read_bytes(path + "/report"), "report\n");
  EXPECT_EQ(support::read_bytes(path + "/0-stored"), "one");
  EXPECT_EQ(support::read_bytes(path + "/0-made"), "two");
  EXPECT_FALSE(support::exists(path + "/1-stored"));
  EXPECT_EQ(support::read_bytes(path + "/1-made"), "new");
}

TEST_F(AuditEvidenceTest, KeepsTheNewestAndOnlySoMany) {
  AuditEvidence evidence(&parent_);
  std::string last;
  for (std::size_t i = 0; i < AuditEvidence::kMostDirectories + 3; ++i)
    last = *evidence.keep(digest_of(std::to_string(i)), "", {});
  EXPECT_EQ(kept().size(), AuditEvidence::kMostDirectories);
  EXPECT_EQ(scratch_ / "audit/" + kept().back(), last);
  EXPECT_EQ(kept().front().substr(26), digest_of("3").shown());
}

TEST_F(AuditEvidenceTest, LeavesOutWhatHasNoRoom) {
  AuditEvidence evidence(&parent_);
  const std::string large(AuditEvidence::kMostBytes / 2 + 1, 'x');
  const std::string path = *evidence.keep(digest_of("key"), "report\n", {{large, large}, {"one", "two"}});
  EXPECT_TRUE(support::exists(path + "/0-stored"));
  EXPECT_FALSE(support::exists(path + "/0-made"));
  EXPECT_EQ(support::read_bytes(path + "/1-made"), "two");
}

TEST_F(AuditEvidenceTest, FollowsNoLink) {
  const support::Scratch elsewhere;
  scratch_.link("audit", elsewhere.path());
  AuditEvidence evidence(&parent_);
  EXPECT_FALSE(evidence.keep(digest_of("key"), "report\n", {}));
  EXPECT_THAT(*list_directory(elsewhere.path()), IsEmpty());
}

class AuditTest : public testing::Test {
 protected:
  AuditTest() { request_.settings.audit = 1; }

  // "hits/differences/void/skipped"
  std::string counts() const {
    const stats::AuditedHits audited = services_.counters.snapshot().audited_hits;
    return std::to_string(audited.hits) + "/" + std::to_string(audited.differences) + "/" +
           std::to_string(audited.void_audits) + "/" + std::to_string(audited.skipped);
  }

  // How many of those requests take their hit by tokens.
  int taken(int requests) {
    int taken = 0;
    for (int i = 0; i < requests; ++i) taken += Audit(request_, services_).takes_hit(by_tokens_) ? 1 : 0;
    return taken;
  }

  const ServicesInMemory<> made_;
  const Services& services_ = made_.services;
  Request request_;
  const cache::Hit hit_{};
  const cache::Hit by_tokens_{.result = {}, .path_set = nullptr, .state = {}, .overlooked = digest_of("other bytes")};
};

TEST_F(AuditTest, IsOffUnlessItIsSet) {
  for (const std::optional<double> share : {std::optional<double>(), std::optional<double>(0)}) {
    request_.settings.audit = share;
    Audit audit(request_, services_);
    EXPECT_FALSE(audit.is_on() || audit.takes_hit(hit_));
  }
  request_.settings.audit = 1;
  request_.settings.recache = true;
  EXPECT_FALSE(Audit(request_, services_).is_on());
  EXPECT_EQ(counts(), "0/0/0/0");
}

TEST_F(AuditTest, CountsNothingWithoutAHit) {
  {
    EXPECT_TRUE(Audit(request_, services_).is_on());
  }
  EXPECT_EQ(counts(), "0/0/0/0");
}

TEST_F(AuditTest, IsVoidIfNothingWasCompared) {
  {
    EXPECT_TRUE(Audit(request_, services_).takes_hit(hit_));
  }
  EXPECT_EQ(counts(), "0/0/1/0");
}

TEST_F(AuditTest, LeavesTheSlotsOfABusyMachineToMisses) {
  ASSERT_TRUE(services_.job_slots.start(true, {}));
  {
    Audit audit(request_, services_);
    EXPECT_FALSE(audit.is_on() || audit.takes_hit(hit_));
  }
  EXPECT_EQ(counts(), "0/0/0/1");
  services_.job_slots.finish(0, 0);
  EXPECT_TRUE(Audit(request_, services_).is_on());
}

TEST_F(AuditTest, DrawsAShareOfTheHitsByTokensByItself) {
  request_.settings.audit.reset();
  ASSERT_TRUE(by_tokens_.is_by_tokens());
  EXPECT_NEAR(taken(20'000), 100, 40);
  const stats::Snapshot counted = services_.counters.snapshot();
  EXPECT_EQ(counted.token_hits.served + counted.audited_hits.void_audits, 20'000u) << "each is served or made again";
}

TEST_F(AuditTest, LeavesHitsByTokensToTheUsersOwnShare) {
  request_.settings.audit = 0;
  EXPECT_EQ(taken(2'000), 0);
  request_.settings.audit = 1;
  EXPECT_EQ(taken(10), 10);
  EXPECT_EQ(services_.counters.snapshot().token_hits.served, 2'000u);
}

TEST_F(AuditTest, MakesAllStepsOfADrawnRequestAgainAndElseTheDrawnStepAlone) {
  request_.settings.audit.reset();
  bool has_taken_request = false, has_taken_step = false;
  for (int i = 0; i < 5'000 && !(has_taken_request && has_taken_step); ++i) {
    Audit of_request(request_, services_);
    if (of_request.takes_request(by_tokens_)) {
      has_taken_request = true;
      EXPECT_TRUE(of_request.is_on() && of_request.takes_hit(by_tokens_) && of_request.takes_hit(hit_));
      EXPECT_TRUE(of_request.request_hit());
    }
    Audit of_step(request_, services_);
    if (of_step.takes_hit(by_tokens_)) {
      has_taken_step = true;
      EXPECT_FALSE(of_step.is_on() || of_step.takes_hit(hit_));
    }
  }
  EXPECT_TRUE(has_taken_request && has_taken_step);
}

TEST_F(AuditTest, ServesADrawnHitByTokensIfNoSlotIsFree) {
  request_.settings.audit.reset();
  ASSERT_TRUE(services_.job_slots.start(true, {}));
  EXPECT_EQ(taken(2'000), 0);
  services_.job_slots.finish(0, 0);
  const stats::Snapshot counted = services_.counters.snapshot();
  EXPECT_EQ(counted.token_hits.served, 2'000u);
  EXPECT_GT(counted.audited_hits.skipped, 0u);
}

TEST_F(AuditTest, EndsAllHitsByTokensOfTheDaemonIfOneIsFoundWrong) {
  request_.invocation.argv = {"clang++"};
  protocol::Channel channel{UniqueFd()};
  const auto lease = services_.store.lease();
  const RequestContext context = context_of(channel, request_, services_, *lease, nullptr);
  const auto set = std::make_shared<const inputs::PathSet>(std::vector<inputs::Observation>());
  const auto finds_equal = [&](const std::string& made, const std::optional<Digest>& overlooked) {
    const cache::Hit stored{.result = {.stdout_text = "stored"},
                            .path_set = set,
                            .state = services_.file_system.state(*set, request_.from),
                            .overlooked = overlooked};
    return Audit(request_, services_)
        .compare({.what = "a.o: host", .key = {digest_of("key")}, .stored = stored}, {.stdout_text = made}, 0, context);
  };
  EXPECT_TRUE(finds_equal("stored", digest_of("other bytes")));
  EXPECT_FALSE(finds_equal("another", std::nullopt));
  EXPECT_FALSE(services_.token_hits.are_off()) << "a wrong hit of the same bytes says nothing about them";
  EXPECT_FALSE(finds_equal("another", digest_of("other bytes")));
  EXPECT_TRUE(services_.token_hits.are_off());
  EXPECT_EQ(services_.token_hits.why_off(), "a.o: host");
}

}  // namespace
}  // namespace hipcache::daemon
