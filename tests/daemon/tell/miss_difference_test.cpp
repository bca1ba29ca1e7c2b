#include "daemon/tell/miss_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hipcache/compiler/hip/fatbin_splice.h"

namespace hipcache::daemon {
namespace {

using cache::HistoryRequest;
using cache::HistoryStep;
using inputs::Answer;
using inputs::Answered;
using inputs::AnswerFingerprint;
using inputs::PathSet;
using inputs::Question;
using protocol::Difference;
using protocol::Differs;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines(const Differences& differences) {
  std::vector<std::string> all;
  for (const Difference& difference : differences) all.push_back(protocol::describe(difference));
  return all;
}

std::vector<std::string> changes(const std::vector<std::string>& now, const std::vector<std::string>& then) {
  return lines(compare_arguments(now, then));
}

// Of a set with that one question: the difference's line, or "".
std::string line(Question question, AnswerFingerprint now, AnswerFingerprint then) {
  const PathSet set({{question, "NAME"}});
  const Differences differences = within(nullptr, set, compare_answers(set, {now, {}}, {then, {}}));
  return differences.empty() ? "" : protocol::describe(differences.front());
}

TEST(CompareArguments, TellsNothingOfEqualOnes) {
  EXPECT_THAT(changes({}, {}), IsEmpty());
  EXPECT_THAT(changes({"a", "b"}, {"a", "b"}), IsEmpty());
}

TEST(CompareArguments, TellsWhatIsOnlyNowAndOnlyThenInTheirOrder) {
  EXPECT_THAT(changes({"cc", "-O3", "-c", "a.c", "-g"}, {"cc", "-O2", "-c", "a.c"}),
              ElementsAre("argument -O3 only now", "argument -O2 only then", "argument -g only now"));
}

TEST(CompareArguments, TellsArgumentsThatFollowEachOtherTogether) {
  EXPECT_THAT(changes({"cc", "-D", "X", "-c"}, {"cc", "-c"}), ElementsAre("argument -D X only now"));
}

TEST(CompareArguments, TellsWhatMovedOnce) {
  EXPECT_THAT(changes({"cc", "-Ib", "-Ia"}, {"cc", "-Ia", "-Ib"}),
              ElementsAre("argument -Ib in another place: their order counts"));
  EXPECT_THAT(changes({"cc", "-DC", "-DB", "-DA"}, {"cc", "-DA", "-DB", "-DC"}),
              ElementsAre("argument -DC -DB in another place: their order counts"));
}

TEST(CompareArguments, TakesAnOptionAndItsValueForOne) {
  EXPECT_THAT(changes({"-cc1", "-D", "Y=2", "-D", "X=1"}, {"-cc1", "-D", "X=1", "-D", "Y=2"}),
              ElementsAre("argument -D Y=2 in another place: their order counts"));
  EXPECT_THAT(changes({"-cc1", "-mllvm", "-new"}, {"-cc1", "-mllvm", "-old"}),
              ElementsAre("argument -mllvm -new only now", "argument -mllvm -old only then"));
  EXPECT_THAT(changes({"cc", "-D"}, {"cc"}), ElementsAre("argument -D only now"));
}

TEST(CompareArguments, TellsNothingOfNamesThatHipcachePutIn) {
  const std::string fatbin(hip::kPlaceholderFatbin);
  EXPECT_THAT(changes({"-cc1", "-fcuda-include-gpubinary", "<fatbin>", "-o", "<output>"}, {"-cc1", fatbin}), IsEmpty());
  EXPECT_THAT(changes({"-targets=host,gfx906,gfx90a", "-input=<device>", "-input=<device>"},
                      {"-targets=host,gfx906", "-input=<device>"}),
              ElementsAre("argument -targets=gfx90a only now"));
}

TEST(CompareArguments, ShowsAnEmptyArgument) {
  EXPECT_THAT(changes({"cc", ""}, {"cc"}), ElementsAre("argument \"\" only now"));
}

TEST(CompareArguments, TakesTheLongestCommonPart) {
  EXPECT_THAT(changes({"1", "a", "b", "2", "c"}, {"a", "3", "b", "c"}),
              ElementsAre("argument 1 only now", "argument 3 only then", "argument 2 only now"));
}

TEST(CompareArguments, OfAnyNumberCostsLittle) {
  std::vector<std::string> now(5'000, "now");
  std::vector<std::string> then(5'000, "then");
  EXPECT_EQ(changes(now, then).size(), 2u);
}

HistoryRequest request() {
  return {.compiler = "/usr/bin/clang++",
          .arguments = {"clang++", "-O2", "-c", "a.hip"},
          .archs = {"gfx1030", "gfx906"},
          .working_directory = "/build",
          .logical_directory = "/build",
          .cuid = "aa"};
}

TEST(CompareAsked, TellsEachPartOfARequest) {
  EXPECT_THAT(compare_requests(request(), request()), IsEmpty());
  HistoryRequest then = request();
  then.compiler = "/opt/clang++";
  EXPECT_THAT(lines(compare_requests(request(), then)), ElementsAre("compiler /usr/bin/clang++, was /opt/clang++"));
  then = request();
  then.archs = {"gfx906", "gfx90a"};
  EXPECT_THAT(lines(compare_requests(request(), then)),
              ElementsAre("architecture gfx1030 only now", "architecture gfx90a only then"));
  then = request();
  then.working_directory = then.logical_directory = "/other";
  EXPECT_THAT(lines(compare_requests(request(), then)), ElementsAre("working directory /build, was /other"));
  then = request();
  then.logical_directory = "/link";
  EXPECT_THAT(lines(compare_requests(request(), then)), ElementsAre("working directory /build, was /link"));
}

TEST(CompareAsked, TellsTheCuidOnlyIfNoArgumentIsTheReason) {
  HistoryRequest then = request();
  then.cuid = "bb";
  EXPECT_THAT(lines(compare_requests(request(), then)), ElementsAre("CUID aa, was bb"));
  then.arguments[1] = "-O3";
  EXPECT_THAT(lines(compare_requests(request(), then)), ElementsAre("argument -O2 only now", "argument -O3 only then"));
}

TEST(CompareAnswers, TellsAFileByBothDigests) {
  EXPECT_EQ(line(Question::content, {Answer::digest, 0x1234567890abcdef}, {Answer::digest, 0xfedcba0987654321}),
            "content NAME (digest 1234567890abcdef, was fedcba0987654321)");
}

TEST(CompareAnswers, TellsWhatAppearedAndVanished) {
  EXPECT_EQ(line(Question::presence, {Answer::file, 0}, {Answer::absent, 0}), "NAME appeared");
  EXPECT_EQ(line(Question::content, {Answer::digest, 0x1234567890abcdef}, {Answer::digest_start, 0xfedcull << 48}),
            "content NAME (digest 1234567890abcdef, was fedc)");
  EXPECT_EQ(line(Question::content, {Answer::digest, 1}, {Answer::absent, 0}), "NAME appeared");
  EXPECT_EQ(line(Question::content, {Answer::absent, 0}, {Answer::digest, 1}), "NAME vanished");
  EXPECT_EQ(line(Question::listing, {Answer::absent, 0}, {Answer::digest, 1}), "NAME vanished");
}

TEST(CompareAnswers, TellsWhatAPathIsNow) {
  EXPECT_EQ(line(Question::presence, {Answer::executable, 0}, {Answer::file, 0}),
            "NAME is an executable file, was a file");
  EXPECT_EQ(line(Question::content, {Answer::unreadable, 0}, {Answer::digest, 1}), "NAME is unreadable, was a file");
  EXPECT_EQ(line(Question::link, {Answer::no_link, 0}, {Answer::text, 1}), "NAME is no link, was a link");
}

TEST(CompareAnswers, TellsLinksAndListings) {
  EXPECT_EQ(line(Question::link, {Answer::text, 1}, {Answer::text, 2}), "link NAME now leads elsewhere");
  EXPECT_EQ(line(Question::real_path, {Answer::text, 1}, {Answer::text, 2}), "NAME is now found elsewhere");
  EXPECT_EQ(line(Question::listing, {Answer::digest, 1}, {Answer::digest, 2}), "listing of NAME");
  EXPECT_EQ(line(Question::program, {Answer::text, 1}, {Answer::text, 2}), "PATH leads elsewhere for NAME");
  EXPECT_EQ(line(Question::working_directory, {Answer::text, 1}, {Answer::text, 2}), "the working directory differs");
}

TEST(CompareAnswers, TellsOfAVariableThatItDiffersAndNeverHow) {
  EXPECT_EQ(line(Question::variable, {Answer::digest, 1}, {Answer::digest, 2}), "variable NAME differs");
  EXPECT_EQ(line(Question::variable, {Answer::digest, 1}, {Answer::unset, 0}), "variable NAME is set now");
  EXPECT_EQ(line(Question::variable, {Answer::unset, 0}, {Answer::digest, 2}), "variable NAME is not set any more");
}

TEST(CompareAnswers, TellsOfOneFileUnderTwoNamesUnlessAnEditSaysIt) {
  const PathSet set({{Question::content, "a"}, {Question::content, "b"}});
  const Answered then{{Answer::digest, 1}, {Answer::digest, 1}, {Answer::text, 5}};
  const Answered linked{{Answer::digest, 1}, {Answer::digest, 1}, {Answer::text, 6}};
  const Answered edited{{Answer::digest, 1}, {Answer::digest, 2}, {Answer::text, 6}};
  EXPECT_THAT(lines(within(nullptr, set, compare_answers(set, linked, then))),
              ElementsAre("which names of equal content are one file"));
  EXPECT_EQ(compare_answers(set, edited, then).size(), 1u);
}

TEST(CompareAnswers, AreToldOfTheObservationsOfAPart) {
  const PathSet all({{Question::content, "a"}, {Question::content, "b"}});
  const PathSet part({{Question::content, "b"}, {Question::content, "c"}});
  const Answered then{{Answer::digest, 1}, {Answer::digest, 1}, {Answer::text, 0}};
  const Answered now{{Answer::digest, 2}, {Answer::digest, 2}, {Answer::text, 0}};
  const auto differences = compare_answers(all, now, then);
  EXPECT_EQ(differences.size(), 2u);
  ASSERT_EQ(within(&part, all, differences).size(), 1u);
  EXPECT_EQ(within(&part, all, differences).front().name, "b");
}

HistoryStep step() {
  return {.label = "device gfx906",
          .key = {digest_of("key")},
          .programs = {"/bin/clang", "/bin/lld"},
          .arguments = {{"-cc1", "-O2"}, {"-shared"}},
          .inputs = {digest_of("input")}};
}

TEST(CompareSteps, TellsProgramsArgumentsAndInputs) {
  EXPECT_THAT(compare_steps(step(), step(), {"probe"}), IsEmpty());
  HistoryStep then = step();
  then.programs[1] = "/opt/lld";
  then.arguments[0][1] = "-O3";
  then.inputs[0] = {};
  EXPECT_THAT(lines(compare_steps(step(), then, {"bundle"})),
              ElementsAre("program /bin/lld, was /opt/lld", "argument -O2 only now", "argument -O3 only then",
                          "what bundle made (digest " + digest_of("input").shown() + ", was 0000000000000000)"));
}

TEST(CompareSteps, TellsNothingOfInputsThatAreNotMadeYet) {
  HistoryStep now = step();
  now.inputs.clear();
  EXPECT_THAT(compare_steps(now, step(), {"bundle"}), IsEmpty());
}

TEST(WithoutValues, KeepsWhatWasTypedAndConcealsWhatTheDriverMade) {
  const Differences differences{{Differs::program, "", "/a", "/b"},
                                {Differs::argument_added, "-I /secret", "", ""},
                                {Differs::argument_removed, "-O2", "", ""},
                                {Differs::argument_moved, "-x", "", ""}};
  EXPECT_THAT(lines(without_values(differences, request(), request())),
              ElementsAre("program /a, was /b", "argument -O2 only then", "arguments that the driver made differ"));
}

TEST(PutInOrder, TellsEachDifferenceOnceTheSortsInTheirOrder) {
  Differences differences{{Differs::content, "a", "1", "2"},
                          {Differs::argument_added, "z", "", ""},
                          {Differs::content, "a", "1", "2"},
                          {Differs::variable_set, "V", "", ""},
                          {Differs::argument_added, "b", "", ""}};
  put_in_order(differences);
  EXPECT_THAT(lines(differences), ElementsAre("argument z only now", "argument b only now", "variable V is set now",
                                              "content a (digest 1, was 2)"));
}

}  // namespace
}  // namespace hipcache::daemon
