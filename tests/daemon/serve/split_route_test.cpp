// A split compile from the request to the reply, with a client that the test plays: what its runs leave.
#include <sys/stat.h>

#include <filesystem>

#include "daemon/serve/scripted_client.h"
#include "hipcache/base/files.h"
#include "support/elf_object.h"

namespace hipcache::daemon {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Counts = std::map<std::string, std::uint64_t>;

const std::string kError = "a.hip:1:1: error: no\n1 error generated when compiling for gfx906.\n";

class SplitRoute : public RouteTest {
 protected:
  // The command passes through because of a step that leaves this.
  std::string detail_of(const std::string& reason) { return counted().not_cached_detail[reason]; }
  // Why the device's step is not stored; it runs again for the next request.
  std::string not_stored(const Edit& edit) {
    on("device gfx906", edit);
    EXPECT_EQ(compile().finish().exit_code, 0);
    const Counts counts = counted().not_stored;
    EXPECT_EQ(counts.size(), 1u);
    on_all_as_usual();
    EXPECT_THAT(compile().asked, ElementsAre("device gfx906"));
    EXPECT_THAT(compile().asked, IsEmpty());
    return counts.empty() ? "" : counts.begin()->first;
  }
};

TEST_F(SplitRoute, RunsEachStepOnceAndAnswersTheSameFromTheStore) {
  const Reply first = compile();
  EXPECT_THAT(first.asked, ElementsAre("neutral probe", "fatbin proof", "device gfx906", "host", "bundle"));
  EXPECT_EQ(first.finish().exit_code, 0);
  EXPECT_EQ(first.outputs.at("a.o"), support::around("made by clang-offload-bundler for all", "a.hip"));
  const Reply second = compile();
  EXPECT_THAT(second.asked, IsEmpty());
  EXPECT_EQ(second.outputs, first.outputs);
  const stats::Snapshot counts = counted();
  EXPECT_EQ(counts.miss, 1u);
  EXPECT_EQ(counts.hit, 1u);
  EXPECT_EQ(counts.device.at("gfx906").run, 1u);
  EXPECT_EQ(counts.device.at("gfx906").hit, 1u);
  EXPECT_EQ(counts.rated.run, 2u) << "device and host";
  EXPECT_EQ(counts.rated.hit, 2u);
  EXPECT_EQ(counts.not_stored, Counts{});
}

TEST_F(SplitRoute, GivesTheMessagesOfEachRunAgain) {
  on("device gfx906", [](Ran& run) { run.report.stderr_text = "a.hip: warning: device\n"; });
  on("host", [](Ran& run) { run.report.stderr_text = "a.hip: warning: host\n"; });
  EXPECT_EQ(compile().finish().stderr_text, "a.hip: warning: device\na.hip: warning: host\n");
  EXPECT_EQ(compile().finish().stderr_text, "a.hip: warning: device\na.hip: warning: host\n");
  EXPECT_EQ(counted().hit, 1u);
}

TEST_F(SplitRoute, GivesTheCompilersErrorAndStoresNothingOfIt) {
  on("device gfx906", [](Ran& run) { run.fail(kError); });
  for (int times = 0; times < 2; ++times) {
    const Reply reply = compile();
    EXPECT_THAT(reply.asked, Contains("device gfx906"));
    EXPECT_EQ(reply.finish().exit_code, 1);
    EXPECT_EQ(reply.finish().stderr_text, kError);
    EXPECT_THAT(reply.outputs, IsEmpty());
  }
  EXPECT_EQ(counted().failed_compiles, 2u);
  EXPECT_EQ(counted().miss, 2u);
}

TEST_F(SplitRoute, RemovesTheObjectOfAHostThatFails) {
  on("device gfx906", [](Ran& run) { run.report.stderr_text = "a.hip: warning: device\n"; });
  on("host", [](Ran& run) { run.fail("a.hip:1:1: error: no\n"); });
  const protocol::Finish finish = compile().finish();
  EXPECT_EQ(finish.exit_code, 1);
  EXPECT_EQ(finish.stderr_text, "a.hip: warning: device\na.hip:1:1: error: no\n");
  EXPECT_THAT(finish.removed, ElementsAre("a.o"));
}

TEST_F(SplitRoute, PassesThroughAFailureThatMayBeTheCachesFault) {
  struct Case {
    Edit edit;
    std::string detail;
  };
  const std::vector<Case> cases = {
      {[](Ran& run) { run.fail("Segmentation fault\n", 139); }, "a signal ended it"},
      {[](Ran& run) { run.fail("Stack dump:\n"); }, "it printed a crash report"},
      {[](Ran& run) { run.fail("error: No space left on device\n"); }, "it speaks of a lack of room"},
      {[](Ran& run) {
         run.fail(kError);
         run.traces[".trace"].pop_back();
       },
       "its trace is not whole"},
      {[](Ran& run) {
         run.fail(kError);
         run.traces.clear();
       },
       "its trace is not whole"},
  };
  for (const Case& one : cases) {
    on("device gfx906", one.edit);
    EXPECT_EQ(compile().reason(), "step-failed") << one.detail;
    EXPECT_EQ(detail_of("step-failed"), "device gfx906: " + one.detail);
  }
  EXPECT_EQ(counted().failed_compiles, 0u);
  EXPECT_EQ(counted().not_cached["step-failed"], cases.size());
}

TEST_F(SplitRoute, PassesThroughAFailureThatTheCompilerDoesNotExplain) {
  on("device gfx906", [](Ran& run) { run.fail(""); });
  EXPECT_EQ(compile().reason(), "step-failed");
  on("device gfx906", [](Ran& run) { run.fail("what\n", 2); });
  EXPECT_EQ(compile().reason(), "step-failed");
  on("device gfx906", [](Ran& run) {
    run.fail("lld: error: no\n");
    run.report.failed_command = 1;
  });
  EXPECT_EQ(compile().reason(), "step-failed");
  EXPECT_EQ(counted().not_cached["step-failed"], 3u);
}

TEST_F(SplitRoute, PassesThroughARunThatSaysNothing) {
  on("device gfx906", [](Ran& run) { run.report.spawn_error = "no such program"; });
  EXPECT_EQ(compile().reason(), "step-failed");
  EXPECT_EQ(detail_of("step-failed"), "no such program");
  on("device gfx906", [](Ran& run) { run.report.doubt = "its texts are too long"; });
  EXPECT_EQ(compile().reason(), "step-failed");
  EXPECT_THAT(detail_of("step-failed"), HasSubstr("its texts are too long"));
  on("device gfx906", [](Ran& run) { run.files.clear(); });
  EXPECT_EQ(compile().reason(), "step-failed") << "its output is missing";
}

TEST_F(SplitRoute, NotesACommandWhoseFilesWouldGetLostToRunAlone) {
  on("device gfx906", [](Ran& run) { run.files[run.in_directory("a.dwo")] = "debug information"; });
  EXPECT_EQ(compile().reason(), "writes-more-than-known");
  EXPECT_EQ(detail_of("writes-more-than-known"), "a.dwo");
  on_all_as_usual();
  const Reply next = compile();
  EXPECT_THAT(next.asked, IsEmpty());
  EXPECT_EQ(next.reason(), "writes-more-than-known");
}

TEST_F(SplitRoute, BlamesTheStepWhoseTraceHasTheLostFile) {
  on("host", [](Ran& run) {
    run.files[run.in_directory("a.dwo")] = "debug information";
    run.wrote(run.in_directory("a.dwo"));
  });
  EXPECT_EQ(compile().reason(), "writes-more-than-known");
  EXPECT_EQ(counted().not_stored, (Counts{{"writes-more-than-known", 1}}));
}

TEST_F(SplitRoute, PassesThroughIfAStepWritesElsewhere) {
  on("device gfx906", [&](Ran& run) {
    run.files[in_work("report")] = "";
    run.wrote(in_work("report"));
  });
  EXPECT_EQ(compile().reason(), "writes-more-than-known");
  EXPECT_THAT(detail_of("writes-more-than-known"), HasSubstr("report"));
}

TEST_F(SplitRoute, PassesThroughIfAnOutputNamesTheTemporaryDirectory) {
  on("device gfx906", [](Ran& run) { run.replace(".out", "see " + run.step.directory + "/x"); });
  EXPECT_EQ(compile().reason(), "names-temporary-files");
  EXPECT_THAT(compile().asked, IsEmpty()) << "noted to run alone";
}

TEST_F(SplitRoute, PassesThroughIfAStepReadsADescriptorByName) {
  on("device gfx906", [](Ran& run) { run.saw(trace::Kind::open_read, "/dev/stdin"); });
  EXPECT_EQ(compile().reason(), "standard-input");
  EXPECT_EQ(detail_of("standard-input"), "/dev/stdin");
}

TEST_F(SplitRoute, DoesNotStoreARunWithoutATrace) {
  EXPECT_EQ(not_stored([](Ran& run) { run.traces.clear(); }), "untraceable-compiler");
}

TEST_F(SplitRoute, DoesNotStoreARunWithADamagedTrace) {
  EXPECT_EQ(not_stored([](Ran& run) {
              run.traces.clear();
              run.files[run.step.trace_path] = "damaged";
            }),
            "trace");
  EXPECT_THAT(logged(), HasSubstr("trace of device gfx906"));
}

TEST_F(SplitRoute, DoesNotStoreARunThatAsksForTheTime) {
  EXPECT_EQ(not_stored([](Ran& run) { run.saw(trace::Kind::clock, "localtime"); }), "clock");
}

TEST_F(SplitRoute, DoesNotStoreARunWhoseSourceChangedMeanwhile) {
  EXPECT_EQ(not_stored([&](Ran& run) {
              run.saw(trace::Kind::open_read, "b.h");
              write("b.h", "new");
            }),
            "input-changed");
}

TEST_F(SplitRoute, DoesNotStoreARunThatStartsAnotherProgram) {
  EXPECT_EQ(not_stored([&](Ran& run) { run.saw(trace::Kind::program, bin_ + "/gcc"); }), "compiler-is-a-wrapper");
}

TEST_F(SplitRoute, DoesNotStoreMessagesThatNameTheTemporaryDirectory) {
  EXPECT_EQ(not_stored([](Ran& run) { run.report.stderr_text = run.in_directory("x.o") + ": warning: odd\n"; }),
            "prints-temporary-names");
}

TEST_F(SplitRoute, DoesNotStoreMessagesWithACrashReport) {
  EXPECT_EQ(not_stored([](Ran& run) { run.report.stderr_text = "Stack dump:\n"; }), "prints-crash-report");
}

TEST_F(SplitRoute, PassesThroughIfTheDriversOwnOutputsAreUnusual) {
  std::filesystem::create_symlink("elsewhere", in_work("a.o"));
  const Reply link = compile();
  EXPECT_THAT(link.asked, IsEmpty());
  EXPECT_EQ(link.reason(), "output-not-a-regular-file");
  argv_.back() = "missing/a.o";
  EXPECT_EQ(compile().reason(), "output-not-writable");
  EXPECT_EQ(counted().passthrough, 2u);
}

class DepfileRoute : public SplitRoute {
 protected:
  DepfileRoute() {
    plan_ = replaced(plan_of("clang-19/g-depfile"), "\"-O2\"", "\"-O0\"");
    argv_ = {"clang++", "-x", "hip", "--offload-arch=gfx906", "--offload-arch=gfx1030", "-g", "-MD", "-c",
             "a.hip",   "-o", "a.o"};
  }
};

TEST_F(DepfileRoute, GivesTheDepfileOfTheHost) {
  on("host", [](Ran& run) { run.replace(".d", "a.o: a.hip host.h\n"); });
  EXPECT_EQ(compile().outputs.at("a.d"), "a.o: a.hip host.h\n");
  EXPECT_EQ(compile().outputs.at("a.d"), "a.o: a.hip host.h\n");
  EXPECT_EQ(counted().hit, 1u);
}

TEST_F(DepfileRoute, GivesTheDepfileOfADeviceThatFails) {
  on("device gfx1030", [](Ran& run) {
    const std::map<std::string, std::string> files = run.files;
    run.fail(kError);
    for (const auto& [path, bytes] : files)
      if (path.ends_with(".d")) run.files[path] = "a.o: a.hip device.h\n";
  });
  const Reply reply = compile();
  EXPECT_EQ(reply.finish().exit_code, 1);
  EXPECT_THAT(reply.outputs, ElementsAre(::testing::Pair("a.d", "a.o: a.hip device.h\n")));
  EXPECT_THAT(reply.finish().removed, IsEmpty());
}

TEST_F(DepfileRoute, RemovesTheDepfileThatADeviceThatFailsDoesNotLeave) {
  on("device gfx1030", [](Ran& run) { run.fail(kError); });
  EXPECT_THAT(compile().finish().removed, ElementsAre("a.d"));
}

TEST_F(DepfileRoute, PassesThroughIfAStepReadsTheDepfile) {
  write("a.d", "");
  on("device gfx1030", [](Ran& run) { run.saw(trace::Kind::open_read, "a.d"); });
  EXPECT_EQ(compile().reason(), "depfile-is-another-file");
}

TEST_F(SplitRoute, CountsARequestWhoseClientIsGone) {
  on("device gfx906", [](Ran& run) { run.hangs_up = true; });
  EXPECT_EQ(compile().reason(), "nothing");
  EXPECT_EQ(counted().aborted, 1u);
  EXPECT_EQ(counted().compile_requests, 1u);
  EXPECT_EQ(services_.job_slots.running(), 0u);
  on_all_as_usual();
  EXPECT_THAT(compile().asked, ElementsAre("device gfx906", "host", "bundle")) << "probe and proof had ended";
}

}  // namespace
}  // namespace hipcache::daemon
