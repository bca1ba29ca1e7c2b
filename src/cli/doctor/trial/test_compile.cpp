#include "cli/doctor/trial/test_compile.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace hipcache::cli {
namespace {

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
