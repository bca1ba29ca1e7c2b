#include "protocol/samples.h"

namespace hipcache::protocol {
namespace {

using namespace std::string_literals;

CompileRequest compile_request() {
  CompileRequest request;
  request.build = "1.2.3/4";
  request.argv = {"clang++", "", "-DNAME=\xff\xfe not UTF-8", "-c"};
  request.environment = {"PATH=/usr/bin:/bin", "EMPTY="};
  request.working_directory = "/home/user/project";
  request.mount_view = {4026531840, 65025, 2};
  request.umask = 022;
  request.streams = "80x24,,132x50=";
  request.pwd_leads_here = true;
  request.plan_only = true;
  request.explain = true;
  return request;
}

RunStep run_step() {
  RunStep step;
  step.step = 7;
  step.directory = "/cache/tmp/a1";
  step.commands = {{"/usr/bin/clang", {"clang", "-cc1", "a\nb"}}, {"/usr/bin/lld", {"lld"}}};
  step.trace_path = "/cache/tmp/a1/trace";
  step.trace_library = "/usr/lib/libhipcache-trace.so";
  return step;
}

StepDone step_done() {
  StepDone report;
  report.step = 7;
  report.exit_code = -1;
  report.failed_command = 1;
  report.started_ns = 1'700'000'000'123'456'789;
  report.duration_us = 1'500'000;
  report.processor_us = 1'400'000;
  report.peak_bytes = 150'000'000;
  report.stdout_text = "out\0put"s;
  report.stderr_text = "a.hip:1:1: warning: \xe2\x80\x98x\xe2\x80\x99\n";
  report.doubt = "it prints too much";
  report.spawn_error = "cannot start /usr/bin/lld: No such file or directory";
  return report;
}

Finish finish() {
  Finish message;
  message.exit_code = 1;
  message.stdout_text = "out\0put"s;
  message.stderr_text = "a.hip:1:1: warning: \xe2\x80\x98x\xe2\x80\x99\n";
  message.outputs = {{"a.o"},
                     {"dir/a.d", true},
                     {"app", false, true},
                     {"b.d", true, false, "b.o: b.hip\n"},
                     {"c.o", false, false, "", true}};
  message.removed = {"b.o"};
  return message;
}

PlanReport plan_report() {
  PlanReport report;
  report.reason = "unsupported-option";
  report.cuid = "0123456789abcdef";
  report.request_key = "00112233445566778899aabbccddeeff";
  report.request_stored = true;
  report.steps = {{"device gfx906", "ff", true, 400}, {"host", "", false, 0}};
  report.steps[0].is_sent = true;
  report.steps[1].not_sent = "not a device step";
  report.not_sent = "no engine is set";
  report.at_once = "1, by the build tool's -j1";
  return report;
}

Explanation explanation() {
  Explanation report;
  report.reason = "unsupported-option";
  report.detail = "-fnew";
  report.compared = 3;
  report.request = {"request", Verdict::depends, {{Differs::argument_added, "-O3", "", ""}}, 0};
  report.steps = {{"device gfx906",
                   Verdict::runs,
                   {{Differs::content, "/a.h", "0123456789abcdef", "fedcba9876543210"},
                    {Differs::variable_changed, "CPATH", "", ""}},
                   17,
                   {{TiedBy::own_name, "/src/a.h", "/src", 2}}},
                  {"host", Verdict::stored, {}, 0, {{TiedBy::uname, "", "", 0}}}};
  return report;
}

}  // namespace

std::vector<Sample> samples() {
  return {{"compile_request", compile_request()},
          {"control_request", ControlRequest{"1.2.3/4", ControlKind::cleanup}},
          {"step_done", step_done()},
          {"pass_through", PassThrough{"compiler-is-a-wrapper", "/l.so"}},
          {"run_step", run_step()},
          {"finish", finish()},
          {"plan_report", plan_report()},
          {"control_reply", ControlReply{"no room", "{}"}},
          {"version_mismatch", VersionMismatch{"1.2.2/3"}},
          {"busy", Busy{"too many requests"}},
          {"keep_waiting", KeepWaiting{}},
          {"explanation", explanation()},
          {"stop_step", StopStep{7}}};
}

}  // namespace hipcache::protocol
