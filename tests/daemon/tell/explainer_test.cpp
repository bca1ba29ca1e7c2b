#include "daemon/tell/explainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/request/keys.h"
#include "daemon/services_in_memory.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using cache::HistoryStep;
using inputs::PathSet;
using inputs::Question;
using inputs::Witnessed;
using protocol::Differs;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A request whose one step, "host", reads a.h and asks for CPATH.
class ExplainerTest : public testing::Test {
 protected:
  ExplainerTest() {
    request_.compiler = "/usr/bin/clang++";
    request_.invocation.argv = request_.invocation.without_archs = {"clang++", "-O2"};
    request_.invocation.object = "a.o";
    request_.from.working_directory = scratch_.path();
    scratch_.write("a.h", "A");
  }

  PathSet set() const {
    std::vector<inputs::Observation> asked{
        {Question::content, "a.h"}, {Question::presence, "b.h"}, {Question::variable, "CPATH"}};
    if (shows_cuid_) asked.push_back({Question::cuid, ""});
    return PathSet(std::move(asked));
  }

  static HistoryStep host(const std::string& argument = "-O2") {
    return {.label = "host", .key = {digest_of(argument)}, .arguments = {{"-cc1", argument}}};
  }

  // As if the request had been compiled just now.
  void compile(HistoryStep step) {
    const Witnessed seen{std::make_shared<const PathSet>(set()), services_.file_system.state(set(), request_.from)};
    const Result<cache::Observed> observed = services_.actions.record_union(
        step.key, services_.actions.examine({seen}, cache::Whole::step, request_.from), {});
    ASSERT_TRUE(observed) << observed.error().message;
    step.set = step.refusal.empty() ? set().id() : Digest{};
    const Status kept = services_.miss_history.record(
        {output_key(request_)},
        {.object = "/a.o", .request = history_request(request_), .steps = {step}, .observed = *observed});
    ASSERT_TRUE(kept) << kept.error().message;
  }

  std::vector<std::string> why(const HistoryStep& step = host()) const {
    return lines(Explainer(context()).why(step, {"bundle"}));
  }
  static std::vector<std::string> lines(const Differences& differences) {
    std::vector<std::string> all;
    for (const protocol::Difference& difference : differences) all.push_back(protocol::describe(difference));
    return all;
  }
  static std::string digits(const std::string& bytes) { return digest_of(bytes).shown(); }

  RequestContext context() const { return context_of(channel_, request_, services_, *lease_, nullptr); }

  support::Scratch scratch_;
  ServicesInMemory<> made_{{.log = scratch_ / "log"}};
  const Services& services_ = made_.services;
  const std::unique_ptr<store::Lease> lease_ = services_.store.lease();
  mutable protocol::Channel channel_{UniqueFd()};  // explaining sends nothing
  Request request_;
  bool shows_cuid_ = false;
};

TEST_F(ExplainerTest, SaysThatNothingIsStored) {
  EXPECT_THAT(why(), ElementsAre("no compile of this output is stored"));
  EXPECT_EQ(Explainer(context()).compared(), 0u);
}

TEST_F(ExplainerTest, NamesWhatTheWorldAnswersOtherwise) {
  compile(host());
  scratch_.write("a.h", "B");
  scratch_.write("b.h", "");
  request_.from.environment = {"CPATH=/include"};
  EXPECT_THAT(why(), ElementsAre("variable CPATH is set now", "b.h appeared",
                                 "content a.h (digest " + digits("B") + ", was " + digits("A") + ")"));
}

TEST_F(ExplainerTest, SaysThatAResultIsGoneWhereNothingDiffers) {
  compile(host());
  EXPECT_THAT(why(), ElementsAre(HasSubstr("not stored any more")));
}

TEST_F(ExplainerTest, NamesArgumentsAndInputsOfAnotherKey) {
  HistoryStep then = host();
  then.inputs = {digest_of("then")};
  compile(then);
  HistoryStep now = host("-O3");
  now.inputs = {digest_of("now")};
  EXPECT_THAT(why(now), ElementsAre("argument -O3 only now", "argument -O2 only then",
                                    "what bundle made (digest " + digits("now") + ", was " + digits("then") + ")"));
}

TEST_F(ExplainerTest, SaysOfAnUnknownStepWhatItIs) {
  compile(host());
  EXPECT_THAT(why({.label = "device gfx90a"}), ElementsAre("no compile for this architecture is stored"));
  EXPECT_THAT(why({.label = "bundle"}), ElementsAre("no compile for this step is stored"));
}

TEST_F(ExplainerTest, NamesAnArgumentAsTheReasonWhereTheCuidOfAResultDiffers) {
  shows_cuid_ = true;
  request_.from.cuid = "1";
  compile(host());
  request_.from.cuid = "2";
  EXPECT_THAT(why(), ElementsAre("the CUID differs and may show in what the step made"));
  request_.invocation.without_archs = {"clang++", "-O3"};
  EXPECT_THAT(why(host("-O3")), ElementsAre("argument -O3 only now", "argument -O2 only then"));
  EXPECT_THAT(why(), ElementsAre("the CUID, which is made of the request's arguments, differs and shows in what it "
                                 "made"))
      << "the step's own arguments are the same";
}

TEST_F(ExplainerTest, SaysWhyAStepWasNotStored) {
  HistoryStep refused = host();
  refused.refusal = "clock";
  refused.detail = "a.h";
  compile(refused);
  EXPECT_THAT(why(), ElementsAre("was not stored: clock: a.h"));
  HistoryStep without_key = host();
  without_key.key = {};
  EXPECT_THAT(why(without_key), ElementsAre("was not stored: clock: a.h"));
}

TEST_F(ExplainerTest, SaysNothingOfAStepThatDependsOnItsInputsAlone) {
  compile(host());
  HistoryStep without_key = host();
  without_key.key = {};
  EXPECT_THAT(why(without_key), IsEmpty());
}

TEST_F(ExplainerTest, HoldsARequestAgainstTheNearestCompile) {
  scratch_.write("a.h", "1");
  compile(host());
  request_.invocation.without_archs = {"clang++", "-O2", "-g", "-x"};
  scratch_.write("a.h", "2");
  compile(host("-g"));
  request_.invocation.without_archs = {"clang++", "-O2"};
  scratch_.write("a.h", "3");
  const Explainer explainer(context());
  EXPECT_EQ(explainer.compared(), 2u);
  EXPECT_THAT(explainer.request_differences(), IsEmpty());
  EXPECT_THAT(lines(explainer.input_differences()),
              ElementsAre("content a.h (digest " + digits("3") + ", was " + digits("1") + ")"));
}

TEST_F(ExplainerTest, HoldsAStepAgainstACompileWithItsKeyFirst) {
  compile(host("-O3"));
  scratch_.write("a.h", "B");
  compile(host("-O2"));
  EXPECT_THAT(why(host("-O3")), ElementsAre("content a.h (digest " + digits("B") + ", was " + digits("A") + ")"));
}

TEST_F(ExplainerTest, ConcealsArgumentsThatTheDriverMadeWhereAVariableDiffers) {
  compile(host());
  request_.from.environment = {"CPATH=/secret"};
  EXPECT_THAT(why(host("-I/secret")), ElementsAre("argument -O2 only then", "arguments that the driver made differ",
                                                  "variable CPATH is set now"));
}

TEST_F(ExplainerTest, SaysNoMoreOfAStepWhosePathSetIsLostThanOfAll) {
  compile(host());
  scratch_.write("a.h", "B");
  made_.store.actions.erase(host().key.value);
  EXPECT_THAT(why(), ElementsAre(HasSubstr("content a.h")));
}

// As the list of an opaque compile whose source was edited.
TEST_F(ExplainerTest, KnowsTheQuestionsOfARequestsOnlyStepThoughItsListIsNotFound) {
  compile(host());
  made_.store.actions.erase(host().key.value);
  const auto earlier = Explainer(context()).earlier_set(host());
  ASSERT_NE(earlier, nullptr);
  EXPECT_EQ(earlier->id(), set().id());
}

TEST_F(ExplainerTest, SaysThatStoredResultsAreNotToBeUsed) {
  compile(host());
  request_.settings.recache = true;
  EXPECT_THAT(why(), ElementsAre(HasSubstr("HIPCACHE_RECACHE")));
}

TEST_F(ExplainerTest, SaysThatHitsByTokensAreOff) {
  compile(host());
  EXPECT_THAT(why(), ElementsAre(HasSubstr("not stored any more")));
  services_.token_hits.switch_off("a.o: host");
  EXPECT_THAT(why(), ElementsAre(HasSubstr("an audit found such a hit wrong")));
}

TEST_F(ExplainerTest, NamesFilesOfAnotherCheckoutAsTheyAreCalledHere) {
  const std::string one = scratch_.make_directory("one");
  const std::string two = scratch_.make_directory("two");
  const auto in = [&](const std::string& checkout) {
    request_.from.working_directory = checkout;
    request_.from.roots = Roots(checkout);
  };
  in(one);
  scratch_.write("one/a.h", "A");
  const PathSet portable({{Question::content, request_.from.roots.portable_path(one + "/a.h")}});
  const Witnessed seen{std::make_shared<const PathSet>(portable), services_.file_system.state(portable, request_.from)};
  const auto observed = services_.actions.record_union(
      host().key, services_.actions.examine({seen}, cache::Whole::step, request_.from), {});
  HistoryStep step = host();
  step.set = portable.id();
  ASSERT_TRUE(services_.miss_history.record(
      {output_key(request_)}, {.request = history_request(request_), .steps = {step}, .observed = *observed}));
  in(two);
  scratch_.write("two/a.h", "B");
  EXPECT_THAT(why(), ElementsAre("content " + two + "/a.h (digest " + digits("B") + ", was " + digits("A") + ")"));
}

TEST_F(ExplainerTest, TellsOfAStepAloneAlsoHowItsRequestDiffers) {
  compile(host());
  request_.from.environment = {};
  request_.invocation.without_archs = {"clang++", "-O2", "-g"};
  const Differences told = Explainer(context()).why_in_full({.label = "host", .key = {digest_of("-g")}}, {});
  EXPECT_THAT(lines(told), ElementsAre("argument -g only now"));
}

TEST_F(ExplainerTest, ComparesWithTheNewestAloneIfThatSuffices) {
  compile(host());
  scratch_.write("a.h", "B");
  compile(host());
  scratch_.write("a.h", "C");
  const auto compared = [&](Compared with) {
    return Explainer(request_, output_key(request_), services_, with).compared();
  };
  EXPECT_EQ(compared(Compared::all), 2u);
  EXPECT_EQ(compared(Compared::newest), 1u);
  request_.invocation.without_archs = {"clang++", "-O3"};
  EXPECT_EQ(compared(Compared::newest), 2u) << "none has the same command";
}

TEST(Explained, LeavesOutWhatIsTooMuchToBeToldAndCountsIt) {
  const protocol::ExplainedStep told = explained("host", protocol::Verdict::runs, Differences(13));
  EXPECT_EQ(told.differences.size(), 10u);
  EXPECT_EQ(told.more, 3u);
  EXPECT_EQ(explained("host", protocol::Verdict::runs, Differences(2)).more, 0u);
}

}  // namespace
}  // namespace hipcache::daemon
