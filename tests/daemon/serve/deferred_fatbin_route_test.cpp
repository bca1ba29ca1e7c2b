// Hosts that compile beside the devices, with a placeholder for the fatbin.
#include "daemon/serve/scripted_client.h"
#include "hipcache/compiler/hip/fatbin_splice.h"
#include "support/elf_object.h"

namespace hipcache::daemon {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DeferredFatbinRoute : public RouteTest {
 protected:
  // The object that the driver's order makes.
  const std::string object_ = support::around("made by clang-offload-bundler for all", "a.hip");
};

TEST_F(DeferredFatbinRoute, CompilesTheHostWithThePlaceholderIfTheProofHolds) {
  std::string compiled;
  on("host", [&](Ran& run) { compiled = run.files.begin()->second; });
  EXPECT_EQ(compile().outputs.at("a.o"), object_);
  EXPECT_EQ(compiled, support::around(std::string(hip::kPlaceholderFatbin), "a.hip"));
  EXPECT_EQ(counted().proof.run, 1u);
  write("b.hip", "another source\n");
  argv_[5] = "b.hip";
  compile();
  EXPECT_EQ(counted().proof.run, 1u) << "one proof for the compiler";
  EXPECT_EQ(counted().proof.hit, 1u);
}

TEST_F(DeferredFatbinRoute, PutsAnotherFatbinIntoTheStoredHostObject) {
  write("device.h", "one");
  on("device gfx906", [](Ran& run) { run.saw(trace::Kind::open_read, "device.h"); });
  compile();
  write("device.h", "two");
  on("device gfx906", [](Ran& run) { run.replace(".out", "other code"); });
  on("bundle", [](Ran& run) { run.replace(".hipfb", "another fatbin"); });
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("device gfx906", "bundle"));
  EXPECT_EQ(reply.outputs.at("a.o"), support::around("another fatbin", "a.hip"));
  EXPECT_EQ(counted().partial, 1u);
}

TEST_F(DeferredFatbinRoute, GivesAnObjectThatNeedsNoFatbinAsItIs) {
  const std::string object = support::object_of({{".text", "no kernel", 16}});
  on("host", [&](Ran& run) { run.files.begin()->second = object; });
  EXPECT_EQ(compile().outputs.at("a.o"), object);
  EXPECT_EQ(compile().outputs.at("a.o"), object);
  EXPECT_EQ(counted().hit, 1u);
}

TEST_F(DeferredFatbinRoute, KeepsTheDriversOrderIfTheCodeDependsOnTheFatbin) {
  on("fatbin proof", [](Ran& run) { run.replace("with-fatbin.o", "other code"); });
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("neutral probe", "fatbin proof", "device gfx906", "bundle", "host"));
  EXPECT_EQ(reply.outputs.at("a.o"), object_);
  EXPECT_THAT(logged(), HasSubstr("the compiler's code depends on the fatbin"));
  write("a.hip", "another source\n");
  EXPECT_THAT(compile().asked, ElementsAre("device gfx906", "host")) << "the proof is not tried again";
}

TEST_F(DeferredFatbinRoute, KeepsTheDriversOrderIfTheProofDoesNotCompile) {
  on("fatbin proof", [](Ran& run) { run.fail("error: no\n"); });
  EXPECT_THAT(compile().asked, ElementsAre("neutral probe", "fatbin proof", "device gfx906", "bundle", "host"));
  EXPECT_THAT(logged(), HasSubstr("the proof does not compile: error: no"));
}

TEST_F(DeferredFatbinRoute, KeepsTheDriversOrderIfTheProofIsUnusable) {
  on("fatbin proof", [](Ran& run) { run.report.spawn_error = "no memory"; });
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("neutral probe", "fatbin proof", "device gfx906", "bundle", "host"));
  EXPECT_EQ(reply.finish().exit_code, 0);
}

TEST_F(DeferredFatbinRoute, KeepsTheDriversOrderIfTheProofCannotBeStored) {
  on("fatbin proof", [](Ran& run) { run.traces.clear(); });
  EXPECT_EQ(compile().asked.back(), "host");
  EXPECT_THAT(logged(), HasSubstr("the proof cannot be stored"));
}

TEST_F(DeferredFatbinRoute, CompilesTheHostAgainIfItsObjectRejectsTheFatbin) {
  bool is_first = true;
  on("host", [&](Ran& run) {
    if (is_first)
      run.files.begin()->second =
          "\x7f"
          "ELF of another layout, with .hip_fatbin";
    is_first = false;
  });
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("neutral probe", "fatbin proof", "device gfx906", "host", "bundle", "host"));
  EXPECT_EQ(reply.outputs.at("a.o"), object_);
  EXPECT_EQ(counted().host.run, 2u);
  EXPECT_THAT(compile().asked, IsEmpty());
  write("a.hip", "another source\n");
  EXPECT_THAT(compile().asked, ElementsAre("device gfx906", "host")) << "this unit's host is compiled last";
  write("b.hip", "another source\n");
  argv_[5] = "b.hip";
  on_all_as_usual();
  EXPECT_EQ(compile().outputs.at("a.o"), support::around("made by clang-offload-bundler for all", "b.hip"));
}

TEST_F(DeferredFatbinRoute, PassesThroughIfTheHostCannotBeCompiledAgain) {
  bool is_first = true;
  on("host", [&](Ran& run) {
    run.files.begin()->second = "no object";
    if (!is_first) run.report.spawn_error = "no memory";
    is_first = false;
  });
  EXPECT_EQ(compile().reason(), "step-failed");
  EXPECT_EQ(counted().not_cached_detail["step-failed"], "no memory");
}

}  // namespace
}  // namespace hipcache::daemon
