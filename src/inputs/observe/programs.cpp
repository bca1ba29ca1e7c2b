#include "inputs/observe/programs.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/inputs/script.h"
#include "inputs/rules/environment.h"
#include "inputs/rules/path_class.h"

namespace hipcache::inputs {

namespace {

using trace::Kind;
using trace::Record;

constexpr const char* kPath = "PATH";

bool asks_for_path(const trace::Trace& trace) {
  return std::any_of(trace.records.begin(), trace.records.end(),
                     [](const Record& record) { return record.kind == Kind::variable && record.text == kPath; });
}

void add_searched_programs(const trace::Trace& trace, const RunContext& from, std::vector<Observation>& out) {
  const std::vector<std::string> directories = from.program_directories();
  // No directory was searched, so the trace cannot show which programs another PATH would find.
  if (directories.empty()) return out.push_back({Question::variable, kPath});
  const std::string first = normal_path(directories.front());
  for (const Record& record : trace.records) {
    if (record.kind != Kind::look && record.kind != Kind::open_read && record.kind != Kind::execute) continue;
    const std::string path = normal_path(join_path(from.working_directory, record.text));
    if (directory_name(path) == first) out.push_back({Question::program, std::string(base_name(path))});
  }
}

constexpr Reason kWrapper = Reason::compiler_is_a_wrapper;
constexpr Reason kNativeTarget = Reason::native_target;

// Programs that make no outputs of what a trace lacks, beside compilers and their tools (environment.h). make runs
// gcc's link-time optimisation, with touch, mv and rm. Shells run what the others give them as a text (-c), and
// interpreters the scripts that check_texts() accepts.
constexpr auto kHelpers =
    std::to_array<std::string_view>({"objcopy", "objdump", "readelf", "strip", "mold", "make", "touch", "mv", "rm",
                                     "hipcc", "hipcc.bin", "hipconfig", "hipconfig.bin"});
constexpr auto kShells = std::to_array<std::string_view>({"sh", "dash", "bash"});
constexpr auto kDrivers = std::to_array<std::string_view>({"clang", "gcc", "g++", "cc", "c++"});

std::string_view without_target(std::string_view name) {
  const auto dash = name.rfind('-');
  return dash == name.npos ? name : name.substr(dash + 1);
}

// gcc-ar, gcc-ranlib: they run the program of that name with gcc's plugin.
bool is_gccs_binutil(std::string_view name) {
  return name.find("gcc-ar") != name.npos || name.find("gcc-ranlib") != name.npos || name.find("gcc-nm") != name.npos;
}

bool is_perl(std::string_view program) { return base_name(program).starts_with("perl"); }
bool is_python(std::string_view program) { return base_name(program).starts_with("python"); }

bool is_known(const std::string& program, const Programs& may_run) {
  const std::string_view name = base_name(program);
  return asks_by_name(program) || holds(kHelpers, without_target(name)) || holds(kShells, name) || is_perl(program) ||
         holds(may_run.starters, program);
}

// Refuses the first program that is unknown, or one of two different ones that are called alike: a wrapper called "as"
// starts the assembler. A driver starts no other driver, and hipcc is none.
std::optional<Refusal> check_known(const trace::Trace& trace, const std::string& typed, const Programs& may_run) {
  std::map<std::string_view, std::string> known;
  const bool may_start_driver =
      may_run.has_unseen_one || holds(kHelpers, base_name(typed)) || is_script(typed) || is_python(typed);
  if (!typed.empty() && !may_start_driver) known.emplace("driver", typed);
  for (const std::string& program : trace.programs) {
    const std::string real = real_path(program);
    if (real != typed && !is_known(real, may_run)) return Refusal{kWrapper, program};
    std::string_view tool = tool_of(program);
    if (tool.empty() || is_gccs_binutil(base_name(program))) continue;
    if (holds(kDrivers, tool)) tool = "driver";
    if (const auto [first, is_new] = known.try_emplace(tool, real); !is_new && first->second != real)
      return Refusal{kWrapper, program};
  }
  return std::nullopt;
}

// Whether Perl has the file from its own directories.
bool is_of_perl(std::string_view path) { return path.find("/perl") != path.npos; }

// Whether a text of Perl's is a script's, or a module's that is none of Perl's own.
bool is_script_of_perl(std::string_view path) {
  return !is_of_perl(path) && (path.ends_with(".pl") || path.ends_with(".pm"));
}

// The scripts that ran, and the modules that they loaded.
std::vector<std::string> scripts_of(const trace::Trace& trace, const std::string& typed, const RunContext& from,
                                    const Programs& may_run) {
  const bool has_perl = std::any_of(trace.programs.begin(), trace.programs.end(), is_perl);
  std::vector<std::string> texts;
  if (is_script(typed) && !holds(may_run.starters, typed)) texts.push_back(typed);
  for (const trace::Record& record : trace.records) {
    const std::string path = join_path(from.working_directory, record.text);
    const bool is_read = record.kind == trace::Kind::open_read && record.found && has_perl && is_script_of_perl(path);
    if (is_read || (record.kind == trace::Kind::execute && record.found && is_script(path))) texts.push_back(path);
  }
  return texts;
}

// The text, if it is in Perl.
std::optional<std::string> read_perl(const std::string& path) {
  constexpr std::uint64_t kScriptLimit = 1u << 20;
  Result<std::string> text = read_file(path, kScriptLimit);
  const bool is_in_perl =
      text && (path.ends_with(".pm") || text->substr(0, text->find('\n')).find("perl") != text->npos);
  return is_in_perl ? std::optional(std::move(*text)) : std::nullopt;
}

// Refuses the first script that may ask for something that the trace lacks.
std::optional<Refusal> check_texts(const trace::Trace& trace, const std::string& typed, const RunContext& from,
                                   const Programs& may_run) {
  for (const std::string& path : scripts_of(trace, typed, from, may_run)) {
    const std::optional<std::string> text = read_perl(path);
    if (!text || !is_traceable_perl(*text)) return Refusal{kWrapper, path};
  }
  return std::nullopt;
}

// A shell gets all variables, and uses those of the text that it runs. Perl and hipcc write that text, out of the
// command and of the variables that they read.
bool may_expand(std::string_view text) { return text.find_first_of("$`~") != text.npos; }

// make turns every variable of the environment into one of its own, and what a program called hipcc has a shell expand
// nobody knows.
bool reads_known_variables(const std::string& program, const Programs& may_run) {
  const std::string_view name = base_name(program);
  return is_known(program, may_run) && !holds(may_run.starters, program) && name != "make" && !name.starts_with("hip");
}

// The scripts of hipcc that were read by people: hipcc, hipcc.pl and hipvars.pm of HIP 5.2. A text alone does not tell
// which words it has a shell expand.
bool is_judged_script(std::string_view text) {
  constexpr auto kScripts =
      std::to_array<std::string_view>({"653cf027fe09efeafc80833fb5e247bd475c900fbc424d929229942d513740e0",
                                       "5dd8a0997e188c93db204e4eed44134217221adf9ef8485d72e6e208c4f2838d",
                                       "d12b658a421f9655ec44ad67f2459f3ea4e5cd830ad0d474071d07396e77b668"});
  return holds(kScripts, std::string_view(digest_of(text).hex()));
}

// The variables that the scripts read, if that and what their interpreters read is all that was read unseen.
std::optional<std::set<std::string>> variables_of_scripts(const trace::Trace& trace, const Run& run,
                                                          const RunContext& from) {
  const std::string typed = run.programs.commands.empty() ? "" : real_path(run.programs.commands[0]);
  const std::vector<std::string>& arguments = run.shows.roots.arguments;
  const auto is_expanded = [](const std::string& word) { return may_expand(word) || word.starts_with('@'); };
  if (run.programs.has_unseen_one || arguments.empty() || may_expand(typed) || may_expand(from.working_directory) ||
      std::any_of(arguments.begin(), arguments.end(), is_expanded))
    return std::nullopt;
  for (const std::string& program : trace.programs)
    if (!reads_known_variables(real_path(program), run.programs)) return std::nullopt;
  for (const trace::Record& record : trace.records)
    if (record.kind == trace::Kind::open_read && record.found && is_of_perl(record.text) &&
        record.text.ends_with(".pm") && !is_judged_module(record.text))
      return std::nullopt;
  std::set<std::string> names;
  for (const std::string& path : scripts_of(trace, typed, from, run.programs)) {
    const std::optional<std::string> text = read_perl(path);
    const auto read = text && is_judged_script(*text) ? variables_of_perl(*text) : std::nullopt;
    if (!read) return std::nullopt;
    names.insert(read->begin(), read->end());
  }
  for (const std::string& name : names)
    if (const char* value = from.variable(name); value != nullptr && may_expand(value)) return std::nullopt;
  return names;
}

// Refuses a program that finds out what hardware there is.
std::optional<Refusal> check_hardware(const trace::Trace& trace) {
  for (const trace::Record& record : trace.records)
    if (record.kind == trace::Kind::execute && detects_hardware(record.text))
      return Refusal{kNativeTarget, record.text};
  return std::nullopt;
}

// Whether the typed program is neither traced nor a script. A static program is not traced, so it may have read
// anything. A script's interpreter reads the script, and is traced.
bool leaves_no_trace(const trace::Trace& trace, const Programs& may_run) {
  if (may_run.commands.empty() || may_run.has_unseen_one) return false;
  const std::string typed = real_path(may_run.commands[0]);
  return !is_script(typed) && std::none_of(trace.programs.begin(), trace.programs.end(),
                                           [&](const std::string& program) { return real_path(program) == typed; });
}

// By their numbers, because a program may be traced once and untraced the next time: where a wrapper takes the trace
// library away, or the environment. One program is the one that hipcache started.
bool has_untraced_start(const trace::Trace& trace) { return trace.starts > 0 && trace.starts >= trace.programs.size(); }

std::optional<Refusal> check_ends(const trace::Trace& trace) {
  if (has_untraced_start(trace)) return Refusal{kWrapper, "a program that it started left no trace"};
  if (trace.ends < trace.programs.size()) return Refusal{Reason::trace, "a process did not end in order"};
  return std::nullopt;
}

}  // namespace

void add_program_questions(const trace::Trace& trace, const RunContext& from, std::vector<Observation>& out) {
  if (asks_for_path(trace)) add_searched_programs(trace, from, out);
}

void add_environment_questions(const trace::Trace& trace, const Run& run, const RunContext& from,
                               std::vector<Observation>& out) {
  const std::optional<std::set<std::string>> names = variables_of_scripts(trace, run, from);
  if (!names) {
    out.push_back({Question::environment, ""});
    out.push_back({Question::variable, kPath});
    return;
  }
  out.push_back({Question::environment, kOfInterpreters});
  for (const std::string& name : *names)
    if (!is_left_out(name)) out.push_back({Question::variable, name});
  add_searched_programs(trace, from, out);
}

std::optional<Refusal> check_programs(const trace::Trace& trace, const RunContext& from, const Programs& may_run) {
  const bool is_opaque = may_run.others == Programs::Others::known;
  if (is_opaque && trace.programs.empty())
    return Refusal{Reason::untraceable_compiler, may_run.commands.empty() ? "" : may_run.commands[0]};
  if (is_opaque && leaves_no_trace(trace, may_run)) return Refusal{kWrapper, may_run.commands[0]};
  if (is_opaque) {
    // Accepts what a trace proves: compilers and their tools, and scripts that ask for no more than a trace has.
    const std::string typed = may_run.commands.empty() ? "" : real_path(may_run.commands[0]);
    if (auto refusal = check_hardware(trace)) return refusal;
    if (auto refusal = check_known(trace, typed, may_run)) return refusal;
    if (auto refusal = check_texts(trace, typed, from, may_run)) return refusal;
    return check_ends(trace);
  }
  std::size_t seen = 0;
  for (const std::string& program : trace.programs) {
    if (seen < may_run.commands.size() && real_path(may_run.commands[seen]) == real_path(program)) {
      ++seen;
    } else if (may_run.others == Programs::Others::none) {
      return Refusal{kWrapper, program};
    }
  }
  if (seen < may_run.commands.size()) return Refusal{Reason::untraceable_compiler, may_run.commands[seen]};
  return check_ends(trace);
}

std::optional<Refusal> check_start(const trace::Record& record, const std::string& path, const trace::Trace& trace,
                                   const Programs& may_run) {
  if (may_run.others == Programs::Others::none) return Refusal{kWrapper, record.text};
  if (detects_hardware(record.text)) return Refusal{kNativeTarget, record.text};
  const std::string started = real_path(path);
  const bool is_traced = std::any_of(trace.programs.begin(), trace.programs.end(),
                                     [&](const std::string& program) { return real_path(program) == started; });
  if (record.found && !is_traced && !(may_run.others == Programs::Others::known && is_script(started)))
    return Refusal{kWrapper, record.text};
  return std::nullopt;
}

}  // namespace hipcache::inputs
