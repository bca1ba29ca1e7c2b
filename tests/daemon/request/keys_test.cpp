#include "daemon/request/keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "daemon/shared/split_codegen_worth.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

Request request() {
  Request request;
  request.compiler = "/usr/bin/clang++-19";
  request.invocation.argv = {"clang++-19"};
  request.invocation.without_archs = {"clang++-19", "-c", "a.hip"};
  request.invocation.archs = {{"gfx1030"}, {"gfx906"}};
  request.from.working_directory = "/build";
  request.from.cuid = "0123456789abcdef";
  return request;
}

hip::Step device_step() {
  hip::Step step;
  step.kind = hip::StepKind::device;
  step.arch = {"gfx906"};
  step.commands = {{"/bin/clang", {"clang", "-cc1", "-dependency-file", "a.d"}}, {"/bin/lld", {"lld"}}};
  step.keyed = {{"clang", "-cc1"}, {"lld"}};
  return step;
}

TEST(RequestKey, IsEqualForEqualRequests) { EXPECT_EQ(command_key(request()), command_key(request())); }

TEST(RequestKey, ChangesWithEverythingThatIsAsked) {
  std::vector<Request> others(9, request());
  others[0].compiler = "/usr/bin/clang++-15";
  others[1].invocation.argv[0] = "/usr/bin/clang++-19";
  others[2].invocation.without_archs.push_back("-O2");
  others[3].invocation.archs.push_back({"gfx90a"});
  others[4].from.working_directory = "/other";
  others[5].from.environment = {"PWD=/link-to-build"};
  others[6].from.cuid = "fedcba9876543210";
  others[7].from.streams = ",,80x24";
  others[8].settings.cache_namespace = "nightly";
  std::vector<cache::ActionKey> keys{command_key(request())};
  for (std::size_t index = 0; index < others.size(); ++index) {
    const cache::ActionKey key = command_key(others[index]);
    // PWD counts only if it names the directory, which no client says here. The terminal counts where a path set asks
    // for it.
    if (index == 5 || index == 7) {
      EXPECT_EQ(key, keys[0]);
      continue;
    }
    EXPECT_EQ(std::count(keys.begin(), keys.end(), key), 0) << index;
    keys.push_back(key);
  }
}

TEST(RequestKey, KnowsWhatTheSourceContainsWhetherTheCompileIsSplitOrNot) {
  for (const compiler::Route route : {compiler::Route::planned, compiler::Route::is_opaque}) {
    Request asked = request();
    asked.invocation.route = route;
    const cache::ActionKey key = request_key(asked, digest_of("A"));
    EXPECT_EQ(request_key(asked, digest_of("A")), key);
    EXPECT_NE(request_key(asked, digest_of("B")), key);
    EXPECT_NE(command_key(asked), key);
    EXPECT_EQ(request_key(asked, std::nullopt), command_key(asked));
  }
}

class ContentOfSource : public testing::Test {
 protected:
  ContentOfSource() { request_.from.working_directory = scratch_.path(); }

  std::optional<Digest> of(const std::string& opaque, const std::string& planned = "") {
    request_.invocation.opaque.only_input = opaque;
    request_.invocation.source = planned;
    request_.invocation.route = planned.empty() ? compiler::Route::is_opaque : compiler::Route::planned;
    return tokens_of_source(request_, file_system_);
  }

  support::Scratch scratch_;
  inputs::FileSystemState file_system_;
  Request request_;
};

TEST_F(ContentOfSource, IsKnownOfTheOnlyInputAndOfTheSourceOfASplitCompile) {
  scratch_.write("a.c", "A");
  const auto one = of("a.c");
  EXPECT_TRUE(one);
  EXPECT_EQ(of(scratch_ / "a.c"), one);
  EXPECT_EQ(of("", "a.c"), one);
  scratch_.write("a.c", "// a comment\n  A");
  EXPECT_EQ(of("a.c"), one) << "the same tokens";
  scratch_.write("a.c", "B");
  EXPECT_NE(of("a.c"), one);
}

TEST_F(ContentOfSource, IsUnknownWithoutAnInputOrWhereNoRegularFileIs) {
  scratch_.make_directory("directory");
  ASSERT_EQ(::mkfifo((scratch_ / "pipe").c_str(), 0600), 0);
  for (const char* name : {"", "absent.c", "directory", "pipe"}) EXPECT_FALSE(of(name)) << name;
}

TEST(RequestKey, CountsTheProcessorIfAVariableMayAskForIt) {
  for (const compiler::Route route : {compiler::Route::planned, compiler::Route::is_opaque}) {
    Request plain = request();
    plain.invocation.route = route;
    Request native = plain;
    native.from.environment = {"CCC_OVERRIDE_OPTIONS=+-march=native"};
    EXPECT_NE(command_key(native), command_key(plain));
    EXPECT_NE(probe_key(native, {"-###"}), probe_key(plain, {"-###"}));
  }
}

TEST(StepKey, IsMadeOfProgramsKeyedArgumentsAndInputs) {
  const Digest input = digest_of("fatbin");
  const cache::ActionKey key = step_key(request(), device_step(), {input});
  hip::Step other = device_step();
  other.keyed[0].push_back("-O2");
  EXPECT_NE(step_key(request(), other, {input}), key);
  other = device_step();
  other.commands[1].program = "/opt/bin/lld";
  EXPECT_NE(step_key(request(), other, {input}), key);
  EXPECT_NE(step_key(request(), device_step(), {digest_of("another")}), key);
  EXPECT_NE(step_key(request(), device_step(), {}), key);
}

TEST(StepKey, LeavesOutWhatCannotReachTheOutputs) {
  hip::Step other = device_step();
  other.commands[0].argv[3] = "b.d";
  Request elsewhere = request();
  elsewhere.from.working_directory = "/other";
  EXPECT_EQ(step_key(elsewhere, other, {}), step_key(request(), device_step(), {}));
}

Request in_checkout(const std::string& root) {
  Request request;
  request.from.roots = Roots(root);
  return request;
}

hip::Step step_of(const std::vector<std::string>& argv) {
  hip::Step step;
  step.commands = {{"/bin/clang", argv}};
  step.keyed = {argv};
  return step;
}

TEST(StepKey, IsEqualInEveryCheckout) {
  EXPECT_EQ(
      step_key(in_checkout("/a"), step_of({"clang", "-I", "/a/include", "-I/a/x", "-fdebug-prefix-map=/a=."}), {}),
      step_key(in_checkout("/b"), step_of({"clang", "-I", "/b/include", "-I/b/x", "-fdebug-prefix-map=/b=."}), {}));
}

TEST(StepKey, KnowsTheCheckoutInAMacro) {
  for (const auto& [a, b] : {std::pair{"-DROOT=/a", "-DROOT=/b"}, std::pair{"-DX=/a/x", "-DX=/b/x"}})
    EXPECT_NE(step_key(in_checkout("/a"), step_of({"clang", a}), {}),
              step_key(in_checkout("/b"), step_of({"clang", b}), {}));
  EXPECT_NE(step_key(in_checkout("/a"), step_of({"clang", "-D", "X=/a"}), {}),
            step_key(in_checkout("/b"), step_of({"clang", "-D", "X=/b"}), {}));
}

// Each command reads a file of /a, in both checkouts.
TEST(StepKey, KnowsWhoseCheckoutIsMeant) {
  for (const std::vector<std::string>& argv :
       {std::vector<std::string>{"clang", "-DROOT=/a"}, {"clang", "-iprefix", "/a"}, {"clang", "-I=/a"}})
    EXPECT_NE(step_key(in_checkout("/a"), step_of(argv), {}), step_key(in_checkout("/b"), step_of(argv), {}))
        << argv[1];
}

TEST(StepKey, KnowsTheCheckoutThatJoinedArgumentsMayLeadTo) {
  const std::vector<std::string> joined{"clang", "-isysroot", "/p", "-I", "=/one"};
  EXPECT_NE(step_key(in_checkout("/p/one"), step_of(joined), {}), step_key(in_checkout("/p/two"), step_of(joined), {}));
  EXPECT_NE(step_key(in_checkout("/p/one"), step_of(joined), {}), step_key(in_checkout("/q"), step_of(joined), {}));
  EXPECT_EQ(step_key(in_checkout("/q"), step_of(joined), {}), step_key(in_checkout("/r"), step_of(joined), {}));
}

TEST(RequestKey, KnowsTheCheckoutThatJoinedArgumentsMayLeadTo) {
  Request one = in_checkout("/p/one"), two = in_checkout("/p/two");
  for (Request* asked : {&one, &two}) {
    asked->invocation.argv = {"clang", "@joined"};
    asked->invocation.expanded = {"clang", "--sysroot=/p", "-I=/one"};
  }
  EXPECT_NE(command_key(one), command_key(two));
  one.invocation.route = two.invocation.route = compiler::Route::is_opaque;
  EXPECT_NE(command_key(one), command_key(two));
}

TEST(StepKey, LeavesOutTheIdOfOurMaking) {
  Request other = request();
  other.from.cuid = "fedcba9876543210";
  hip::Step mine = step_of({"clang", "-cuid=0123456789abcdef"});
  hip::Step others = step_of({"clang", "-cuid=fedcba9876543210"});
  EXPECT_EQ(step_key(request(), mine, {}), step_key(other, others, {}));
  EXPECT_NE(step_key(request(), mine, {}), step_key(request(), others, {})) << "one of the user's own";
}

TEST(StepKey, TellsKindsApart) {
  hip::Step host = device_step();
  host.kind = hip::StepKind::host;
  EXPECT_NE(step_key(request(), host, {}), step_key(request(), device_step(), {}));
}

// Their values have formats of their own.
TEST(CostKey, IsNotTheKeyOfARunNote) {
  const cache::ActionKey step = step_key(request(), device_step(), {});
  EXPECT_NE(cost_key(step), run_note_key(step));
}

TEST(CostGroupKey, IsOfTheCompilerAndTheBuildDirectory) {
  Request other = request();
  other.invocation.archs = {{"gfx90a"}};
  other.invocation.without_archs = {"clang++-19", "-O3", "-c", "b.hip"};
  EXPECT_EQ(cost_group_key(other), cost_group_key(request()));
  std::vector<Request> apart(3, request());
  apart[0].compiler = "/usr/bin/clang++-15";
  apart[1].from.working_directory = "/other";
  apart[2].settings.cache_namespace = "nightly";
  for (const Request& asked : apart) EXPECT_NE(cost_group_key(asked), cost_group_key(request()));
}

TEST(CostGroupKey, IsTheSameThroughoutTheTopmostBuildDirectory) {
  const auto in_build = [](const char* directory, const char* nearest, const char* topmost) {
    Request asked = request();
    asked.from.working_directory = directory;
    asked.from.roots.add(kBuildMark, nearest);
    asked.from.roots.add(kOuterBuildMark, topmost);
    return cost_group_key(asked);
  };
  const Digest whole = in_build("/p/build/src", "/p/build", "/p/build");
  EXPECT_EQ(in_build("/p/build/tests", "/p/build", "/p/build"), whole);
  EXPECT_EQ(in_build("/p/build/inner/src", "/p/build/inner", "/p/build"), whole);
  EXPECT_NE(in_build("/q/build/src", "/q/build", "/q/build"), whole);
}

TEST(OutputKey, IsOfTheObjectsAbsolutePathInItsNameSpace) {
  Request relative = request();
  relative.invocation.object = "a.o";
  Request absolute = request();
  absolute.invocation.object = "/build/a.o";
  EXPECT_EQ(output_key(relative), output_key(absolute));
  relative.from.working_directory = "/other";
  EXPECT_NE(output_key(relative), output_key(absolute));
  Request apart = absolute;
  apart.settings.cache_namespace = "nightly";
  EXPECT_NE(output_key(apart), output_key(absolute));
}

}  // namespace
}  // namespace hipcache::daemon
