#include "cli/doctor/check_compilers.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "cli/doctor/check_tiers.h"
#include "cli/doctor/program_kind.h"
#include "cli/doctor/trial/test_compile.h"
#include "cli/doctor/trial/trial.h"
#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/client/own_request.h"

namespace hipcache::cli {
namespace {

// A compiler that is examined. The user named it, or it was found in PATH.
struct Subject {
  Words words;  // the compiler and its options
  Language language = Language::cxx;
  bool is_named = false;
  bool is_extra = false;  // an option that a compiler may lack: its failure is only worth a note
  std::string name() const { return words.front(); }
};

// A HIP compile needs neither headers nor libraries of ROCm with these.
const Words kHipAlone{"-x", "hip", "--offload-arch=gfx906", "-nogpuinc", "-nogpulib"};

// "gcc-12", "clang", "mpicc"; not "g++" or "mpicxx".
bool names_c_compiler(std::string_view path) {
  std::string_view name = base_name(path);
  if (const auto last = name.find_last_not_of("0123456789.-"); last != std::string_view::npos)
    name = name.substr(0, last + 1);
  return name.ends_with("cc") || name.ends_with("clang");
}

Language language_of(const Words& words) {
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (has("hip") || has("-xhip") || base_name(words.front()).find("hipcc") != std::string_view::npos)
    return Language::hip;
  return names_c_compiler(words.front()) ? Language::c : Language::cxx;
}

std::vector<Subject> subjects_of(const Words& named) {
  if (!named.empty()) return {{.words = named, .language = language_of(named), .is_named = true}};
  Words clang_as_hip{"clang++"};
  clang_as_hip.insert(clang_as_hip.end(), kHipAlone.begin(), kHipAlone.end());
  return {{.words = {"clang++"}},
          {.words = clang_as_hip, .language = Language::hip, .is_extra = true},
          {.words = {"hipcc", "--offload-arch=gfx906"}, .language = Language::hip, .is_extra = true},
          {.words = {"g++"}}};
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

void report(const Subject& subject, const TestCompile& tried, const Result<Treatment>& treatment, Findings& findings) {
  if (!tried.compiles) {
    const Level level = subject.is_extra ? Level::note : Level::error;
    findings.add(level, what(subject) + " fails: " + tried.failure);
    return;
  }
  const std::string how = treatment ? said_of(*treatment) : treatment.error().message;
  const std::string times = std::to_string(tried.cold_ms) + " ms, again " + std::to_string(tried.warm_ms) + " ms";
  if (tried.is_hit)
    findings.ok(what(subject) + " is " + how + ": " + times + ", a hit");
  else
    findings.error(what(subject) + " is no hit the second time: " + tried.reason + "; docs/coverage.md explains");
}

void try_compile(const Subject& subject, const Trial& trial, Findings& findings) {
  const Result<TestCompile> tried = test_compile(trial, subject.words, subject.language);
  if (!tried) {
    findings.error(what(subject) + " cannot be tried: " + tried.error().message);
    return;
  }
  report(subject, *tried, treatment_of(trial, subject.words, subject.language), findings);
}

}  // namespace

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
  for (const Subject& subject : subjects_of(examination.compiler)) {
    const Result<std::string> path = compiler_path(subject.name(), examination.variable);
    if (!path && subject.is_named) findings.error(path.error().message + "; install it, or give its path");
    if (!path) continue;
    is_any = true;
    const auto [known, is_new] = usable.try_emplace(*path, false);
    if (is_new) known->second = check_program(*path, subject.is_named ? Level::error : Level::warning, examination);
    if (known->second) try_compile(subject, *trial, findings);
  }
  if (!is_any && examination.compiler.empty())
    findings.warning("neither clang++ nor hipcc nor g++ is in PATH; name a compiler: hipcache --doctor -- COMPILER");
  if (is_any) check_tiers(*trial, *examination.settings, findings);
}

}  // namespace hipcache::cli
