#include "hipcache/inputs/path_set_builder.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>

#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/trace/seen.h"
#include "inputs/loader/loader_cache.h"
#include "inputs/observe/links.h"
#include "inputs/observe/loader.h"
#include "inputs/observe/process_names.h"
#include "inputs/observe/programs.h"
#include "inputs/observe/root_questions.h"
#include "inputs/observe/same_content.h"
#include "inputs/rules/ast_file.h"
#include "inputs/rules/environment.h"
#include "inputs/rules/path_class.h"
#include "inputs/rules/variable_use.h"
#include "inputs/sources/assembly_texts.h"
#include "inputs/sources/source_questions.h"
#include "inputs/sources/source_use.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/state/stat_snapshot.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;
using trace::Record;

constexpr const char* kSourceDate = "SOURCE_DATE_EPOCH";
constexpr const char* kOneFile = "1=2";

bool names_a_path(Kind kind) {
  return kind == Kind::open_read || kind == Kind::look || kind == Kind::list || kind == Kind::link ||
         kind == Kind::real_path || kind == Kind::library;
}

// What a name leads to, by one system call for most names of a trace.
struct Named {
  mode_t mode = 0;  // links are followed; 0 if absent
  bool is_link = false;
  std::uint64_t size = 0;
};

Named look_at(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  const bool is_link = S_ISLNK(status.st_mode);
  if (is_link && ::stat(path.c_str(), &status) != 0) return {0, true, 0};
  return {status.st_mode, is_link, static_cast<std::uint64_t>(status.st_size)};
}

// A pipe, a socket or a device. What it held cannot be read again, or may differ next time.
bool is_stream(mode_t mode) { return mode != 0 && !S_ISREG(mode) && !S_ISDIR(mode); }

// Collects the questions of one trace, or the first reason not to record the run.
class Observer {
 public:
  Observer(const trace::Trace& trace, const Run& run, const RunContext& from, FileSystemState& file_system)
      : trace_(trace),
        run_(run),
        from_(from),
        file_system_(file_system),
        only_compilers_(!run.programs.has_unseen_one &&
                        std::all_of(trace.programs.begin(), trace.programs.end(), asks_by_name)),
        only_driver_lists_(only_compilers_ && !has_module_map(trace)),
        logical_directory_(from.logical_directory()),
        classifier_(run.directory),
        process_names_(from.working_directory),
        links_(from, classifier_) {}

  std::optional<Refusal> collect() {
    // An audit library decides which others are loaded, and the trace does not list it.
    if (const char* audit = from_.variable("LD_AUDIT"); audit != nullptr && *audit != '\0')
      return Refusal{Reason::trace, "LD_AUDIT is set"};
    for (const Record& record : trace_.records)
      if (std::optional<Refusal> refusal = take_record(record)) return refusal;
    if (std::optional<Refusal> refusal = take_order()) return refusal;
    if (auto refusal = check_specs()) return refusal;
    if (run_.shows.command) observations_.push_back({Question::variable, kSourceDate});
    for (const std::string& program : trace_.programs) take_file(program);
    if (run_.programs.has_unseen_one || (run_.is_opaque() && !only_compilers_))
      add_environment_questions(trace_, run_, from_, observations_);
    // Also under the names by which the programs were run: a trace has the files to which links led.
    for (const std::string& program : run_.programs.commands) take_file(program);
    take_what_it_stands_on();
    add_header_questions();
    if (std::optional<Refusal> refusal = add_loader_questions(trace_, from_, observations_)) return refusal;
    add_program_questions(trace_, from_, observations_);
    links_.append_to(observations_);
    if (depends_on_directory()) observations_.push_back({Question::working_directory, ""});
    make_portable();
    return std::nullopt;
  }

  // Records of paths that count. The race guard compares them with the file system.
  std::vector<SameContent::CountedPath> counted_paths() const {
    std::vector<SameContent::CountedPath> paths;
    for (const Record* record : counted_) paths.push_back({record, absolute(record->text)});
    return paths;
  }
  PathSet take_set() { return PathSet(std::move(observations_)); }
  std::string take_strict_by() { return std::move(strict_by_); }
  std::string take_asks_own_name() { return std::move(ties_.asks_own_name); }
  std::vector<std::string> named_roots() const {
    std::vector<std::string> marks;
    for (const Root* root : from_.roots.among(ties_.by_names)) marks.push_back(root->mark);
    return marks;
  }
  // The set less the questions about roots that are asked because of names; null: there are none.
  std::shared_ptr<const PathSet> set_without_names() const {
    if (ties_.by_names == 0) return nullptr;
    std::vector<Observation> others = observations_;
    std::erase_if(others, [&](const Observation& one) {
      if (one.question != Question::root && one.question != Question::root_place) return false;
      const Root* root = from_.roots.find(one.name);
      return root != nullptr && (ties_.by_names & from_.roots.holding(root->path)) != 0;
    });
    return std::make_shared<const PathSet>(std::move(others));
  }

 private:
  std::string absolute(const std::string& path) const { return join_path(from_.working_directory, path); }

  std::optional<Refusal> take_record(const Record& record) {
    if (record.text.find('\0') != std::string::npos) return Refusal{Reason::trace, "a name holds a zero byte"};
    if (Roots::holds_token(record.text)) return Refusal{Reason::trace, "a name holds what is reserved"};
    if (is_written(record)) return std::nullopt;
    switch (record.kind) {
      case Kind::clock:
        return Refusal{Reason::clock, record.text};
      case Kind::network:
        return Refusal{Reason::network, record.text};
      case Kind::execute:
        return take_start(record);
      case Kind::open_write:
        return take_write(record);
      case Kind::variable:
        if (record.found && reports_on_one_run(record.text)) return Refusal{Reason::statistics, record.text};
        take_variable(record.text);
        return std::nullopt;
      case Kind::program:
        counted_.push_back(&record);
        return std::nullopt;
      case Kind::terminal:
        ask_by(use_of_terminal(trace_, shown_), Question::terminal, record.text);
        return std::nullopt;
      case Kind::machine:
        observations_.push_back({Question::machine, record.text});
        return std::nullopt;
      case Kind::date:
        // A frontend that runs on its own has the value as an option, which is not part of its step's key.
        observations_.push_back({Question::variable, kSourceDate});
        return std::nullopt;
      case Kind::library_name:  // asked with the loader's questions
      case Kind::end:           // counted in Trace::ends
      case Kind::answer:        // the step's key has its content
        return std::nullopt;
      default:
        if (names_a_path(record.kind)) return take_path(record);
        return Refusal{Reason::trace, record.text};
    }
  }

  std::optional<Refusal> take_start(const Record& record) {
    if (auto refusal = check_start(record, absolute(record.text), trace_, run_.programs)) return refusal;
    if (process_names_.of(absolute(record.text), true).leads != ProcessNames::Leads::elsewhere)
      return Refusal{Reason::trace, record.text};
    take_file(record.text);
    return std::nullopt;
  }

  bool is_written(const Record& record) const {
    if (run_.written.empty() || !(names_a_path(record.kind) || record.kind == Kind::open_write)) return false;
    return std::binary_search(run_.written.begin(), run_.written.end(), normal_path(absolute(record.text)));
  }

  std::optional<Refusal> take_write(const Record& record) {
    const std::string path = absolute(record.text);
    if (classifier_.of(path) == PathClass::own || is_sink(path) || (run_.is_opaque() && !record.found))
      return std::nullopt;
    return Refusal{Reason::writes_elsewhere, record.text};
  }

  void take_variable(const std::string& name) {
    if (name == "PWD") asks_for_directory_ = true;
    if (is_left_out(name)) return;
    VariableUse use = use_of(name, trace_, shown_);
    if (use == VariableUse::form && run_.shows.command) use = VariableUse::value;
    if (use == VariableUse::form) observations_.push_back({Question::source_date, run_.plans ? kAskedByPlan : ""});
    ask_by(use, Question::variable, name);
  }

  void ask_by(VariableUse use, Question question, const std::string& name) {
    if (use == VariableUse::look) observations_.push_back({Question::look, name});
    if (use == VariableUse::value) observations_.push_back({question, name});
  }

  // A hit prints standard output first.
  std::optional<Refusal> take_order() {
    if (!run_.is_mixed) return std::nullopt;
    if (!from_.of_terminal(kOneFile).empty()) return Refusal{Reason::prints_mixed, ""};
    observations_.push_back({Question::terminal, kOneFile});
    return std::nullopt;
  }

  std::optional<Refusal> take_path(const Record& record) {
    if (record.kind == Kind::library && !is_counted_library(record.text)) return std::nullopt;
    if (record.text.empty()) return std::nullopt;
    const std::string path = absolute(record.text);
    const PathClass place = classifier_.of(path);
    if (place == PathClass::own || place == PathClass::system) return std::nullopt;
    if (place == PathClass::process && (record.kind == Kind::look || record.kind == Kind::link) &&
        is_own_descriptor(path))
      return std::nullopt;
    const Named named = look_at(path);
    const ProcessNames::Meaning meaning = process_names_.of(path, named.is_link && record.kind != Kind::link);
    if (meaning.leads == ProcessNames::Leads::from_directory) return take_from_directory(record, meaning.path);
    if (place == PathClass::process || meaning.leads == ProcessNames::Leads::unknown || is_of_a_process(meaning.path))
      return Refusal{Reason::trace, record.text};
    if (run_.is_keyed_by_processor && tells_of_processors(path)) return std::nullopt;
    if (is_just_the_directory(record, path)) return std::nullopt;
    const bool is_opened = record.kind == Kind::open_read;
    if (is_opened && is_stream(named.mode)) return Refusal{Reason::trace, record.text};
    if (is_opened && record.found && S_ISREG(named.mode) && named.size >= kSmallestAstFile)
      compares_ = std::max(compares_, compares_of_file(path, run_.lacks_times));
    observations_.push_back({question_of(record, path, named.mode), record.text});
    counted_.push_back(&record);
    if (record.found && named.mode != 0 && !named.is_link)
      links_.add_all_above(from_.roots.real_spelling(record.text));
    else if (record.found || record.kind == Kind::library)
      links_.add_all_on(from_.roots.real_spelling(record.text));
    else if (named.is_link)
      links_.add_link(record.text);
    return std::nullopt;
  }

  // A name that leads from the working directory through a process's part of /proc: asked about as `path`.
  std::optional<Refusal> take_from_directory(const Record& record, const std::string& path) {
    links_.add_all_on(from_.roots.real_spelling(record.text));
    Record& named = renamed_.emplace_back(record);
    named.text = path;
    if (record.kind != Kind::link || path != from_.working_directory) return take_path(named);
    if (record.seen != trace::seen_text(path)) return Refusal{Reason::trace, record.text};
    if (!is_just_the_directory(named, path)) observations_.push_back({Question::working_directory, ""});
    return std::nullopt;
  }

  // One of gcc's specs files may ask for a variable that is no input. Looks at specs files that the command or
  // another specs file names, at *.specs and at gcc's own.
  std::optional<Refusal> check_specs() const {
    constexpr std::uint64_t kSpecsLimit = 1u << 20;
    std::set<std::string> names{"specs"};
    for (const std::string& path : run_.specs) names.emplace(base_name(path));
    for (std::size_t known = 0; known != names.size();) {
      known = names.size();
      for (const Record& record : trace_.records) {
        std::string name(base_name(record.text));
        if (record.kind != Kind::open_read || !record.found || !(names.contains(name) || name.ends_with(".specs")))
          continue;
        const Result<std::string> text = read_file(absolute(record.text), kSpecsLimit);
        const std::string variable = text ? asked_in_vain(*text) : name;
        if (!variable.empty()) return Refusal{Reason::trace, "a specs file asks for " + variable};
        names.merge(included_by(*text));
      }
    }
    return std::nullopt;
  }

  // The run itself knows its variables, libraries and directory, and its result what it shows of them.
  void take_what_it_stands_on() {
    if (run_.stands_on == nullptr) return;
    for (const Observation& one : run_.stands_on->observations())
      if (asks_about_path(one.question)) observations_.push_back({one.question, from_.roots.local_path(one.name)});
  }

  // The files that clang looked at may be headers of an AST file that it read (ast_file.h).
  void add_header_questions() {
    if (compares_ == Compares::nothing) return;
    const Question question = compares_ == Compares::sizes ? Question::size : Question::size_and_time;
    for (const Record* record : counted_) {
      struct stat status = {};
      const bool looked = record->found && (record->kind == Kind::look || record->kind == Kind::open_read);
      if (looked && ::stat(absolute(record->text).c_str(), &status) == 0 && S_ISREG(status.st_mode))
        observations_.push_back({question, record->text});
    }
  }

  // gcc asks for the real path of its source to see whether the output is the same file. If the result does not show
  // the working directory, a real path in it has no other use. Links on the way have questions of their own.
  bool is_only_compared(const std::string& path) {
    return run_.is_opaque() && !run_.shows.directory &&
           is_within(real_paths_.of(path).value_or(path), from_.working_directory);
  }

  // Every compiler looks up its working directory. It is no input if the result does not show it.
  bool is_just_the_directory(const Record& record, const std::string& path) const {
    if (!run_.is_opaque() || run_.shows.directory || record.kind == Kind::list || record.kind == Kind::open_read)
      return false;
    const std::string normal = normal_path(path);
    return normal == from_.working_directory || normal == logical_directory_;
  }

  void take_file(const std::string& path) {
    observations_.push_back({Question::content, path});
    links_.add_all_on(from_.roots.real_spelling(path));
  }

  Question question_of(const Record& record, const std::string& absolute, mode_t opened) {
    switch (record.kind) {
      case Kind::open_read:
        return S_ISDIR(opened) ? Question::presence : Question::content;
      case Kind::library:
        return Question::content;
      case Kind::list:
        return only_driver_lists_ ? question_of_driver(absolute) : Question::listing;
      case Kind::link:
        return Question::link;
      case Kind::real_path:
        return is_only_compared(absolute) ? Question::presence : Question::real_path;
      default:
        return Question::presence;
    }
  }

  // A process may write down the working directory if it asked for it or was given an absolute name in it.
  bool depends_on_directory() const {
    if (asks_for_directory_ && (!run_.is_opaque() || run_.shows.directory)) return true;
    return std::any_of(observations_.begin(), observations_.end(), [&](const Observation& observation) {
      if (!asks_about_path(observation.question) || !observation.name.starts_with('/')) return false;
      const std::string path = normal_path(observation.name);
      return is_within(path, from_.working_directory) || is_within(path, logical_directory_);
    });
  }

  // Gives paths in a root a name that holds for any other place of the root. Adds a question about the root itself only
  // if the result shows it or may depend on it unseen.
  void make_portable() {
    if (run_.shows.colour && !run_.is_opaque() && !run_.plans_look)
      observations_.push_back({Question::look_options, ""});
    if (run_.shows.cuid) observations_.push_back({Question::cuid, ""});
    if (run_.shows.cuid && !from_.relocatable_cuid.empty()) observations_.push_back({Question::cuid, kRelocatable});
    if (run_.shows.output_names) observations_.push_back({Question::output_names, ""});
    const auto command = only_compilers_ ? SourceUse::Command::is_whole : SourceUse::Command::may_lack_options;
    const SourceUse use(observations_, from_, run_.shows.roots.arguments, command, file_system_.memo());
    const bool is_known_command = only_compilers_ && !use.reads_options();
    Sight sight = run_.sight;
    if (!is_known_command && sight.macros != Sight::Macros::none)
      sight = {.because = "other programs or files of options took part"};
    if (!is_known_command) sight.weakest = Question::content;
    if (!sight.assembly_of_libraries.empty() &&
        may_have_assembly(use, sight.assembly_of_libraries, file_system_.memo())) {
      sight.weakest = Question::content;
      sight.because = "the code shows where inline assembly stands";
    }
    ties_ = add_root_questions(run_.shows.roots, use, from_, only_compilers_, file_system_, observations_);
    strict_by_ = ask_about_tokens(use, sight, from_, observations_);
    ask_about_macros(use, sight, from_, observations_);
    for (Observation& observation : observations_)
      if (asks_about_path(observation.question)) observation.name = from_.roots.portable_path(observation.name);
  }

  const trace::Trace& trace_;
  const Run& run_;
  const RunContext& from_;
  FileSystemState& file_system_;
  const bool only_compilers_;  // and their tools
  const bool only_driver_lists_;
  const Shown shown_{run_.shows.colour, run_.plans_look};
  const std::string logical_directory_;
  const PathClassifier classifier_;
  ProcessNames process_names_;
  std::deque<Record> renamed_;  // counted_ points to them
  RealPaths real_paths_;
  LinksOnTheWay links_;
  std::vector<Observation> observations_;
  std::vector<const Record*> counted_;
  bool asks_for_directory_ = false;
  Compares compares_ = Compares::nothing;
  RootTies ties_;
  std::string strict_by_;
};

}  // namespace

// Counts failed opens too: a step has none of the user's descriptors above 2.
std::string descriptor_read(const std::vector<Record>& records, const std::string& working_directory) {
  const auto reads_one = [&](const Record& record) {
    return record.kind == Kind::open_read && reads_descriptor(join_path(working_directory, record.text));
  };
  const auto first = std::find_if(records.begin(), records.end(), reads_one);
  return first == records.end() ? "" : first->text;
}

std::variant<Witnessed, Refusal> witness(const trace::Trace& trace, const Run& run, const RunContext& from,
                                         FileSystemState& file_system) {
  if (std::optional<Refusal> refusal = check_programs(trace, from, run.programs)) return *refusal;
  Observer observer(trace, run, from, file_system);
  if (std::optional<Refusal> refusal = observer.collect()) return *refusal;
  std::shared_ptr<const PathSet> without_names = observer.set_without_names();
  auto set = std::make_shared<const PathSet>(observer.take_set());
  if (!set->within_limits()) return Refusal{Reason::trace, "more observations than a path set may have"};
  Answered answered;
  SharedStatSnapshot snapshot;
  const State state = file_system.full_state(*set, from, snapshot, &answered);  // before the guard: see Witnessed
  const Digest state_without_names =
      without_names ? file_system.full_state(*without_names, from, snapshot, nullptr).digest : Digest();
  if (std::optional<Refusal> refusal =
          guard(observer.counted_paths(), *set, run.started_ns, from, snapshot, file_system))
    return *refusal;
  return Witnessed{.set = std::move(set),
                   .state = state.digest,
                   .overlooked = state.overlooked,
                   .answered = std::move(answered),
                   .asks_own_name = observer.take_asks_own_name(),
                   .without_names = std::move(without_names),
                   .state_without_names = state_without_names,
                   .named_roots = observer.named_roots(),
                   .strict_by = observer.take_strict_by()};
}

}  // namespace hipcache::inputs
