#include <map>
#include <set>
#include <string_view>

#include "cli/doctor/checks.h"
#include "cli/doctor/find_compilers.h"
#include "cli/doctor/trial/trial.h"
#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/base/text.h"
#include "hipcache/client/own_request.h"
#include "hipcache/config/remote_url.h"
#include "hipcache/stats/units.h"

namespace hipcache::cli {

namespace {

std::vector<Subject> subjects_of(Examination& examination) {
  const Words& named = examination.compiler;
  if (!named.empty()) return {{.words = named, .language = language_of(named), .is_named = true}};
  return find_compilers(examination.variable, ".", examination.findings);
}

std::string kind_of(ProgramKind kind) {
  switch (kind) {
    case ProgramKind::script:
      return "a script";
    case ProgramKind::static_elf:
      return "statically linked";
    case ProgramKind::other_cache:
      return "another cache";
    case ProgramKind::dynamic:
    case ProgramKind::other:
      break;
  }
  return "";
}

std::string version_of(const std::string& path, const Words& environment) {
  const Result<Ran> ran = run_program({path, "--version"}, environment);
  return ran && ran->exit_code == 0 ? first_line(ran->out) : "";
}

std::string description_of(const std::string& path, const Program& program, const Words& environment) {
  std::string text = version_of(path, environment);
  if (text.empty()) text = "of unknown version";
  const std::string kind = kind_of(program.kind);
  return path + (kind.empty() ? "" : ", " + kind) + ": " + text;
}

// The path of the compiler behind a name, which may be a link to hipcache.
Result<std::string> compiler_path(const std::string& name, const config::Lookup& variable) {
  const Result<Words> real = client::with_real_compiler({name});
  if (!real) return real.error();
  return find_program(real->front(), variable("PATH").value_or(""), ".");
}

Words identity_of(const std::string& path, const Subject& subject) {
  const Result<Program> program = program_at(path);
  Words identity{program ? program->real_path : path, std::to_string(static_cast<int>(subject.language))};
  identity.insert(identity.end(), subject.words.begin() + 1, subject.words.end());
  return identity;
}

// False if the compiler need not be tried.
bool check_program(const std::string& path, Level if_another_cache, Examination& examination) {
  Findings& findings = examination.findings;
  const Result<Program> program = program_at(path);
  if (!program) {
    findings.error(program.error().message);
    return false;
  }
  if (program->kind == ProgramKind::other_cache) {
    findings.add(if_another_cache, path + " is another cache (" + program->real_path +
                                       "), which hipcache does not cache; take its directory out of PATH, or name the "
                                       "compiler by its path");
    return false;
  }
  findings.ok(description_of(path, *program, examination.environment));
  return true;
}

std::string said_of(Treatment treatment) {
  switch (treatment) {
    case Treatment::bypass:
      return "not cached";
    case Treatment::is_opaque:
      return "cached as one step";
    case Treatment::split:
      return "split by architecture";
    case Treatment::split_by_new_driver:
      return "split by architecture (new offload driver)";
  }
  return "";
}

std::string what(const Subject& subject) {
  switch (subject.language) {
    case Language::c:
      return subject.name() + ": a C compile";
    case Language::cxx:
      return subject.name() + ": a C++ compile";
    case Language::hip:
      break;
  }
  return subject.name() + ": a HIP compile";
}

// hipcc is a script that starts scripts, so some of its compiles are not stored, or do not travel.
std::string remedy_for(const Subject& subject) {
  if (base_name(subject.name()).find("hipcc") == std::string_view::npos) return "";
  return "; the clang that it runs, as clang++ -x hip or by CMake's language HIP, has no such limit";
}

void report(const Subject& subject, const TestCompile& tried, const Result<Treatment>& treatment, Findings& findings) {
  if (!tried.compiles) {
    const Level level = subject.is_extra ? Level::note : Level::error;
    findings.add(level, what(subject) + " fails: " + tried.failure + remedy_for(subject));
    return;
  }
  const std::string how = treatment ? said_of(*treatment) : treatment.error().message;
  const std::string times = std::to_string(tried.cold_ms) + " ms, again " + std::to_string(tried.warm_ms) + " ms";
  if (tried.is_hit)
    findings.ok(what(subject) + " is " + how + ": " + times + ", a hit");
  else
    findings.error(what(subject) + " is no hit the second time: " + tried.reason + "; docs/coverage.md explains" +
                   remedy_for(subject));
}

// Whether it compiles.
bool try_compile(const Subject& subject, const Trial& trial, Findings& findings) {
  const Result<TestCompile> tried = test_compile(trial, subject.words, subject.language);
  if (!tried) {
    findings.error(what(subject) + " cannot be tried: " + tried.error().message);
    return false;
  }
  report(subject, *tried, treatment_of(trial, subject.words, subject.language), findings);
  if (!tried->is_hit) return tried->compiles;
  const Result<std::string> tie = tie_of(trial, subject.words, subject.language);
  if (tie && !tie->empty()) findings.note(what(subject) + " is " + *tie + remedy_for(subject));
  return true;
}

void note_hip_compiler(const Subject& subject, const std::string& path, Examination& examination) {
  if (subject.language != Language::hip || !examination.hip_compiler.empty()) return;
  examination.hip_compiler = subject.words;
  examination.hip_compiler.front() = path;
}

// Whether the shared caches answer, and how fast. REQUIRES: a compile ran in the trial. Its look-ups asked each tier
// that may be read.
void check_tiers(const Trial& trial, const config::Settings& settings, Findings& findings) {
  for (const std::string& text : settings.remote)
    if (const auto url = config::parse_remote_url(text); url && !url->reads)
      findings.note("shared cache " + url->shown + " is only written (mode=wo): not asked here");
  if (settings.remote.empty()) return;
  const Result<stats::Snapshot> statistics = trial.statistics();
  if (!statistics) {
    findings.error("shared caches cannot be asked: " + statistics.error().message);
    return;
  }
  // The trial has the tiers that are read, in their order, with another mode (only_read).
  Words shown;
  for (const std::string& text : settings.remote)
    if (const auto url = config::parse_remote_url(text); url && url->reads) shown.push_back(url->shown);
  for (std::size_t at = 0; at < statistics->remote.tiers.size(); ++at) {
    stats::Tier tier = statistics->remote.tiers[at];
    if (at < shown.size()) tier.url = shown[at];
    Finding finding = finding_on(tier);
    findings.add(finding.level, std::move(finding.text));
  }
}

}  // namespace

Finding finding_on(const stats::Tier& tier) {
  const std::string name = "shared cache " + tier.url;
  const std::string failed = std::to_string(tier.errors) + " look-ups failed; docs/remote.md says more";
  const bool answers = tier.hits + tier.misses > 0;
  const bool is_well = tier.state == "ok";
  if (tier.errors > 0 && !answers)
    return {Level::error, name + " does not answer: " + (is_well ? "" : tier.state + "; ") + failed};
  if (!is_well && tier.errors == 0)
    return {Level::error, name + " is not used: " + tier.state + "; docs/remote.md says more"};
  if (tier.errors > 0) return {Level::warning, name + " answers, but " + (is_well ? "" : tier.state + "; ") + failed};
  if (!answers) return {Level::note, name + " was not asked"};
  return {Level::ok, name + " answers in " + stats::milliseconds(tier.median_us)};
}

void check_compilers(Examination& examination) {
  Findings& findings = examination.findings;
  if (!examination.settings || !examination.hipcache) return;
  const Result<Trial> trial = Trial::make(*examination.hipcache, *examination.settings);
  if (!trial) {
    findings.error("no compiler can be tried: " + trial.error().message);
    return;
  }
  bool is_any = false;
  std::map<std::string, bool> usable;  // by path
  std::set<Words> tried;               // the file, the language and the options: names of one compiler are one
  for (const Subject& subject : subjects_of(examination)) {
    const Result<std::string> path = compiler_path(subject.name(), examination.variable);
    if (!path && subject.is_named) findings.error(path.error().message + "; install it, or give its path");
    if (!path) continue;
    is_any = true;
    if (!tried.insert(identity_of(*path, subject)).second) continue;
    const auto [known, is_new] = usable.try_emplace(*path, false);
    if (is_new) known->second = check_program(*path, subject.is_named ? Level::error : Level::warning, examination);
    if (known->second && try_compile(subject, *trial, findings)) note_hip_compiler(subject, *path, examination);
  }
  if (!is_any && examination.compiler.empty())
    findings.warning("no clang++, amdclang++, hipcc or g++ is in PATH; name a compiler: hipcache --doctor -- COMPILER");
  if (is_any) check_tiers(*trial, *examination.settings, findings);
}

}  // namespace hipcache::cli
