#include "hipcache/compiler/opaque/opaque_command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "compiler/command_line/arguments.h"
#include "compiler/command_line/programs.h"
#include "compiler/opaque/opaque_options.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

constexpr auto kHeaderEndings =
    std::to_array<std::string_view>({".h", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".H", ".tcc"});

// `language`: of -x, in effect at the input; "" if the ending decides.
bool is_header(std::string_view path, std::string_view language) {
  if (!language.empty()) return language.find("-header") != std::string_view::npos;
  return std::any_of(kHeaderEndings.begin(), kHeaderEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

// Objects, archives and shared libraries. Linking them takes no id of a translation unit.
bool is_named_for_linker(std::string_view path) {
  constexpr auto kEndings = std::to_array<std::string_view>({".o", ".a", ".so", ".lo", ".obj"});
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); }) ||
         base_name(path).find(".so.") != std::string_view::npos;
}

bool has_id(std::string_view path, std::string_view language) {
  constexpr auto kLanguages = std::to_array<std::string_view>({"hip", "cuda"});
  constexpr auto kEndings = std::to_array<std::string_view>({".hip", ".hipi", ".cu", ".cui"});
  if (!language.empty()) return holds_prefix_of(kLanguages, language);
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return path.ends_with(ending); });
}

// The words that clang ignores, but for those behind an option that may take them as its value.
std::vector<std::string> ignored_by_clang(const std::vector<std::string>& arguments) {
  std::vector<std::string> ignored;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (arguments[i].starts_with(kSeedOption) && is_complete(arguments[i - 1])) ignored.push_back(arguments[i]);
  return ignored;
}

// One pass over the arguments, left to right.
class Reading {
 public:
  // `maybe_clang`: the program is clang, or its family is unknown.
  Reading(const std::vector<std::string>& arguments, bool maybe_clang)
      : arguments_(arguments), maybe_clang_(maybe_clang) {}

  std::optional<Uncacheable> read() {
    for (std::size_t i = 1; i < arguments_.size(); ++i) {
      const std::string& argument = arguments_[i];
      if (argument.starts_with('-')) options_.push_back(i);
      if (names_device(argument)) return Uncacheable{Reason::output_not_a_file, argument};
      if (option_has(argument, facts::takes_next) && i + 1 < arguments_.size()) {
        if (auto refusal = take_value(argument, arguments_[++i])) return refusal;
      } else if (auto refusal = take(argument)) {
        return refusal;
      }
    }
    return judge();
  }

  std::string object;
  Making making = Making::compile;
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::size_t>& options() const { return options_; }
  bool records_command() const { return has_seen(facts::records_command); }
  bool updates_output() const { return has_seen(facts::updates_output); }
  // A specs file may pass any option on.
  bool links_objects() const {
    return making == Making::link && !compiles_ && values_of(arguments_, facts::names_specs).empty();
  }
  bool makes_id() const { return makes_id_; }

 private:
  std::optional<Uncacheable> take_value(const std::string& option, const std::string& value) {
    if (names_device(value)) return Uncacheable{Reason::output_not_a_file, value};
    if (value == "-" && option_has(option, facts::reads_next))
      return Uncacheable{Reason::standard_input, option + " " + value};
    take_names(option, value);
    return passed_on_.take(option, value);
  }

  std::optional<Uncacheable> take(const std::string& argument) {
    if (argument == "-") return Uncacheable{Reason::standard_input, argument};
    if (const Reason refusal = reason_against(argument, facts::refused); refusal != Reason::none)
      return Uncacheable{refusal, argument};
    if (!argument.starts_with('-')) {
      inputs_.push_back(argument);
      makes_header_ = makes_header_ || is_header(argument, language_);
      compiles_ = compiles_ || !language_.empty() || !is_named_for_linker(argument);
      makes_id_ = makes_id_ || has_id(argument, language_);
    } else {
      const std::size_t name = option_with(argument, facts::names_output | facts::names_language).size();
      if (name != 0 && name < argument.size()) take_names(argument, argument.substr(name));
    }
    if (argument == "--") compiles_ = true;  // files whose names begin with a dash may follow
    const OptionFacts of_argument = facts_of(argument);
    seen_ |= of_argument;
    if ((of_argument & facts::names_id) != 0) names_id_ = names_id_ || !is_option(argument, facts::names_id);
    if ((of_argument & facts::draws_id) != 0) draws_id_ = argument;
    if ((of_argument & (facts::makes_relocatable | facts::makes_complete)) != 0)
      relocatable_ = (of_argument & facts::makes_relocatable) != 0;
    return passed_on_.take(argument);
  }

  void take_names(std::string_view option, const std::string& value) {
    if (option_has(option, facts::names_output)) object = value;
    if (option_has(option, facts::names_language)) language_ = value == "none" ? "" : value;
  }

  bool has_seen(OptionFacts fact) const { return (seen_ & fact) != 0; }

  // clang's precompiled header holds the times of its headers, and is rejected if they change.
  std::optional<Uncacheable> judge() {
    if (inputs_.empty()) return Uncacheable{Reason::no_input, ""};
    // The front end obeys its own option rather than the driver's -E.
    const bool stamps = passed_on_.emits_header() || (makes_header_ && !has_seen(facts::prints_or_checks)) ||
                        has_seen(facts::makes_ast);
    if (!has_seen(facts::stops_before_link) && !makes_header_ && !stamps) making = Making::link;
    if (stamps && !passed_on_.leaves_out_times() && maybe_clang_)
      return Uncacheable{Reason::precompiled_header, "without -Xclang -fno-pch-timestamp"};
    if (!draws_id_.empty() && !names_id_) return Uncacheable{Reason::random_cuid, draws_id_};
    const bool has_no_id = has_seen(facts::gives_no_id) || (has_seen(facts::makes_no_id) && !names_id_);
    if (relocatable_ && has_no_id && compiles_) return Uncacheable{Reason::random_cuid, "-fgpu-rdc without an id"};
    if (object.empty()) object = making == Making::link ? "a.out" : inputs_.back() + ".o";
    return making == Making::link ? refused_for_linker(arguments_) : std::nullopt;
  }

  const std::vector<std::string>& arguments_;
  const bool maybe_clang_;
  std::vector<std::string> inputs_;
  std::vector<std::size_t> options_;  // positions of options, without those of their values
  OptionFacts seen_ = facts::none;    // of all options but those whose value is the next argument
  PassedOnOptions passed_on_;
  std::string language_;
  std::string draws_id_;  // the option
  bool names_id_ = false;
  bool makes_header_ = false;
  bool relocatable_ = false;
  bool compiles_ = false;  // perhaps: some input is not known to be for the linker
  bool makes_id_ = false;
};

// Whether the command writes an entry of a compilation database.
bool writes_command(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](std::string_view argument) { return option_has(argument, facts::writes_command); });
}

// Variables that have other values in a step than in the user's environment.
constexpr auto kChangedVariables = std::to_array<std::string_view>({"TMPDIR", "LD_PRELOAD", "HIPCACHE_TRACE"});

// Refuses a specs file named in the command that passes one of these variables to the compiler. A
// specs file found on gcc's own search path is checked from the trace.
std::optional<Uncacheable> specs_refusal(const std::vector<std::string>& arguments, const std::string& directory) {
  constexpr std::uint64_t kSpecsLimit = 1u << 20;
  for (const std::string& file : values_of(arguments, facts::names_specs)) {
    const Result<std::string> text = read_file(join_path(directory, file), kSpecsLimit);
    if (!text || text->find("getenv(") == std::string::npos) continue;
    for (const std::string_view variable : kChangedVariables)
      if (text->find(variable) != std::string::npos) return Uncacheable{Reason::unsupported_option, "specs in " + file};
  }
  return std::nullopt;
}

// A link of one object or archive has none: to digest such a file would slow down links that are too
// large to be stored.
std::string only_input_of(Making making, const std::vector<std::string>& inputs) {
  if (inputs.size() != 1) return "";
  return making == Making::compile || is_named_like_source(inputs[0]) ? inputs[0] : "";
}

// Reads the command of a compiler driver. `family`: set if the program is not a compiler by name.
std::optional<Uncacheable> read_driver(Invocation& invocation, std::optional<Family> family,
                                       const std::string& working_directory) {
  const std::string& program = invocation.argv[0];
  if (names_clang_driver(program)) invocation.opaque.ignored = ignored_by_clang(invocation.expanded);
  Reading reading(invocation.expanded,
                  names_clang_driver(program) || names_hipcc(program) || (family && *family != Family::gcc));
  if (auto refusal = reading.read()) return refusal;
  for (const std::string& input : reading.inputs())
    if (leads_to_descriptor(join_path(working_directory, input))) return Uncacheable{Reason::standard_input, input};
  if (auto refusal = specs_refusal(invocation.expanded, working_directory)) return refusal;
  invocation.opaque.making = reading.making;
  invocation.opaque.links_objects = reading.links_objects();
  invocation.opaque.makes_id = reading.makes_id();
  invocation.object = reading.object;
  if (reading.making == Making::link && reading.updates_output()) invocation.opaque.updates = reading.object;
  invocation.opaque.only_input = only_input_of(reading.making, reading.inputs());
  invocation.writes_command = writes_command(invocation.expanded);
  // For a script or an unknown compiler, hipcache cannot know what happens to names; for a link, and
  // where the output has the command, names are kept.
  const bool is_known = !names_hipcc(invocation.argv[0]) && family != Family::unknown && !reading.records_command();
  if (is_known && invocation.opaque.making == Making::compile && invocation.response_files.empty())
    invocation.opaque.output_names = find_output_names(invocation.argv, reading.options(), reading.inputs());
  return std::nullopt;
}

std::optional<Uncacheable> read_archiver(Invocation& invocation) {
  auto archive = find_archive(invocation.expanded);
  if (auto* refusal = std::get_if<Uncacheable>(&archive)) return std::move(*refusal);
  invocation.opaque.making = Making::archive;
  invocation.opaque.updates = invocation.object = std::get<std::string>(std::move(archive));
  return std::nullopt;
}

std::optional<Uncacheable> read_linker(Invocation& invocation) {
  const std::vector<std::string>& arguments = invocation.expanded;
  if (arguments.size() == 1) return Uncacheable{Reason::no_input, ""};
  invocation.object = "a.out";
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-") return Uncacheable{Reason::standard_input, argument};
    if (option_has(bare_option(argument), facts::asks_program, Tool::linker))
      return Uncacheable{Reason::driver_information, argument};
    if (names_device(argument)) return Uncacheable{Reason::output_not_a_file, argument};
  }
  if (const auto named = values_of(arguments, facts::names_output); !named.empty()) invocation.object = named.back();
  invocation.opaque.making = Making::link;
  return refused_by_linker(arguments);
}

// CMake puts a rule's launcher in front of its own commands, too: "cmake -E rm" before an archive is made anew.
bool is_build_helper(const std::vector<std::string>& argv) {
  return argv.size() > 1 && base_name(argv[0]) == "cmake" && argv[1] == "-E";
}

}  // namespace

std::variant<Invocation, Uncacheable> parse_opaque(const std::vector<std::string>& argv,
                                                   const std::string& working_directory,
                                                   const std::vector<std::string>& further) {
  if (argv.empty()) return Uncacheable{Reason::not_a_compiler, ""};
  const std::optional<Family> family = further_compiler(argv[0], further);
  const bool archives = !family && is_archiver(argv[0]);
  const bool links = !family && is_linker(argv[0]);
  if (is_build_helper(argv)) return Uncacheable{Reason::build_helper, ""};
  if (!family && !archives && !links && !names_driver(argv[0]))
    return Uncacheable{Reason::not_a_compiler, advice_on(argv[0])};
  if (has_null(argv)) return Uncacheable{Reason::unknown_option, "an argument with a null byte"};
  if (std::optional<std::string> named = descriptor_among(argv, working_directory))
    return Uncacheable{Reason::standard_input, *std::move(named)};
  Result<ExpandedArguments> expanded = expand_response_files(argv, working_directory);
  if (!expanded) return Uncacheable{Reason::response_file, expanded.error().message};
  Invocation invocation;
  invocation.route = Route::is_opaque;
  invocation.argv = argv;
  invocation.expanded = std::move(expanded->arguments);
  invocation.response_files = std::move(expanded->files);
  if (std::optional<std::string> named = descriptor_among(invocation.expanded, working_directory))
    return Uncacheable{Reason::standard_input, *std::move(named)};
  auto refusal = archives ? read_archiver(invocation)
                 : links  ? read_linker(invocation)
                          : read_driver(invocation, family, working_directory);
  if (refusal) return *std::move(refusal);
  invocation.without_archs = argv;
  return invocation;
}

std::variant<Invocation, Uncacheable> OpaqueKind::read(const Command& command) const {
  return parse_opaque(command.argv, command.working_directory, command.further_compilers);
}

}  // namespace hipcache::compiler
