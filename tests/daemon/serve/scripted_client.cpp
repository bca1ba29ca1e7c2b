#include "daemon/serve/scripted_client.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <utility>

#include "daemon/serve/compile_service.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/inputs/file_clock.h"
#include "support/elf_object.h"
#include "support/file_clock.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

constexpr auto kPatience = 60s;  // for what must come

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string after(const Words& words, const std::string& option) {
  const auto at = std::find(words.begin(), words.end(), option);
  return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
}

// Of "-output=" and the like.
std::string value_of(const Words& words, const std::string& option) {
  for (const std::string& word : words)
    if (word.starts_with(option)) return word.substr(option.size());
  return "";
}

std::string name_of_frontend(const Words& argv) {
  const bool proves =
      std::any_of(argv.begin(), argv.end(), [](const std::string& word) { return word.ends_with("/proof.hip"); });
  const bool splits = has(argv, hip::kThen);
  if (!has(argv, "-fcuda-is-device") && after(argv, "-x") != "ir") return proves ? "fatbin proof" : "host";
  const std::string arch = " " + after(argv, "-target-cpu");
  if (proves) return "split proof" + arch;
  if (splits) return "both" + arch;
  if (has(argv, "-emit-llvm-bc")) return "front" + arch;
  return (after(argv, "-x") == "ir" ? "back" : "device") + arch;
}

std::string name_of(const protocol::RunStep& step) {
  const Words& argv = step.commands.front().argv;
  const std::string_view program = base_name(step.commands.front().program);
  const protocol::Command& last = step.commands.back();
  if (base_name(last.program) == "clang-linker-wrapper")
    return has(last.argv, "--dry-run") ? "wrapper probe" : "bundle";
  if (!value_of(argv, "-mcpu=").empty()) return "back end " + value_of(argv, "-mcpu=");
  if (support::exists(step.directory + "/driver")) return "probe through wrapper";
  if (has(argv, "-###")) return value_of(argv, step.directory + "/hipcache-source").empty() ? "probe" : "neutral probe";
  if (argv.size() > 1 && argv[1] == "-cc1") return name_of_frontend(argv);
  return program == "clang-offload-bundler" ? "bundle" : std::string(program);
}

// The words of each command that one start of a program runs.
std::vector<Words> commands_of(const protocol::Command& command) {
  std::vector<Words> commands(1);
  for (const std::string& word : command.argv) {
    if (word == hip::kThen)
      commands.emplace_back();
    else
      commands.back().push_back(word);
  }
  return commands;
}

// A front end for the host puts the fatbin into its object.
std::string bytes_of(const Words& argv) {
  const std::string fatbin = after(argv, "-fcuda-include-gpubinary");
  if (!fatbin.empty()) return support::around(support::read_bytes(fatbin), base_name(argv.back()));
  const std::string cpu = after(argv, "-target-cpu");
  if (has(argv, "-emit-llvm-bc")) return "bitcode for " + cpu;
  return "made by " + std::string(base_name(argv.front())) + " for " + (cpu.empty() ? "all" : cpu);
}

void leave_files(const Words& argv, Ran& run) {
  std::string output = after(argv, "-o");
  if (output.empty()) output = value_of(argv, "-output=");
  if (!output.empty()) run.files[output] = bytes_of(argv);
  const std::string depfile = after(argv, "-dependency-file");
  if (!depfile.empty()) run.files[depfile] = "a.o: a.hip\n";
}

void trace(const std::string& ending, const std::string& program, const Words& read, Ran& run) {
  std::vector<trace::Record>& records = run.traces[ending];
  records.push_back({trace::Kind::program, true, program});
  for (const std::string& path : read) records.push_back({trace::Kind::open_read, true, path});
  records.push_back({trace::Kind::end, true, ""});
}

// What src/trace/preload/then.c leaves of a front end, a back end and a linker.
void trace_both(const protocol::Command& command, Ran& run) {
  const std::string& compiler = command.program;
  trace(".trace", compiler, {commands_of(command).front().back()}, run);
  trace(".trace.then", compiler, {}, run);
  const std::vector<Words> commands = commands_of(command);
  trace(".trace.then", commands.back().front(), {}, run);
  run.files[run.step.trace_path + ".first"] = "1000";
  run.files[run.step.trace_path + ".said"] = "";
}

// Of a compile that the daemon does not split: it reads its sources, and writes its outputs where they belong.
void trace_opaque(Ran& run) {
  const Words& argv = run.step.commands.front().argv;
  for (const std::string& word : argv)
    if (word.ends_with(".c") || word.ends_with(".hip")) run.saw(trace::Kind::open_read, word);
  for (const auto& [path, bytes] : run.files) run.wrote(path);
}

// The recorded programs are in /usr/lib/llvm-19/bin and the like.
std::string at_home(std::string text, const std::string& bin) {
  for (const char* version : {"19", "22"})
    text = replaced(text, std::string("\"/usr/lib/llvm-") + version + "/bin/", "\"" + bin + "/");
  return text;
}

mode_t umask_now() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

// What the driver prints of the unit's names for the names in its own words.
std::string printed(const std::string& plan, const Ran& run, const std::string& work, const std::string& bin) {
  const Words& argv = run.step.commands.front().argv;
  const auto source =
      std::find_if(argv.begin(), argv.end(), [](const std::string& word) { return word.ends_with(".hip"); });
  std::string text = replaced(plan, "/tmp/probe", run.step.directory);
  text = replaced(text, "\"a.hip\"\n", "\"" + *source + "\"\n");
  text = replaced(text, "\"-main-file-name\" \"a.hip\"",
                  "\"-main-file-name\" \"" + std::string(base_name(*source)) + "\"");
  const std::string object = after(argv, "-o");
  text = replaced(text, "\"a.o\"", "\"" + object + "\"");
  text = replaced(text, "\"a.d\"", "\"" + object.substr(0, object.rfind('.')) + ".d\"");
  text = replaced(text, "=/build\"", "=" + work + "\"");
  // A wrapper gets the user's words alone; the trace library adds the id, from this file.
  const std::string added = run.in_directory("driver");
  std::string cuid = value_of(argv, "-cuid=");
  if (support::exists(added)) {
    const std::string words = support::read_bytes(added);
    cuid = words.substr(words.find("-cuid=") + 6).c_str();
  }
  text = replaced(text, "-cuid=0123456789abcdef", "-cuid=" + cuid);
  return at_home(std::move(text), bin);
}

}  // namespace

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string plan_of(const std::string& name) {
  return support::read_bytes(std::string(HIPCACHE_SOURCE) + "/fixtures/plans/" + name + ".txt");
}

void Ran::fail(std::string message, int exit_code) {
  report.exit_code = exit_code;
  report.stderr_text = std::move(message);
  files.clear();
}

void Ran::saw(trace::Kind kind, std::string text, bool found, std::uint64_t seen) {
  std::vector<trace::Record>& records = traces[".trace"];
  records.insert(records.end() - (records.empty() ? 0 : 1), {kind, found, std::move(text), seen});
}

void Ran::wrote(const std::string& path) {
  saw(trace::Kind::open_write, path, true, static_cast<std::uint64_t>(trace::Change::opened));
}

void Ran::replace(const std::string& ending, const std::string& bytes) {
  const auto file =
      std::find_if(files.begin(), files.end(), [&](const auto& entry) { return entry.first.ends_with(ending); });
  if (file == files.end())
    ADD_FAILURE() << name << " leaves no " << ending;
  else
    file->second = bytes;
}

std::string Reply::reason() const {
  if (const auto* passed = std::get_if<protocol::PassThrough>(&last)) return passed->reason;
  return std::holds_alternative<protocol::Finish>(last) ? "finished" : "nothing";
}

protocol::Finish Reply::finish() const {
  if (const auto* finish = std::get_if<protocol::Finish>(&last)) return *finish;
  ADD_FAILURE() << "the reply is: " << reason();
  return {};
}

RouteTest::RouteTest(const ServicesOptions& options)
    : work_(scratch_.make_directory("work")),
      bin_(scratch_.make_directory("bin")),
      plan_(replaced(plan_of("clang-19/one-arch"), "\"-O2\"", "\"-O0\"")),
      argv_{"clang++", "-x", "hip", "--offload-arch=gfx906", "-c", "a.hip", "-o", "a.o"},
      environment_{"PATH=" + bin_, "HIPCACHE_AUDIT=0", "HIPCACHE_DIR=" + scratch_.make_directory("cache"),
                   "HIPCACHE_CONFIG=" + scratch_ / "none"},
      umask_(umask_now()),
      made_([&] {
        ServicesOptions all = options;
        all.job_slots = all.engine == nullptr ? 8 : 1;  // an engine gets what finds no slot
        all.temporary_root = scratch_.make_directory("tmp");
        all.trace_library = scratch_ / "libhipcache-trace.so";
        if (all.log.empty()) all.log = scratch_ / "log";
        return all;
      }()) {
  for (const char* program : {"clang", "clang++", "lld", "clang-offload-bundler", "clang-linker-wrapper",
                              "llvm-offload-binary", "amdclang++", "gcc", "ar"})
    chmod(scratch_.write(std::string("bin/") + program, program).c_str(), 0755);
  write("a.hip", "source\n");
}

void RouteTest::set(const std::string& variable, const std::string& value) {
  std::erase_if(environment_, [&](const std::string& entry) { return entry.starts_with(variable + "="); });
  environment_.push_back(variable + "=" + value);
}

Ran RouteTest::usual_run(const protocol::RunStep& step) const {
  Ran run{.name = name_of(step), .step = step, .report = {}, .files = {}, .traces = {}};
  run.report = {.step = step.step,
                .started_ns = inputs::file_clock()(),
                .duration_us = 5000,
                .processor_us = 4000,
                .spawn_error = {},
                .stdout_text = {},
                .stderr_text = {},
                .doubt = {}};
  const bool probes = run.name.find("probe") != std::string::npos;
  if (probes)
    run.report.stderr_text = run.name == "wrapper probe"
                                 ? at_home(replaced(jobs_of_wrapper_, "/tmp/probe", step.directory), bin_)
                                 : printed(plan_, run, work_, bin_);
  const bool both = step.commands.size() == 1 && has(step.commands.front().argv, hip::kThen) &&
                    run.name.find("proof") == std::string::npos;
  if (both) trace_both(step.commands.front(), run);
  for (const protocol::Command& command : step.commands) {
    if (!probes)
      for (const Words& argv : commands_of(command))
        if (!argv.empty()) leave_files(argv, run);
    if (!both) trace(".trace", command.program, {}, run);
  }
  if (run.name == "host" || run.name.starts_with("device") || run.name.starts_with("front"))
    run.saw(trace::Kind::open_read, run.step.commands.front().argv.back());
  if (run.name == base_name(step.commands.front().program)) trace_opaque(run);
  return run;
}

// False if the client goes away.
bool RouteTest::answer(const protocol::RunStep& step, protocol::Channel& client, Reply& reply) {
  Ran run = usual_run(step);
  reply.asked.push_back(run.name);
  if (const auto edit = edits_.find(run.name); edit != edits_.end()) edit->second(run);
  if (run.hangs_up) return false;
  if (run.waits_for_stop) {
    stopped_ = run.report;
    stopped_.exit_code = 128 + SIGKILL;
    return true;
  }
  const std::string stem = step.trace_path.substr(0, step.trace_path.rfind(".trace"));
  for (const auto& [ending, records] : run.traces) EXPECT_TRUE(replace_file(stem + ending, trace::encode(records)));
  for (const auto& [path, bytes] : run.files) EXPECT_TRUE(replace_file(join_path(work_, path), bytes)) << path;
  EXPECT_TRUE(client.send(run.report, kPatience));
  return true;
}

Reply RouteTest::compile() {
  support::await_next_tick();
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  auto daemon = std::make_unique<protocol::Channel>(UniqueFd(ends[0]));
  auto client = std::make_unique<protocol::Channel>(UniqueFd(ends[1]));
  const protocol::CompileRequest request{.build = {},
                                         .argv = argv_,
                                         .environment = environment_,
                                         .working_directory = work_,
                                         .mount_view = {},
                                         .umask = umask_,
                                         .streams = {},
                                         .plan_only = asks_for_plan_};
  const auto served = std::async(std::launch::async, [&] {
    serve_compile(*daemon, request, services_);
    daemon.reset();
  });
  Reply reply;
  while (client) {
    Result<protocol::Received> received = client->receive(kPatience);
    if (!received) break;
    if (const auto* step = std::get_if<protocol::RunStep>(&received->message)) {
      if (!answer(*step, *client, reply)) client.reset();
      continue;
    }
    if (const auto* stop = std::get_if<protocol::StopStep>(&received->message)) {
      EXPECT_EQ(stop->step, stopped_.step);
      EXPECT_TRUE(client->send(stopped_, kPatience));
      continue;
    }
    if (const auto* plan = std::get_if<protocol::PlanReport>(&received->message)) reply.plan = *plan;
    if (const auto* passed = std::get_if<protocol::PassThrough>(&received->message)) reply.last = *passed;
    if (const auto* finish = std::get_if<protocol::Finish>(&received->message)) {
      reply.last = *finish;
      auto descriptor = received->descriptors.begin();
      for (const protocol::PlacedOutput& output : finish->outputs)
        reply.outputs[output.path] = output.content
                                         ? *output.content
                                         : support::read_bytes("/proc/self/fd/" + std::to_string(descriptor++->get()));
    }
    break;
  }
  client.reset();
  served.wait();
  return reply;
}

protocol::PlanReport RouteTest::plan() {
  asks_for_plan_ = true;
  Reply reply = compile();
  asks_for_plan_ = false;
  EXPECT_TRUE(reply.plan.has_value());
  return reply.plan.value_or(protocol::PlanReport());
}

}  // namespace hipcache::daemon
