// Compiles, links and archives that run as typed, with a client that the test plays.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "daemon/serve/scripted_client.h"
#include "hipcache/trace/seen.h"

namespace hipcache::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Counts = std::map<std::string, std::uint64_t>;

class OpaqueRoute : public RouteTest {
 protected:
  OpaqueRoute() {
    argv_ = {"gcc", "-c", "a.c", "-o", "a.o"};
    write("a.c", "source\n");
  }

  // Why the run is not stored: the command runs again for the next request.
  std::string not_stored(const Edit& edit) {
    on(argv_[0], edit);
    EXPECT_EQ(compile().finish().exit_code, 0);
    const Counts counts = counted().not_stored;
    EXPECT_EQ(counts.size(), 1u);
    on_all_as_usual();
    EXPECT_THAT(compile().asked, ElementsAre(argv_[0]));
    EXPECT_EQ(counted().hit, 0u);
    return counts.empty() ? "" : counts.begin()->first;
  }
  // The command passes through after its run, and the next request is not run at all.
  std::string runs_alone_after(const Edit& edit) {
    on(argv_[0], edit);
    const Reply first = compile();
    EXPECT_THAT(first.asked, ElementsAre(argv_[0]));
    on_all_as_usual();
    const Reply next = compile();
    EXPECT_THAT(next.asked, IsEmpty());
    EXPECT_EQ(next.reason(), first.reason());
    return first.reason();
  }
};

TEST_F(OpaqueRoute, RunsOnceAndAnswersTheSameFromTheStore) {
  on("gcc", [](Ran& run) { run.report.stderr_text = "a.c: warning: odd\n"; });
  const Reply first = compile();
  EXPECT_THAT(first.asked, ElementsAre("gcc"));
  EXPECT_EQ(first.finish().stderr_text, "a.c: warning: odd\n");
  EXPECT_THAT(first.outputs, IsEmpty()) << "the compiler wrote them itself";
  const Reply second = compile();
  EXPECT_THAT(second.asked, IsEmpty());
  EXPECT_EQ(second.finish().stderr_text, "a.c: warning: odd\n");
  EXPECT_THAT(second.outputs, ElementsAre(Pair("a.o", "made by gcc for all")));
  EXPECT_EQ(counted().host.run, 1u);
  EXPECT_EQ(counted().host.hit, 1u);
  write("a.c", "another source\n");
  EXPECT_THAT(compile().asked, ElementsAre("gcc"));
}

TEST_F(OpaqueRoute, GivesTheCompilersErrorAndStoresNothingOfIt) {
  on("gcc", [](Ran& run) { run.fail("a.c:1: error: no\n", 4); });
  for (int times = 0; times < 2; ++times) {
    const Reply reply = compile();
    EXPECT_THAT(reply.asked, ElementsAre("gcc"));
    EXPECT_EQ(reply.finish().exit_code, 4);
    EXPECT_EQ(reply.finish().stderr_text, "a.c:1: error: no\n");
  }
  EXPECT_EQ(counted().failed_compiles, 2u);
  EXPECT_EQ(counted().miss, 2u);
}

TEST_F(OpaqueRoute, PassesThroughAFailureThatMayBeTheCachesFault) {
  on("gcc", [](Ran& run) { run.fail("", 137); });
  EXPECT_EQ(compile().reason(), "step-failed");
  EXPECT_EQ(counted().not_cached_detail["step-failed"], "compile: a signal ended it");
  on("gcc", [](Ran& run) { run.fail("see " + run.in_directory("report") + "\n"); });
  EXPECT_EQ(compile().reason(), "step-failed") << "the report would be gone";
  on("gcc", [](Ran& run) { run.report.spawn_error = "no memory"; });
  EXPECT_EQ(compile().reason(), "step-failed");
  EXPECT_EQ(counted().not_cached, (Counts{{"step-failed", 3}}));
}

TEST_F(OpaqueRoute, NotesACommandWhoseFilesWouldGetLostToRunAlone) {
  EXPECT_EQ(runs_alone_after([](Ran& run) { run.files[run.in_directory("a.su")] = "stack usage"; }),
            "writes-more-than-known");
}

TEST_F(OpaqueRoute, NotesACommandWhoseOutputNamesTheTemporaryDirectoryToRunAlone) {
  EXPECT_EQ(runs_alone_after([](Ran& run) { run.replace("a.o", "see " + run.in_directory("x")); }),
            "names-temporary-files");
}

TEST_F(OpaqueRoute, LooksIntoTheNamedOutputOfARunWithoutATrace) {
  EXPECT_EQ(runs_alone_after([](Ran& run) {
              run.replace("a.o", "see " + run.in_directory("x"));
              run.traces.clear();
            }),
            "names-temporary-files");
}

TEST_F(OpaqueRoute, PassesThroughIfTheCompilerReadsADescriptorByName) {
  on("gcc", [](Ran& run) { run.saw(trace::Kind::open_read, "/dev/stdin"); });
  EXPECT_EQ(compile().reason(), "standard-input");
  EXPECT_EQ(counted().not_cached_detail["standard-input"], "/dev/stdin");
}

TEST_F(OpaqueRoute, DoesNotStoreARunWithoutATrace) {
  EXPECT_EQ(not_stored([](Ran& run) { run.traces.clear(); }), "untraceable-compiler");
}

TEST_F(OpaqueRoute, DoesNotStoreARunThatAsksForTheTime) {
  EXPECT_EQ(not_stored([](Ran& run) { run.saw(trace::Kind::clock, "localtime"); }), "clock");
}

TEST_F(OpaqueRoute, DoesNotStoreARunThatReadsWhatItWrites) {
  EXPECT_EQ(not_stored([](Ran& run) {
              run.saw(trace::Kind::open_read, "log");
              run.files["log"] = "";
              run.wrote("log");
            }),
            "reads-own-output");
}

TEST_F(OpaqueRoute, DoesNotStoreARunThatMakesMoreThanFiles) {
  EXPECT_EQ(not_stored([&](Ran& run) {
              std::filesystem::create_directory(in_work("made"));
              run.wrote("made");
            }),
            "writes-elsewhere");
}

TEST_F(OpaqueRoute, DoesNotStoreARunThatLeavesAnUnusualMode) {
  EXPECT_EQ(not_stored([&](Ran& run) {
              run.files.erase("a.o");
              write("a.o",
                    "\x7f"
                    "ELF");
              chmod(in_work("a.o").c_str(), 0600 | S_IXUSR | S_IXOTH);
            }),
            "unusual-mode");
}

TEST_F(OpaqueRoute, StoresNothingInAReadOnlyCache) {
  set("HIPCACHE_READONLY", "1");
  for (int times = 0; times < 2; ++times) EXPECT_THAT(compile().asked, ElementsAre("gcc"));
  EXPECT_THAT(made_.store.actions, IsEmpty());
  EXPECT_THAT(made_.store.blobs, IsEmpty());
}

TEST_F(OpaqueRoute, PassesThroughIfAStoredOutputsPlaceIsUnusualNow) {
  compile();
  std::filesystem::remove(in_work("a.o"));
  std::filesystem::create_symlink("elsewhere", in_work("a.o"));
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, IsEmpty());
  EXPECT_EQ(reply.reason(), "output-not-a-regular-file");
}

TEST_F(OpaqueRoute, RunsAgainIfTheStoreHasLostTheOutput) {
  compile();
  made_.store.blobs.erase(digest_of("made by gcc for all"));
  EXPECT_THAT(compile().asked, ElementsAre("gcc"));
  EXPECT_EQ(counted().errors, 0u);
  EXPECT_THAT(compile().asked, IsEmpty());
}

TEST_F(OpaqueRoute, CountsARequestWhoseClientIsGone) {
  on("gcc", [](Ran& run) { run.hangs_up = true; });
  EXPECT_EQ(compile().reason(), "nothing");
  EXPECT_EQ(counted().aborted, 1u);
  EXPECT_EQ(services_.job_slots.running(), 0u);
}

TEST_F(OpaqueRoute, ComparesAnAuditedHitWithTheCompiler) {
  compile();
  set("HIPCACHE_AUDIT", "1");
  EXPECT_THAT(compile().asked, ElementsAre("gcc"));
  EXPECT_EQ(counted().audited_hits.hits, 1u);
  EXPECT_EQ(counted().audited_hits.differences, 0u);
  on("gcc", [](Ran& run) { run.replace("a.o", "something else"); });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().audited_hits.differences, 1u);
  EXPECT_THAT(logged(), HasSubstr("an audit found that the compiler makes something else now"));
  set("HIPCACHE_AUDIT", "0");
  EXPECT_THAT(compile().asked, ElementsAre("gcc")) << "the wrong entry is gone";
}

class PythonRoute : public OpaqueRoute {
 protected:
  PythonRoute() {
    argv_ = {"iree-compile", "a.mlir", "-o", "a.vmfb"};
    write("a.mlir", "source\n");
    write_script("from iree.compiler.tools.scripts.iree_compile.__main__ import main\n");
    on("iree-compile", [](Ran& run) {
      run.traces[".trace"] = {{trace::Kind::program, true, "/usr/bin/python3"},
                              {trace::Kind::clock, true, std::string(trace::kPythonsClock)},
                              {trace::Kind::end, true, ""}};
      run.wrote("a.vmfb");
    });
  }

  void write_script(const std::string& import) {
    const std::string path = scratch_.write("bin/iree-compile", "#!/usr/bin/python3\nimport sys\n" + import);
    chmod(path.c_str(), 0755);
  }
};

TEST_F(PythonRoute, IsStoredIfTheScriptOnlyStartsTheCompiler) {
  EXPECT_THAT(compile().asked, ElementsAre("iree-compile"));
  EXPECT_THAT(compile().asked, IsEmpty());
  EXPECT_EQ(counted().hit, 1u);
}

TEST_F(PythonRoute, IsNotStoredIfTheCompilerAsksForTheTime) {
  on("iree-compile", [](Ran& run) {
    run.traces[".trace"] = {{trace::Kind::program, true, "/usr/bin/python3"},
                            {trace::Kind::clock, true, "localtime"},
                            {trace::Kind::end, true, ""}};
  });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().not_stored, (Counts{{"clock", 1}}));
}

TEST_F(PythonRoute, RunsEachTimeIfTheScriptImportsMore) {
  write_script("import time\n");
  EXPECT_EQ(compile().reason(), "compiler-is-a-wrapper");
}

class LinkRoute : public OpaqueRoute {
 protected:
  LinkRoute() {
    argv_ = {"gcc", "a.o", "-o", "program"};
    write("a.o", "object");
  }
};

TEST_F(LinkRoute, IsStored) {
  compile();
  EXPECT_THAT(compile().outputs, ElementsAre(Pair("program", "made by gcc for all")));
  EXPECT_EQ(counted().link.run, 1u);
  EXPECT_EQ(counted().link.hit, 1u);
}

TEST_F(LinkRoute, RunsAloneOnceItWasTooLargeForItsTime) {
  on("gcc", [](Ran& run) { run.replace("program", std::string(2u << 20, 'x')); });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().not_stored, (Counts{{"not-worth-storing", 1}}));
  const Reply next = compile();
  EXPECT_THAT(next.asked, IsEmpty());
  EXPECT_EQ(next.reason(), "not-worth-storing");
}

TEST_F(LinkRoute, IsStoredIfItTakesLongEnoughForItsSize) {
  on("gcc", [](Ran& run) {
    run.replace("program", std::string(2u << 20, 'x'));
    run.report.duration_us = 1'000'000;
  });
  compile();
  EXPECT_EQ(compile().outputs.at("program"), std::string(2u << 20, 'x')) << "through a descriptor";
  EXPECT_EQ(counted().hit, 1u);
}

TEST_F(LinkRoute, RunsAloneIfItReplacesALargeFile) {
  write("program", "");
  std::filesystem::resize_file(in_work("program"), (16u << 20) + 1);
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, IsEmpty());
  EXPECT_EQ(reply.reason(), "not-worth-storing");
}

TEST_F(LinkRoute, IsNotStoredIfTheLinkerDrawsByChance) {
  EXPECT_EQ(not_stored([](Ran& run) { run.saw(trace::Kind::open_read, "/dev/urandom"); }), "linker-option");
}

TEST_F(LinkRoute, IsNotStoredIfItNamesATemporaryFile) {
  EXPECT_EQ(not_stored([](Ran& run) {
              run.wrote(run.in_directory("cc1234.o"));
              run.replace("program", "of cc1234.o");
            }),
            "prints-temporary-names");
}

// Adds a.o to libx.a, which is there.
class ArchiveRoute : public OpaqueRoute {
 protected:
  static constexpr const char* kOld = "!<arch>\n";

  ArchiveRoute() {
    argv_ = {"ar", "rcsD", "libx.a", "a.o"};
    write("a.o", "object");
    write("libx.a", kOld);
    on("ar", [&](Ran& run) { update(run); });
  }

  // `read_as`: the state in which it found the archive.
  void update(Ran& run, std::uint64_t read_as) const {
    run.saw(trace::Kind::open_read, "a.o");
    run.saw(trace::Kind::open_read, "libx.a", true, read_as);
    run.files["libx.a"] = member("0");
    run.wrote("libx.a");
  }
  void update(Ran& run) const {
    struct stat status{};
    EXPECT_EQ(stat(in_work("libx.a").c_str(), &status), 0);
    update(run, trace::seen_file(status));
  }
  static std::string member(const std::string& time) {
    std::string header(60, ' ');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    put(0, "a.o/");
    put(16, time);
    put(28, "0");
    put(34, "0");
    put(40, "644");
    put(48, "6");
    put(58, "`\n");
    return kOld + header + "object";
  }
};

TEST_F(ArchiveRoute, IsStoredForTheContentsThatItUpdates) {
  EXPECT_THAT(compile().asked, ElementsAre("ar"));
  write("libx.a", kOld);
  EXPECT_THAT(compile().outputs, ElementsAre(Pair("libx.a", member("0"))));
  EXPECT_EQ(counted().archive.run, 1u);
  EXPECT_EQ(counted().archive.hit, 1u);
  write("libx.a", member("0"));
  EXPECT_THAT(compile().asked, ElementsAre("ar")) << "the archive has another content";
}

TEST_F(ArchiveRoute, IsNotStoredIfItHoldsTimes) {
  on("ar", [&](Ran& run) {
    update(run);
    run.files["libx.a"] = member("1234567890");
  });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().not_stored, (Counts{{"archive-times", 1}}));
}

TEST_F(ArchiveRoute, IsNotStoredIfAnotherProcessChangedTheArchiveMeanwhile) {
  on("ar", [&](Ran& run) { update(run, 1234); });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().not_stored, (Counts{{"input-changed", 1}}));
}

}  // namespace
}  // namespace hipcache::daemon
