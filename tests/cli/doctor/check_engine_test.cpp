// What --doctor says of an engine. With a real one: tests/remote/machines/execution_doctor_test.py.
#include "cli/doctor/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hipcache/trace/seen.h"
#include "support/scratch.h"

namespace hipcache::cli {
namespace {

using protocol::ExecuteOutcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Kind;
using trace::Record;

config::ExecuteUrl url_with(const std::string& options = "") {
  return *config::parse_execute_url("grpc://engine:8980/" + options);
}

// A program of here, and what its run on a worker leaves.
class CheckEngine : public testing::Test {
 protected:
  std::vector<Record> trace_of(const std::string& program, std::uint64_t more = 0) const {
    return {{Kind::program, true, program},
            {Kind::content, false, program, *trace::content_of_program(program) + more}};
  }
  std::vector<std::string> lines(const protocol::RemoteExecuted& executed, const std::vector<Record>& traced,
                                 const std::string& options = "") const {
    std::vector<std::string> lines;
    for (const Finding& finding : findings_on(executed, {program_}, traced, url_with(options)))
      lines.push_back(to_line(finding));
    return lines;
  }

  const support::Scratch scratch_;
  const std::string program_ = scratch_.write("clang", "a program");
  const protocol::RemoteExecuted done_{
      .outcome = ExecuteOutcome::done, .worker = "w1", .queue_us = 3'000, .execution_us = 40'000};
};

TEST_F(CheckEngine, TakesTheProgramsOfTheDeviceFromTheDriversJobs) {
  EXPECT_THAT(device_programs_in(
                  "clang version 19\n"
                  " \"" +
                  program_ +
                  "\" \"-cc1\" \"-triple\" \"amdgcn-amd-amdhsa\"\n"
                  " \"/no/lld\" \"-flavor\" \"gnu\" \"-m\" \"elf64_amdgpu\"\n"
                  " \"" +
                  program_ +
                  "\" \"-cc1\" \"-triple\" \"amdgcn-amd-amdhsa\" \"gfx90a\"\n"
                  " \"/usr/bin/host\" \"-cc1\" \"-triple\" \"x86_64-linux-gnu\" \"-aux-triple\" \"amdgcn-amd-amdhsa\"\n"
                  " \"/usr/bin/bundler\" \"-targets=host-x86_64,hipv4-amdgcn-amd-amdhsa--gfx906\"\n"),
              ElementsAre(program_, "/no/lld"));
  EXPECT_THAT(device_programs_in("clang: error: no such file"), IsEmpty());
}

TEST_F(CheckEngine, AsksForEachProgramByItsName) {
  const protocol::RemoteExecute action = small_action({"/opt/it's/clang"}, "/lib.so", "/out");
  EXPECT_THAT(action.argv.back(), HasSubstr("test -x '/opt/it'\\''s/clang'"));
  EXPECT_THAT(action.argv.back(), HasSubstr("HIPCACHE_TRACE_CONTENTS=1 '/opt/it'\\''s/clang' --version"));
  EXPECT_THAT(action.argv[4], HasSubstr(" '/opt'")) << "the directory of the image that has it";
  EXPECT_EQ(action.inputs.front().source, "/lib.so");
  EXPECT_LE(action.deadline_ms + action.queue_limit_ms, 15'000u) << "some seconds";
}

TEST_F(CheckEngine, SaysWhatTheEngineOffers) {
  EXPECT_EQ(to_line(finding_on({.ok = true, .detail = "executes, with SHA-256", .version = "2.3"},
                               url_with("?property=pool:gfx9"))),
            "ok       the engine grpc://engine:8980?property answers (API 2.3) and executes, with SHA-256; "
            "asked for pool\n");
  EXPECT_THAT(to_line(finding_on({.detail = "connection refused"}, url_with())),
              HasSubstr("error    the engine grpc://engine:8980 cannot be used: connection refused"));
}

TEST_F(CheckEngine, IsContentWithAWorkerThatHasTheProgramsOfHere) {
  EXPECT_THAT(lines(done_, trace_of(program_)),
              ElementsAre("ok       the worker w1 took a small action after 3 ms and ran it in 40 ms; it has " +
                          program_ + " of here\n"));
}

TEST_F(CheckEngine, SaysWhichPropertiesNoWorkerHas) {
  const protocol::RemoteExecuted expired{.outcome = ExecuteOutcome::expired};
  EXPECT_THAT(lines(expired, {}, "?property=pool:gfx9"),
              ElementsAre("error    no worker took a small action in 2 s: is a worker with the properties pool=gfx9 "
                          "running?\n"));
  EXPECT_THAT(lines(expired, {}), ElementsAre(HasSubstr("is a worker running?")));
}

TEST_F(CheckEngine, SaysWhatTheEngineSaysOfAnActionThatItDidNotRun) {
  EXPECT_THAT(lines({.outcome = ExecuteOutcome::refused, .detail = "permission denied"}, {}),
              ElementsAre(HasSubstr("did not run a small action: permission denied")));
  protocol::RemoteExecuted failed = done_;
  failed.exit_code = 127, failed.stderr_text = "no /bin/sh\n";
  EXPECT_THAT(lines(failed, {}), ElementsAre(HasSubstr("ended a shell with 127: no /bin/sh")));
}

TEST_F(CheckEngine, NamesAProgramThatTheImageLacks) {
  protocol::RemoteExecuted executed = done_;
  executed.stdout_text = "lld 19\n" + program_ + "\n";
  EXPECT_THAT(lines(executed, {}),
              ElementsAre("error    the worker w1 has no " + program_ + ": install the toolchain on its image\n"));
}

TEST_F(CheckEngine, NamesAProgramThatLeavesNoTrace) {
  EXPECT_THAT(lines(done_, {}), ElementsAre(HasSubstr(program_ + " cannot be traced on the worker w1")));
}

TEST_F(CheckEngine, NamesAProgramOrLibraryThatDiffers) {
  EXPECT_THAT(lines(done_, trace_of(program_, 1)), ElementsAre("error    the worker w1 has another " + program_ +
                                                               ": install this machine's packages on its image\n"));
  std::vector<Record> traced = trace_of(program_, 1);
  traced.push_back({Kind::content, false, "/no/library.so", 5});
  EXPECT_THAT(lines(done_, traced), ElementsAre(HasSubstr("(and 1 more programs and libraries)")));
}

TEST_F(CheckEngine, SaysThatNothingWasComparedWithoutACompiler) {
  EXPECT_EQ(findings_on(done_, {}, {}, url_with()).front().level, Level::note);
}

}  // namespace
}  // namespace hipcache::cli
