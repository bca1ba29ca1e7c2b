#include "cli/doctor/trial/trial.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/base/text.h"
#include "hipcache/config/remote_url.h"
#include "hipcache/config/values.h"
#include "hipcache/launcher/compiler.h"

namespace hipcache::cli {

namespace {

constexpr std::uint64_t kTextLimit = 4u << 20;

Result<UniqueFd> memory_for(const char* name) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC));
  return fd ? Result<UniqueFd>(std::move(fd)) : Result<UniqueFd>(system_error("cannot keep", name));
}

// A longer text is cut: only its beginning is shown.
std::string text_in(const UniqueFd& fd) {
  if (lseek(fd.get(), 0, SEEK_SET) != 0) return "";
  const Result<std::string> text = read_fd(fd.get(), kTextLimit, "output");
  return text ? *text : "";
}

// A tier that is only written would not be asked anyway.
std::vector<std::string> readable(const std::vector<std::string>& urls) {
  std::vector<std::string> all;
  for (const std::string& text : urls)
    if (const Result<config::RemoteUrl> url = config::parse_remote_url(text); url && url->reads)
      all.push_back(only_read(text));
  return all;
}

Words environment_in(const std::string& directory, const config::Settings& settings) {
  Words environment;
  for (std::string& entry : own_environment())
    if (!entry.starts_with("HIPCACHE_")) environment.push_back(std::move(entry));
  const Words ours{"HIPCACHE_DIR=" + directory + "/cache",
                   "HIPCACHE_CONFIG=/dev/null",
                   "HIPCACHE_QUIET=1",
                   "HIPCACHE_MAX_SIZE=1G",
                   "HIPCACHE_IDLE_TIMEOUT=60",
                   "HIPCACHE_NAMESPACE=" + directory,
                   "HIPCACHE_COMPILERS=" + config::format_list(settings.compilers),
                   "HIPCACHE_CUID=" + settings.cuid,
                   "HIPCACHE_REMOTE=" + config::format_list(readable(settings.remote)),
                   "HIPCACHE_TRUSTED_KEYS=" + config::format_list(settings.trusted_keys)};
  environment.insert(environment.end(), ours.begin(), ours.end());
  return environment;
}

using Clock = std::chrono::steady_clock;

constexpr const char* kObject = "doctor.o";

struct Source {
  const char* name;
  const char* text;
};

// A device variable is device code that needs none of HIP's headers.
Source source_of(Language language) {
  if (language == Language::hip)
    return {"doctor.hip", "__attribute__((device)) int hipcache_doctor = 1;\nint host() { return 1; }\n"};
  constexpr const char* kPlain = "int hipcache_doctor(int value) { return value + 1; }\n";
  return {language == Language::c ? "doctor.c" : "doctor.cpp", kPlain};
}

Words command_of(const Trial& trial, const Words& compiler, Language language) {
  Words command = compiler;
  const Words more{"-c", trial.path(source_of(language).name), "-o", trial.path(kObject)};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

struct Timed {
  Ran ran;
  std::uint64_t ms = 0;
};

Result<Timed> compile(const Trial& trial, const Words& command) {
  trial.remove(kObject);
  const Clock::time_point start = Clock::now();
  Result<Ran> ran = trial.run(command);
  if (!ran) return ran.error();
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  return Timed{std::move(*ran), static_cast<std::uint64_t>(spent.count())};
}

// What an option says of the test compile.
Result<Ran> ask(const Trial& trial, Words option, const Words& compiler, Language language) {
  const Words command = command_of(trial, compiler, language);
  option.insert(option.end(), command.begin(), command.end());
  return trial.run(option);
}

// The reason that is counted most, with its detail.
std::string shown(const std::map<std::string, std::uint64_t>& reasons,
                  const std::map<std::string, std::string>& details) {
  const auto most = std::max_element(reasons.begin(), reasons.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  if (most == reasons.end()) return "";
  const auto detail = details.find(most->first);
  return most->first + (detail == details.end() || detail->second.empty() ? "" : ": " + detail->second);
}

}  // namespace

Result<Ran> run_program(const Words& argv, const Words& environment) {
  const UniqueFd in(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Result<UniqueFd> out = memory_for("standard output");
  const Result<UniqueFd> err = memory_for("standard error");
  if (!out) return out.error();
  if (!err) return err.error();
  const Result<pid_t> pid = spawn({.program = argv.front(),
                                   .argv = argv,
                                   .environment = environment,
                                   .stdin_fd = in.get(),
                                   .stdout_fd = out->get(),
                                   .stderr_fd = err->get()});
  if (!pid) return pid.error();
  const Result<ExitStatus> ended = wait_for(*pid);
  if (!ended) return ended.error();
  return Ran{ended->exit_code, text_in(*out), text_in(*err)};
}

Words own_environment() {
  Words environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

Result<std::string> installed_program(const char* way) {
  char path[PATH_MAX];
  if (!launch_from_here(way, path)) return system_error("cannot find", "this program");
  if (access(path, X_OK) != 0) return system_error("cannot run", path);
  return std::string(path);
}

std::string first_error(const std::string& text) {
  const std::size_t found = text.find("error");
  if (found == std::string::npos) return first_line(text);
  const std::size_t before = text.rfind('\n', found);
  return first_line(text.substr(before == std::string::npos ? 0 : before + 1));
}

Result<std::string> make_place() {
  constexpr std::size_t kLongest = 40;  // a cache directory has at most 75 bytes
  const char* wanted = std::getenv("TMPDIR");
  const bool suits = wanted != nullptr && wanted[0] == '/' && std::string_view(wanted).size() <= kLongest;
  std::string path = std::string(suits ? wanted : "/tmp") + "/hipcache-doctor-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return system_error("cannot make", path);
  return path;
}

std::string only_read(const std::string& url) {
  const std::size_t query = url.find('?');
  if (query == std::string::npos) return url + "?mode=ro";
  std::string kept = url.substr(0, query + 1);
  for (std::size_t at = query + 1; at < url.size();) {
    const std::size_t end = std::min(url.find('&', at), url.size());
    const std::string option = url.substr(at, end - at);
    if (!option.empty() && !option.starts_with("mode=")) kept += option + "&";
    at = end + 1;
  }
  return kept + "mode=ro";
}

Result<Trial> Trial::make(const std::string& hipcache, const config::Settings& settings) {
  Result<std::string> directory = make_place();
  if (!directory) return directory.error();
  Words environment = environment_in(*directory, settings);
  return Trial(std::move(*directory), hipcache, std::move(environment));
}

Trial::Trial(std::string directory, std::string hipcache, Words environment)
    : directory_(std::move(directory)), hipcache_(std::move(hipcache)), environment_(std::move(environment)) {}

Trial::Trial(Trial&& other) noexcept
    : directory_(std::exchange(other.directory_, "")),
      hipcache_(std::move(other.hipcache_)),
      environment_(std::move(other.environment_)) {}

Trial::~Trial() {
  if (directory_.empty()) return;
  [[maybe_unused]] const Result<Ran> stopped = run({"--stop-server"});
  [[maybe_unused]] const Status removed = remove_tree(directory_);  // a temporary directory: others remove the rest
}

Result<Ran> Trial::run(const Words& words) const {
  Words argv{hipcache_};
  argv.insert(argv.end(), words.begin(), words.end());
  return run_program(argv, environment_);
}

Status Trial::write(const std::string& name, std::string_view bytes) const { return replace_file(path(name), bytes); }

void Trial::remove(const std::string& name) const { unlink(path(name).c_str()); }

Result<stats::Snapshot> Trial::statistics() const {
  const Result<Ran> shown = run({"--show-stats", "--format", "json"});
  if (!shown) return shown.error();
  if (shown->exit_code != 0) return Error{first_line(shown->err)};
  return stats::Snapshot::from_json(shown->out);
}

std::string reason_in(const stats::Snapshot& statistics) {
  std::string not_cached = shown(statistics.not_cached, statistics.not_cached_detail);
  if (!not_cached.empty()) return not_cached;
  std::string not_stored = shown(statistics.not_stored, statistics.not_stored_detail);
  return not_stored.empty() ? "hipcache --explain says more" : not_stored;
}

Result<TestCompile> test_compile(const Trial& trial, const Words& compiler, Language language) {
  const Source source = source_of(language);
  if (Status written = trial.write(source.name, source.text); !written) return written.error();
  const Words command = command_of(trial, compiler, language);
  const Result<Timed> cold = compile(trial, command);
  if (!cold) return cold.error();
  TestCompile result{.compiles = cold->ran.exit_code == 0, .cold_ms = cold->ms};
  if (!result.compiles) {
    result.failure = first_error(cold->ran.err);
    return result;
  }
  const Result<stats::Snapshot> before = trial.statistics();
  if (!before) return before.error();
  const Result<Timed> warm = compile(trial, command);
  if (!warm) return warm.error();
  const Result<stats::Snapshot> after = trial.statistics();
  if (!after) return after.error();
  result.warm_ms = warm->ms;
  result.is_hit = after->hit == before->hit + 1;
  if (!result.is_hit) result.reason = reason_in(*after);
  return result;
}

Result<Treatment> treatment_in(const std::string& plan) {
  const auto json = nlohmann::json::parse(plan, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("steps") || !json["steps"].is_array())
    return Error{"--plan prints something else than a plan"};
  // An opaque compile has the reason why it is not split.
  if (!json.value("reason", std::string()).empty() && json["steps"].empty()) return Treatment::bypass;
  bool is_split = false;
  bool has_front_ends = false;
  for (const auto& step : json["steps"]) {
    const std::string name = step.is_object() ? step.value("name", std::string()) : "";
    is_split = is_split || name.starts_with("device ");
    has_front_ends = has_front_ends || name.ends_with(" front end") || name.ends_with(" back end");
  }
  if (!is_split) return Treatment::is_opaque;
  return has_front_ends ? Treatment::split_by_new_driver : Treatment::split;
}

std::string tie_in(const std::string& explanation) {
  const auto json = nlohmann::json::parse(explanation, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("steps") || !json["steps"].is_array()) return "";
  for (const auto& step : json["steps"])
    if (step.is_object() && step.contains("ties") && step["ties"].is_array())
      for (const auto& tie : step["ties"])
        if (tie.is_object() && tie.value("kind", std::string()) == "environment")
          return tie.value("text", std::string());
  return "";
}

Result<std::string> tie_of(const Trial& trial, const Words& compiler, Language language) {
  const Result<Ran> ran = ask(trial, {"--explain", "--format", "json", "--"}, compiler, language);
  if (!ran) return ran.error();
  return tie_in(ran->out);
}

Result<Treatment> treatment_of(const Trial& trial, const Words& compiler, Language language) {
  const Result<Ran> ran = ask(trial, {"--plan", "--format", "json", "--"}, compiler, language);
  if (!ran) return ran.error();
  if (ran->exit_code != 0) return Error{first_line(ran->err)};
  return treatment_in(ran->out);
}

}  // namespace hipcache::cli
