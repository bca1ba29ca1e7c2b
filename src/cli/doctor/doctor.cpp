#include "cli/doctor/doctor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "cli/doctor/checks.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/client/daemon_link.h"
#include "hipcache/config/cache_place.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"

namespace hipcache::cli {

namespace {

std::string name_of(Level level) {
  switch (level) {
    case Level::ok:
      return "ok";
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "error";
}

using Check = void (*)(Examination& examination);

std::string without_prefix(const std::string& message) {
  constexpr std::string_view kBefore = "hipcache: error: ";
  return message.starts_with(kBefore) ? message.substr(kBefore.size()) : message;
}

void check_settings_in_use(Examination& examination) {
  const client::DaemonLink link(*examination.settings, client::Timeouts());
  const auto unused = config::unused_settings(examination.variable, link.daemon_settings());
  if (!unused) return;
  for (const config::UnusedSetting& setting : *unused) examination.findings.warning(config::describe(setting));
}

// Sets `store_bytes`.
void check_statistics(Examination& examination) {
  const Result<Ran> shown =
      run_program({*examination.hipcache, "--show-stats", "--format", "json"}, examination.environment);
  if (!shown || shown->exit_code != 0) return;
  if (const auto store = stats::store_size_from_json(shown->out)) examination.store_bytes = store->bytes_on_disk;
  const auto counts = stats::Snapshot::from_json(shown->out);
  if (counts && !counts->token_hits.off.empty())
    examination.findings.warning("hits by tokens are off, because an audit found one wrong: " + counts->token_hits.off +
                                 "; report it with the command, and the sources as they are and as they were; "
                                 "hipcache --stop-server ends this");
}

// Whether the daemon runs or starts, and whether it uses the user's settings. Starts it if none runs, as the next
// compile would. Sets `store_bytes`. REQUIRES: check_programs and check_directory have run.
void check_daemon(Examination& examination) {
  Findings& findings = examination.findings;
  if (!examination.settings || !examination.has_directory || !examination.hipcache) return;
  const Result<Ran> started = run_program({*examination.hipcache, "--start-server"}, examination.environment);
  if (!started || started->exit_code != 0) {
    findings.error("the daemon does not start: " +
                   (started ? without_prefix(first_line(started->err)) : started.error().message));
    return;
  }
  if (first_line(started->out) != "hipcached " + protocol::build_id()) {
    findings.error("the daemon is of another version: " + first_line(started->out) +
                   "; hipcache --stop-server ends it");
    return;
  }
  findings.ok("the daemon answers");
  check_settings_in_use(examination);
  check_statistics(examination);
}

constexpr const char* kInstall = "; install hipcache again, all of its programs together";

constexpr std::uint64_t kLibraryLimit = 64u << 20;

// What `PROGRAM --version` prints, if it is of this version; else an error.
Result<std::string> version_text(const std::string& name, const std::string& path, const Words& environment) {
  const Result<Ran> ran = run_program({path, "--version"}, environment);
  if (!ran) return Error{ran.error().message + kInstall};
  const std::string said = first_line(ran->out);
  if (ran->exit_code == 127 || said.empty()) {  // the loader's code
    const std::string why = ran->err.empty() ? "it ends with " + std::to_string(ran->exit_code) : first_error(ran->err);
    return Error{path + " does not start: " + why + "; docs/install.md says what it needs"};
  }
  if (ran->exit_code == 0 && said == name + " " + protocol::build_id()) return ran->out;
  return Error{path + " is of another version than " + protocol::build_id() +
               (ran->exit_code == 0 ? " (" + said + ")" : "") + kInstall};
}

Result<std::string> version_text_of(const char* name, const Words& environment) {
  const Result<std::string> path = installed_program(name);
  if (!path) return Error{path.error().message + kInstall};
  return version_text(name, *path, environment);
}

// "trace /usr/lib/libhipcache-trace.so": a part that the daemon would use, by its path.
Result<std::string> path_of_part(const std::string& daemon_says, const std::string& part) {
  const std::string before = "\n" + part + " ";
  const std::size_t at = daemon_says.find(before);
  const std::string path = at == std::string::npos ? "" : first_line(daemon_says.substr(at + before.size()));
  if (path.starts_with('/')) return path;
  return Error{path.empty() ? "hipcached does not say where its " + part + " is" : path};
}

// Its path, unless something is wrong with it.
Result<std::string> check_trace_library(const std::string& daemon_says) {
  Result<std::string> path = path_of_part(daemon_says, "trace");
  if (!path) return path.error();
  const Result<std::string> bytes = read_file(*path, kLibraryLimit);
  if (!bytes) return bytes.error();
  const std::string build = protocol::build_id();
  const std::string mark = "hipcache-trace " + build.substr(0, build.find('/'));
  if (bytes->find(mark + '\0') != std::string::npos) return path;
  return Error{*path + " is of another version than " + build};
}

Result<std::string> check_remote_program(const std::string& daemon_says, const Words& environment) {
  Result<std::string> path = path_of_part(daemon_says, "remote");
  if (!path) return path.error();
  const Result<std::string> text = version_text("hipcache-remote", *path, environment);
  return text ? path : text.error();
}

// Whether the programs of the installation are there and of one version. Sets `hipcache`, `trace_library` and
// `remote_program`.
void check_programs(Examination& examination) {
  Findings& findings = examination.findings;
  const std::size_t before = findings.count(Level::error);
  if (const auto launcher = installed_program(HIPCACHE_BIN_FROM_HELPERS "/hipcache"); launcher)
    examination.hipcache = *launcher;
  else
    findings.error(launcher.error().message + kInstall);
  const Result<std::string> daemon = version_text_of("hipcached", examination.environment);
  if (!daemon) {
    findings.error(daemon.error().message);
    return;
  }
  if (const Result<std::string> trace = check_trace_library(*daemon); trace)
    examination.trace_library = *trace;
  else
    findings.error(trace.error().message + kInstall);
  const bool is_needed =
      examination.settings && (!examination.settings->remote.empty() || examination.settings->execute);
  if (const Result<std::string> remote = check_remote_program(*daemon, examination.environment); remote)
    examination.remote_program = *remote;
  else
    findings.add(is_needed ? Level::error : Level::note,
                 remote.error().message + " (shared caches, --export and --import need it)");
  if (findings.count(Level::error) == before)
    findings.ok("hipcache " + protocol::build_id() + " with its daemon and trace library, all of one version");
}

// In order: later checks need what earlier ones found.
constexpr std::array<Check, 8> kChecks{check_programs, check_settings, check_directory, check_daemon,
                                       check_space,    check_machine,  check_compilers, check_engine};

}  // namespace

void Findings::add(Level level, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  all_.push_back({level, std::move(text)});
}

bool Findings::has_error() const { return count(Level::error) > 0; }

std::size_t Findings::count(Level level) const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [&](const Finding& finding) { return finding.level == level; }));
}

std::string to_line(const Finding& finding) {
  constexpr std::size_t kWidth = 9;
  std::string line = name_of(finding.level);
  line.resize(kWidth, ' ');
  return line + finding.text + "\n";
}

bool examine(const Words& compiler, const std::function<void(const std::string&)>& say) {
  Examination examination(own_environment());
  examination.compiler = compiler;
  std::size_t said = 0;
  for (const Check check : kChecks) {
    check(examination);
    for (; said < examination.findings.all().size(); ++said) say(to_line(examination.findings.all()[said]));
  }
  return !examination.findings.has_error();
}

}  // namespace hipcache::cli
