#include "hipcache/compiler/kind.h"

#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "compiler/command_line/arguments.h"
#include "compiler/command_line/driver_rules.h"
#include "compiler/command_line/inputs.h"
#include "compiler/command_line/programs.h"
#include "compiler/options/option_table.h"
#include "compiler/options/unknown_option.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"

namespace hipcache::compiler {
namespace {

using namespace options;
using llvm::opt::Arg;
using llvm::opt::InputArgList;

// hipcc gives its own option to clang under another name.
const char* in_clangs_words(const std::string& argument, bool by_hipcc) {
  return by_hipcc && argument == "--genco" ? "--offload-device-only" : argument.c_str();
}

std::optional<Uncacheable> input_refusal(const std::vector<Input>& inputs) {
  if (inputs.empty()) return Uncacheable{Reason::no_input, ""};
  const auto is_stdin = [](const Input& input) { return input.path == "-"; };
  if (std::any_of(inputs.begin(), inputs.end(), is_stdin)) return Uncacheable{Reason::standard_input, "-"};
  if (inputs.size() > 1) return Uncacheable{Reason::several_inputs, inputs[1].path};
  if (!inputs[0].is_hip) return Uncacheable{Reason::not_hip, inputs[0].path};
  return std::nullopt;
}

// Which sides are compiled: OPT_offload_host_device means both.
unsigned side_of(const InputArgList& arguments) {
  const Arg* side =
      arguments.getLastArgNoClaim(OPT_offload_device_only, OPT_offload_host_only, OPT_offload_host_device);
  return side == nullptr ? unsigned{OPT_offload_host_device} : side->getOption().getID();
}

bool is_relocatable(const InputArgList& arguments) { return arguments.hasFlag(OPT_fgpu_rdc, OPT_fno_gpu_rdc, false); }

// Without relocatable code the devices' code needs no link, so the driver does the same with and without -c.
bool ends_with_devices(const InputArgList& arguments) {
  return side_of(arguments) == OPT_offload_device_only && !is_relocatable(arguments);
}

// Whether the driver calls the host's linker.
bool is_linked(const InputArgList& arguments) {
  return !arguments.hasArgNoClaim(OPT_c, OPT_S) && !ends_with_devices(arguments);
}

bool is_new_driver(const InputArgList& arguments) {
  return arguments.hasFlag(OPT_offload_new_driver, OPT_no_offload_new_driver, false);
}

// Without a CUID, relocatable device code uses the source's inode as its id. Compilers up to 21
// give no CUID if only the host is compiled. With the new driver they give none to a single side,
// so that both sides agree if compiled separately.
std::optional<Uncacheable> cuid_refusal(const InputArgList& arguments) {
  const bool is_rdc = is_relocatable(arguments);
  const unsigned side = side_of(arguments);
  if (is_rdc && (side == OPT_offload_host_only || (side == OPT_offload_device_only && is_new_driver(arguments))))
    return Uncacheable{Reason::random_cuid, "-fgpu-rdc for one side alone"};
  if (!arguments.getLastArgValue(OPT_cuid_EQ).empty()) return std::nullopt;  // stands above -fuse-cuid=
  for (const Arg* argument : arguments.filtered(OPT_fuse_cuid_EQ)) {
    const llvm::StringRef way = argument->getValue();
    if (way == "random" || (way == "none" && is_rdc))
      return Uncacheable{Reason::random_cuid, argument->getAsString(arguments)};
  }
  return std::nullopt;
}

// -fno-crash-diagnostics, and the driver's default. After a crash the driver runs by itself.
bool is_without_reproducer(llvm::StringRef when) { return when == "off" || when == "crash"; }

// hipcc links so. The driver then does what it does under the name clang++ or clang.
bool is_usual_mode(llvm::StringRef mode) { return mode == "g++" || mode == "gcc"; }

std::optional<Uncacheable> option_refusal(const InputArgList& arguments, const DriverRules& rules) {
  for (const Arg* argument : arguments) {
    const unsigned id = argument->getOption().getID();
    if (is_unjudged(argument->getOption()) && is_quiet(*argument, arguments)) continue;
    if (id == OPT_gen_reproducer_eq && is_without_reproducer(argument->getValue())) continue;
    if (id == OPT_driver_mode && is_usual_mode(argument->getValue())) continue;
    if (const Reason refusal = rules.refusal(id); refusal != Reason::none)
      return Uncacheable{refusal, argument->getAsString(arguments)};
  }
  if (auto refusal = cuid_refusal(arguments)) return refusal;
  return nested_refusal(arguments, rules);
}

// Refuses a command that would be refused if its unknown options took the words after them. `words`:
// what `arguments` were read from.
std::optional<Uncacheable> other_reading_refusal(const InputArgList& arguments, const std::vector<const char*>& words,
                                                 const DriverRules& rules) {
  const auto unknown =
      std::find_if(arguments.begin(), arguments.end(), [](const Arg* argument) { return is_unknown(*argument); });
  if (unknown == arguments.end()) return std::nullopt;
  const auto refusal = option_refusal(other_readings(arguments, words, kDriver), rules);
  if (!refusal) return std::nullopt;
  return Uncacheable{Reason::unknown_option, (*unknown)->getSpelling().str() + " before " + refusal->detail};
}

// "gfx90a:xnack-:sramecc+" and "gfx90a:sramecc+:xnack-" are the same target; clang sorts the
// features.
std::string canonical_arch(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ':');
  std::sort(parts.begin() + 1, parts.end());
  std::string name = parts[0].str();
  for (std::size_t i = 1; i < parts.size(); ++i) name += ":" + parts[i].str();
  return name;
}

// The architecture list as clang builds it: additions and removals from left to right.
std::vector<ArchId> find_archs(const InputArgList& arguments) {
  std::set<std::string> names;
  for (const Arg* argument : arguments.filtered(OPT_offload_arch_EQ, OPT_no_offload_arch_EQ)) {
    const bool removes = argument->getOption().matches(OPT_no_offload_arch_EQ);
    llvm::SmallVector<llvm::StringRef, 8> values;
    llvm::StringRef(argument->getValue()).split(values, ',');
    for (llvm::StringRef value : values) {
      if (removes && value == "all") {
        names.clear();
      } else if (removes) {
        names.erase(canonical_arch(value));
      } else {
        names.insert(canonical_arch(value));
      }
    }
  }
  std::vector<ArchId> archs;
  archs.reserve(names.size());
  for (const std::string& name : names) archs.push_back({name});
  return archs;
}

bool is_arch_option(const Arg& argument) {
  return argument.getOption().matches(OPT_offload_arch_EQ) || argument.getOption().matches(OPT_no_offload_arch_EQ);
}

// Whether the option only names, requests or shapes the depfile. False for -MG, which also makes a
// missing header no error.
bool is_depfile_option(const Arg& argument) {
  switch (argument.getOption().getID()) {
    case OPT_MD:
    case OPT_MMD:
    case OPT_MF:
    case OPT_MT:
    case OPT_MQ:
    case OPT_MP:
    case OPT_MV:
      return true;
    case OPT_Wp_COMMA:
      return is_dependency_request(argument);
    default:
      return false;
  }
}

// How many jobs the driver runs at once shows in no output.
bool is_job_count(const Arg& argument) { return argument.getOption().matches(OPT_offload_jobs_EQ); }

bool is_arch_option_or_job_count(const Arg& argument) { return is_arch_option(argument) || is_job_count(argument); }

bool is_left_out_of_cuid(const Arg& argument) {
  return is_arch_option(argument) || is_job_count(argument) || is_depfile_option(argument);
}

// What only the linker reads reaches no code.
bool is_left_out_of_cuid_or_linkers(const Arg& argument) {
  const bool is_input = argument.getOption().matches(OPT_INPUT) && !is_source(argument.getValue());
  return is_input || is_left_out_of_cuid(argument) || argument.getOption().matches(OPT_Link_Group);
}

// Each of several sources has an id of its own, made of its name.
bool is_left_out_of_cuid_or_input(const Arg& argument) {
  return argument.getOption().matches(OPT_INPUT) || is_left_out_of_cuid_or_linkers(argument);
}

// Whether the option's value is the next argument.
bool has_separate_value(const Arg& argument, const std::vector<std::string>& expanded) {
  const std::size_t next = argument.getIndex() + 2;  // the table's indices do not count the compiler's name
  return argument.getNumValues() == 1 && next < expanded.size() && argument.getValue() == expanded[next] &&
         argument.getSpelling() == expanded[next - 1];
}

std::vector<std::string> less(const std::vector<std::string>& expanded, const InputArgList& arguments,
                              bool (*is_left_out)(const Arg&)) {
  std::vector<bool> left_out(expanded.size(), false);
  for (const Arg* argument : arguments) {
    if (!is_left_out(*argument)) continue;
    const std::size_t first = argument->getIndex() + 1;
    left_out[first] = true;
    if (has_separate_value(*argument, expanded)) left_out[first + 1] = true;
  }
  std::vector<std::string> rest;
  rest.reserve(expanded.size());
  for (std::size_t i = 0; i < expanded.size(); ++i)
    if (!left_out[i]) rest.push_back(expanded[i]);
  return rest;
}

// Next to an unknown option, an architecture may be its value.
bool is_order_unclear(const InputArgList& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const Arg* argument) { return is_unknown(*argument); });
}

// The words that the key of a compile has in their order. Up to clang 17 the new driver bundles in the order of the
// command line.
std::vector<std::string> words_in_order(const std::vector<std::string>& expanded, const InputArgList& arguments) {
  if (is_order_unclear(arguments)) return expanded;
  return is_new_driver(arguments) ? less(expanded, arguments, is_job_count) : std::vector<std::string>();
}

// ".o", or the ending for -S and -emit-llvm.
const char* output_ending(const InputArgList& arguments) {
  const bool is_text = arguments.hasArgNoClaim(OPT_S);
  if (arguments.hasArgNoClaim(OPT_emit_llvm)) return is_text ? ".ll" : ".bc";
  return is_text ? ".s" : ".o";
}

std::string default_output(const std::string& source, const char* ending) {
  const std::string_view name = base_name(source);
  return std::string(name.substr(0, name.rfind('.'))) + ending;
}

// The name from -MF, or the name that clang derives. -MF without -MD or -MMD requests no depfile.
std::optional<std::string> find_depfile(const InputArgList& arguments, const std::string& source) {
  const Arg* request = nullptr;
  const char* file = nullptr;
  for (const Arg* argument : arguments) {
    const unsigned id = argument->getOption().getID();
    const bool is_wp = id == OPT_Wp_COMMA && is_dependency_request(*argument);
    if (id == OPT_MD || id == OPT_MMD || is_wp) request = argument;
    if (id == OPT_MF) file = argument->getValue();
    if (is_wp && argument->getNumValues() == 2) file = argument->getValue(1);
  }
  if (request == nullptr) return std::nullopt;
  if (file != nullptr) return file;
  const Arg* output = arguments.getLastArgNoClaim(OPT_o);
  llvm::SmallString<128> name(output != nullptr ? llvm::StringRef(output->getValue())
                                                : llvm::StringRef(default_output(source, ".o")));
  llvm::sys::path::replace_extension(name, "d");
  return name.str().str();
}

bool is_ordinary_file_name(const std::string& path) {
  return !path.empty() && path != "-" && path.back() != '/' && path != "/dev" && !path.starts_with("/dev/");
}

std::optional<Uncacheable> native_arch_refusal(const Invocation& invocation) {
  for (const ArchId& arch : invocation.archs) {
    if (arch.name == "native") return Uncacheable{Reason::native_target, "--offload-arch=native"};
  }
  return std::nullopt;
}

std::optional<Uncacheable> output_refusal(const Invocation& invocation) {
  if (!is_ordinary_file_name(invocation.object)) return Uncacheable{Reason::output_not_a_file, invocation.object};
  if (invocation.depfile && !is_ordinary_file_name(*invocation.depfile)) {
    return Uncacheable{Reason::output_not_a_file, *invocation.depfile};
  }
  return std::nullopt;
}

// The words that the id of a translation unit is made of.
std::vector<std::string> words_for_cuid(const Invocation& invocation, const InputArgList& arguments) {
  if (!invocation.other_sources.empty()) return less(invocation.expanded, arguments, is_left_out_of_cuid_or_input);
  return less(invocation.expanded, arguments,
              invocation.driver.then_links ? is_left_out_of_cuid_or_linkers : is_left_out_of_cuid);
}

// REQUIRES: at least one source; more than one only if the command links.
void fill(Invocation& invocation, const InputArgList& arguments, const std::vector<Input>& sources) {
  const Input& input = sources.front();
  invocation.source = input.path;
  for (auto other = sources.begin() + 1; other != sources.end(); ++other)
    invocation.other_sources.push_back(other->path);
  const Arg* output = arguments.getLastArgNoClaim(OPT_o);
  invocation.driver.then_links = is_linked(arguments);
  const std::string unnamed =
      invocation.driver.then_links ? "a.out" : default_output(input.path, output_ending(arguments));
  invocation.object = output != nullptr ? output->getValue() : unnamed;
  invocation.driver.names_outputs = output == nullptr && side_of(arguments) == OPT_offload_device_only;
  invocation.depfile = find_depfile(arguments, input.path);
  invocation.archs = find_archs(arguments);
  invocation.without_archs = less(invocation.expanded, arguments, is_arch_option_or_job_count);
  invocation.driver.in_order = words_in_order(invocation.expanded, arguments);
  invocation.driver.for_cuid = words_for_cuid(invocation, arguments);
  invocation.driver.new_driver = is_new_driver(arguments);
  invocation.driver.host_only = side_of(arguments) == OPT_offload_host_only;
  invocation.driver.user_cuid = arguments.hasArgNoClaim(OPT_cuid_EQ, OPT_fuse_cuid_EQ);
}

std::optional<Uncacheable> link_input_refusal(const std::vector<Input>& inputs) {
  if (inputs.empty()) return Uncacheable{Reason::no_input, ""};
  for (const Input& input : inputs) {
    if (input.path == "-") return Uncacheable{Reason::standard_input, "-"};
    if (!input.is_for_linker) return Uncacheable{Reason::link, input.path};
  }
  return std::nullopt;
}

// Of the inputs of a command that links, leaves the sources. A link that is not split compiles no HIP, or makes code
// that the linker goes on with.
std::optional<Uncacheable> leave_sources(std::vector<Input>& inputs, const InputArgList& arguments) {
  if (is_relocatable(arguments) || side_of(arguments) != OPT_offload_host_device ||
      arguments.hasArgNoClaim(OPT_emit_llvm))
    return Uncacheable{Reason::link, ""};
  std::erase_if(inputs, [](const Input& input) { return input.is_for_linker; });
  const auto is_stdin = [](const Input& input) { return input.path == "-"; };
  if (std::any_of(inputs.begin(), inputs.end(), is_stdin)) return Uncacheable{Reason::standard_input, "-"};
  if (std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.is_hip; })) return std::nullopt;
  return Uncacheable{Reason::link, inputs.size() > 1 ? inputs[1].path : ""};
}

// The driver names one depfile for all sources, and which of them is left there depends on its version.
std::optional<Uncacheable> depfile_refusal(const Invocation& invocation) {
  if (invocation.other_sources.empty() || !invocation.depfile) return std::nullopt;
  return Uncacheable{Reason::several_inputs, "a depfile for " + invocation.other_sources.front() + " as well"};
}

void fill_link(Invocation& invocation, const InputArgList& arguments) {
  invocation.driver.links = true;
  const Arg* output = arguments.getLastArgNoClaim(OPT_o);
  invocation.object = output != nullptr ? output->getValue() : "a.out";
  invocation.archs = find_archs(arguments);
  invocation.without_archs = less(invocation.expanded, arguments, is_arch_option_or_job_count);
  if (is_order_unclear(arguments)) invocation.driver.in_order = invocation.expanded;
}

std::optional<Uncacheable> understand_link(Invocation& invocation, const InputArgList& arguments) {
  if (auto refusal = link_input_refusal(find_inputs(arguments, names_hipcc(invocation.expanded[0])))) return refusal;
  fill_link(invocation, arguments);
  if (auto refusal = native_arch_refusal(invocation)) return refusal;
  return output_refusal(invocation);
}

std::optional<Uncacheable> understand(Invocation& invocation, const InputArgList& arguments,
                                      const std::vector<const char*>& words, const DriverRules& rules) {
  if (auto refusal = option_refusal(arguments, rules)) return refusal;
  if (auto refusal = other_reading_refusal(arguments, words, rules)) return refusal;
  if (is_rdc_link(arguments)) return understand_link(invocation, arguments);
  std::vector<Input> inputs = find_inputs(arguments, names_hipcc(invocation.expanded[0]));
  if (auto refusal = is_linked(arguments) ? leave_sources(inputs, arguments) : input_refusal(inputs)) return refusal;
  fill(invocation, arguments, inputs);
  if (auto refusal = depfile_refusal(invocation)) return refusal;
  if (auto refusal = native_arch_refusal(invocation)) return refusal;
  return output_refusal(invocation);
}

// The option that has code for devices made of a source that is none of HIP's, or null. Such a compile is one step for
// all architectures.
const char* other_offload_model(const InputArgList& arguments) {
  if (arguments.hasArgNoClaim(OPT_hipstdpar)) return "--hipstdpar";
  const bool is_openmp = arguments.hasArgNoClaim(OPT_fopenmp, OPT_fopenmp_EQ);
  return is_openmp && arguments.hasArgNoClaim(OPT_offload_arch_EQ, OPT_fopenmp_targets_EQ) ? "-fopenmp" : nullptr;
}

bool compiles_hip(const InputArgList& arguments, bool by_hipcc) {
  const std::vector<Input> inputs = find_inputs(arguments, by_hipcc);
  return is_rdc_link(arguments) ||
         std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.is_hip; });
}

std::variant<Invocation, Uncacheable> understand(Invocation invocation, const DriverRules& rules) {
  std::vector<const char*> pointers;
  pointers.reserve(invocation.expanded.size());
  for (std::size_t i = 1; i < invocation.expanded.size(); ++i)
    pointers.push_back(in_clangs_words(invocation.expanded[i], invocation.driver.by_script));
  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const InputArgList arguments = option_table().ParseArgs(pointers, missing_index, missing_count, kDriver);
  if (missing_count != 0) return Uncacheable{Reason::missing_argument, pointers[missing_index]};
  auto refusal = understand(invocation, arguments, pointers, rules);
  if (!refusal) return invocation;
  if (const char* model = other_offload_model(arguments); model != nullptr && refusal->reason == Reason::not_hip)
    return Uncacheable{Reason::offload_model, model, true};
  refusal->of_hip = compiles_hip(arguments, names_hipcc(invocation.expanded[0]));
  return *std::move(refusal);
}

// The caller does not try such a command as an opaque one either, so the reason holds for both.
std::optional<Uncacheable> descriptor_refusal(const Invocation& invocation, const std::string& working_directory) {
  if (std::optional<std::string> named = descriptor_among(invocation.expanded, working_directory))
    return Uncacheable{Reason::standard_input, *std::move(named)};
  std::vector<std::string> sources = invocation.other_sources;
  if (!invocation.source.empty()) sources.push_back(invocation.source);
  for (const std::string& source : sources)
    if (leads_to_descriptor(join_path(working_directory, source))) return Uncacheable{Reason::standard_input, source};
  return std::nullopt;
}

}  // namespace

struct Parser::Table {
  DriverRules rules;
};

Parser::Parser() : table_(std::make_unique<Table>()) {}
Parser::~Parser() = default;

std::variant<Invocation, Uncacheable> Parser::parse(const std::vector<std::string>& argv,
                                                    const std::string& working_directory) const {
  if (argv.empty() || !(names_clang_driver(argv[0]) || names_hipcc(argv[0]))) {
    return Uncacheable{Reason::not_a_compiler, argv.empty() ? std::string() : argv[0]};
  }
  if (has_null(argv)) return Uncacheable{Reason::unknown_option, "an argument with a null byte"};
  Result<ExpandedArguments> expanded = expand_response_files(argv, working_directory);
  if (!expanded) return Uncacheable{Reason::response_file, expanded.error().message};
  Invocation invocation;
  invocation.argv = argv;
  invocation.expanded = std::move(expanded->arguments);
  invocation.response_files = std::move(expanded->files);
  invocation.driver.by_script = names_hipcc(argv[0]);
  auto understood = understand(std::move(invocation), table_->rules);
  if (const auto* planned = std::get_if<Invocation>(&understood))
    if (auto refusal = descriptor_refusal(*planned, working_directory)) return *std::move(refusal);
  return understood;
}

std::variant<Invocation, Uncacheable> Parser::read(const Command& command) const {
  auto parsed = parse(command.argv, command.working_directory);
  const auto* planned = std::get_if<Invocation>(&parsed);
  if (planned != nullptr && command.keeps_id && !planned->driver.user_cuid && !planned->driver.links)
    return Uncacheable{Reason::random_cuid, "the compiler's own id is to be kept", true};
  return parsed;
}

}  // namespace hipcache::compiler
