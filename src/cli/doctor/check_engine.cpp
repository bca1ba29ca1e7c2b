// Whether the engine of remote execution answers, takes actions, and has workers with this machine's toolchain.
//
// The problem: an engine that is dead, has no worker, or has another image costs a build nothing but the hope, so
// nobody notices. The choice: one small action that runs the compiler's programs with `--version` under the trace
// library, as a real step runs them. The trace that comes back has the digest of each program and library, which are
// compared with those of here. Rejected: the digests of a tool such as sha256sum, which an image may lack; a compile,
// which takes seconds and says less about what is wrong.
//
// The daemon is not asked: the engine is the one that the user's settings name.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/doctor/checks.h"
#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/base/text.h"
#include "hipcache/config/values.h"
#include "hipcache/protocol/worker_image.h"
#include "hipcache/trace/seen.h"

namespace hipcache::cli {
namespace {

using namespace std::chrono_literals;
using protocol::ExecuteOutcome;
using Wait = std::chrono::milliseconds;
using trace::Kind;
using trace::Record;

// As the daemon's steps: longer no build waits for a worker.
constexpr Wait kQueue = 2s;
constexpr Wait kRun = 10s;
constexpr Wait kAnswer = 15s;  // for the way there and back: hipcache-remote's own limits are shorter
constexpr std::uint64_t kTraceLimit = 16u << 20;

constexpr std::string_view kDirectory = "/hipcache-doctor";  // on the worker
constexpr const char* kTrace = "trace";
constexpr const char* kLibrary = "/libhipcache-trace.so";

std::string name_of(const config::ExecuteUrl& url) { return "the engine " + url.server.shown; }

std::string worker_of(const protocol::RemoteExecuted& executed) {
  return executed.worker.empty() ? "the worker" : "the worker " + executed.worker;
}

// hipcache-remote, with this process in the daemon's place.
class Remote {
 public:
  static Result<Remote> start(const std::string& program, const Words& environment, const std::string& url) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      return system_error("cannot make", "a socket");
    protocol::Channel channel{UniqueFd(ends[0])};
    const UniqueFd other(ends[1]), null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    const Result<pid_t> pid = spawn({.program = program,
                                     .argv = {program},
                                     .environment = environment,
                                     .stdin_fd = other.get(),
                                     .stdout_fd = null.get(),
                                     .stderr_fd = null.get()});
    if (!pid) return pid.error();
    Remote remote(std::move(channel), *pid);
    if (Status sent = protocol::send(remote.channel_, protocol::RemoteConfigure{.execute = url}, kAnswer); !sent)
      return sent.error();
    return remote;
  }
  // It ends when its daemon does.
  ~Remote() {
    if (pid_ == 0) return;
    channel_ = protocol::Channel(UniqueFd());
    [[maybe_unused]] const Result<ExitStatus> ended = wait_for(pid_);
  }
  Remote(Remote&& other) noexcept : channel_(std::move(other.channel_)), pid_(std::exchange(other.pid_, 0)) {}
  Remote& operator=(Remote&&) = delete;

  // The answer of that kind. Others are passed over.
  template <typename Answer>
  Result<Answer> ask(const protocol::RemoteMessage& question, Wait limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    if (Status sent = protocol::send(channel_, question, limit); !sent) return sent.error();
    for (;;) {
      const auto left = std::chrono::ceil<Wait>(until - std::chrono::steady_clock::now());
      Result<protocol::RemoteMessage> message = protocol::receive_remote(channel_, std::max(left, Wait(0)));
      if (!message) return message.error();
      if (auto* answer = std::get_if<Answer>(&*message)) return std::move(*answer);
    }
  }

 private:
  Remote(protocol::Channel channel, pid_t pid) : channel_(std::move(channel)), pid_(pid) {}

  protocol::Channel channel_;
  pid_t pid_;
};

// Links are resolved: by these names the trace has them.
Words programs_of(const Examination& examination) {
  if (examination.hip_compiler.empty()) return {};
  Words asked = examination.hip_compiler;
  asked.insert(asked.end(), {"-###", "-x", "hip", "-c", "/dev/null", "-o", "/dev/null"});
  const Result<Ran> ran = run_program(asked, examination.environment);
  return ran ? device_programs_in(ran->err) : Words();
}

// Where the first program and its libraries lie: /opt/rocm/lib/llvm for /opt/rocm/lib/llvm/bin/clang.
std::string toolchain_of(const Words& programs) {
  return programs.empty() ? "" : std::string(directory_name(directory_name(programs.front())));
}

std::vector<Record> records_in(const protocol::RemoteExecuted& executed) {
  if (executed.outputs.empty()) return {};
  const Result<std::string> bytes = read_file(executed.outputs.front().file, kTraceLimit);
  Result<std::vector<Record>> records = bytes ? trace::read_records(*bytes) : bytes.error();
  return records ? std::move(*records) : std::vector<Record>();
}

Finding finding_on_failure(const protocol::RemoteExecuted& executed, const config::ExecuteUrl& url) {
  if (executed.outcome == ExecuteOutcome::expired)
    return {Level::error,
            "no worker took a small action in " + std::to_string(kQueue.count() / 1000) + " s: is a worker " +
                (url.properties.empty() ? "" : "with the properties " + config::format_list(url.properties) + " ") +
                "running?"};
  return {Level::error,
          name_of(url) + " answers, and did not run a small action: " + executed.detail + "; its own log may say more"};
}

// A value of the URL is not shown (hipcache/config/shown.h).
Words names_of(const Words& properties) {
  Words names;
  for (const std::string& property : properties) names.push_back(property.substr(0, property.find('=')));
  return names;
}

// The shell has printed the names of those that are not there.
std::optional<Finding> finding_on_program(const std::string& program, const protocol::RemoteExecuted& executed,
                                          const std::vector<Record>& traced) {
  const std::string worker = worker_of(executed);
  if (("\n" + executed.stdout_text).find("\n" + program + "\n") != std::string::npos)
    return Finding{Level::error, worker + " has no " + program + ": install the toolchain on its image"};
  const bool has_run = std::any_of(traced.begin(), traced.end(), [&](const Record& record) {
    return record.kind == Kind::program && record.text == program;
  });
  if (has_run) return std::nullopt;
  return Finding{Level::error, program + " cannot be traced on " + worker +
                                   ", so no result is proved: its image needs this machine's C library"};
}

// The programs and libraries that differ, or are missing on one of the machines.
Words different_in(const std::vector<Record>& traced) {
  Words different;
  for (const Record& record : traced)
    if (record.kind == Kind::content && !record.found && trace::content_of_program(record.text) != record.seen)
      different.push_back(record.text);
  return different;
}

}  // namespace

Words device_programs_in(const std::string& jobs) {
  Words programs;
  std::istringstream lines(jobs);
  for (std::string line; std::getline(lines, line);) {
    const bool is_device =
        line.find("\"-triple\" \"amdgcn") != std::string::npos || line.find("amdgpu\"") != std::string::npos;
    if (!line.starts_with(" \"") || !is_device) continue;
    const std::string program = real_path(line.substr(2, line.find('"', 2) - 2));
    if (program.starts_with('/') && !holds(programs, program)) programs.push_back(program);
  }
  return programs;
}

protocol::RemoteExecute small_action(const Words& programs, const std::string& trace_library,
                                     const std::string& output_directory) {
  const std::string directory(kDirectory);
  const std::string traced = "LD_PRELOAD=" + directory + kLibrary + " HIPCACHE_TRACE=" + directory + "/" + kTrace +
                             " " + std::string(trace::kContents) + "=1 ";
  // Prints the programs that are missing, and what the others say of themselves. lld by itself complains of its name,
  // so what is left on standard error is the worker's own.
  std::string script;
  for (const std::string& program : programs) {
    const std::string word = shell_word(program);
    script.append("if test -x ").append(word).append("; then ").append(traced).append(word);
    script.append(" --version 2>/dev/null; else echo ").append(word).append("; fi; ");
  }
  protocol::RemoteExecute action{.id = 1,
                                 .argv = protocol::in_input_root(script + ":", toolchain_of(programs)),
                                 .working_directory = "/",
                                 .inputs = {{.path = directory + kLibrary, .source = trace_library}},
                                 .outputs = {directory.substr(1) + "/" + kTrace},
                                 .deadline_ms = static_cast<std::uint64_t>(kRun.count()),
                                 .queue_limit_ms = static_cast<std::uint64_t>(kQueue.count()),
                                 .output_directory = output_directory};
  for (protocol::ExecuteInput& link : protocol::links_of_system()) action.inputs.push_back(std::move(link));
  return action;
}

Finding finding_on(const protocol::RemoteEngineAnswer& answer, const config::ExecuteUrl& url) {
  if (!answer.ok)
    return {Level::error,
            name_of(url) + " cannot be used: " + answer.detail + "; builds run here without it (docs/execution.md)"};
  return {Level::ok,
          name_of(url) + " answers" + (answer.version.empty() ? "" : " (API " + answer.version + ")") + " and " +
              answer.detail +
              (url.properties.empty() ? "" : "; asked for " + config::format_list(names_of(url.properties)))};
}

std::vector<Finding> findings_on(const protocol::RemoteExecuted& executed, const Words& programs,
                                 const std::vector<Record>& traced, const config::ExecuteUrl& url) {
  if (executed.outcome != ExecuteOutcome::done) return {finding_on_failure(executed, url)};
  std::vector<Finding> findings;
  const std::string worker = worker_of(executed);
  if (executed.exit_code != 0)
    return {{Level::error, worker + " ended a shell with " + std::to_string(executed.exit_code) + ": " +
                               first_line(executed.stderr_text) + "; its image needs /bin/sh and this machine's C " +
                               "library, and unless the input root is its \"/\", its container must allow mounts " +
                               "(docs/execution.md)"}};
  for (const std::string& program : programs)
    if (auto finding = finding_on_program(program, executed, traced)) findings.push_back(*std::move(finding));
  if (!executed.stderr_text.empty())
    findings.push_back(
        {Level::error, worker + " prints \"" + first_line(executed.stderr_text) +
                           "\" beside what a compiler prints, so no result is used: find what its shell, "
                           "loader or sandbox complains about"});
  const Words different = different_in(traced);
  if (!different.empty())
    findings.push_back({Level::error, worker + " has another " + different.front() +
                                          (different.size() == 1 ? ""
                                                                 : " (and " + std::to_string(different.size() - 1) +
                                                                       " more programs and libraries)") +
                                          ": install this machine's packages on its image"});
  if (!findings.empty()) return findings;
  const std::string took = worker + " took a small action after " + std::to_string(executed.queue_us / 1000) +
                           " ms and ran it in " + std::to_string(executed.execution_us / 1000) + " ms";
  if (programs.empty()) return {{Level::note, took + "; no HIP compiler is here to be compared with the worker's"}};
  return {{Level::ok, took + "; it has " + config::format_list(programs) + " of here"}};
}

void check_engine(Examination& examination) {
  if (!examination.settings || !examination.settings->execute) return;
  if (!examination.remote_program || examination.trace_library.empty()) return;  // check_programs has said why
  const config::ExecuteUrl& url = *examination.settings->execute;
  Findings& findings = examination.findings;
  const auto say = [&](Finding finding) { findings.add(finding.level, std::move(finding.text)); };
  Result<Remote> remote = Remote::start(*examination.remote_program, examination.environment, url.text);
  if (!remote) return findings.error(name_of(url) + " cannot be asked: " + remote.error().message);
  const Wait way = kAnswer + url.server.connect_timeout + url.server.timeout;
  const auto answer = remote->ask<protocol::RemoteEngineAnswer>(protocol::RemoteEngineQuestion{.id = 1}, way);
  if (!answer) return findings.error(name_of(url) + " cannot be asked: " + answer.error().message);
  say(finding_on(*answer, url));
  if (!answer->ok) return;
  const Result<std::string> place = make_place();
  if (!place) return findings.error(name_of(url) + " is not tried: " + place.error().message);
  const Words programs = programs_of(examination);
  const auto executed = remote->ask<protocol::RemoteExecuted>(small_action(programs, examination.trace_library, *place),
                                                              way + kQueue + kRun);
  if (executed)
    for (Finding& finding : findings_on(*executed, programs, records_in(*executed), url)) say(std::move(finding));
  else
    findings.error(name_of(url) + " does not say what came of an action: " + executed.error().message);
  [[maybe_unused]] const Status removed = remove_tree(*place);  // a temporary directory: others remove the rest
}

}  // namespace hipcache::cli
