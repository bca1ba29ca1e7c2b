#include "compiler/hip/jobs/link_jobs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/compiler/cc1.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::hip {
namespace {

namespace facts = compiler::facts;
using compiler::bare_option;
using compiler::option_has;
using compiler::Tool;

constexpr std::string_view kDwoDirectory = "-plugin-opt=dwo_dir=";

// Whether it is a value as in "--lto-CGO2": a level or a name, never a path.
bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

// clang 15 writes some with two dashes.
bool is_backend_option(std::string_view option) {
  constexpr std::string_view prefix = "plugin-opt=-";
  return option.starts_with(prefix) && compiler::is_quiet_backend_option(std::string(option.substr(prefix.size() - 1)));
}

}  // namespace

bool is_quiet_device_link_option(std::string_view argument) {
  const std::string_view option = bare_option(argument);
  if (option_has(option, facts::of_device_links, Tool::linker)) return true;
  const std::size_t name = compiler::option_with(option, facts::word_of_device_links, Tool::linker).size();
  return name != 0 ? is_word(option.substr(name)) : is_backend_option(option);
}

namespace {

Error unusual_device_link(const std::string& argument) {
  return Error{"the compiler's plan has a device link with the argument " + argument};
}

}  // namespace

bool is_link_job(const Job& job) { return job.size() > 3 && job[1] == "-flavor" && job[2] == "gnu"; }

Result<LinkJob> read_link_job(const Job& job) {
  LinkJob result{.job = job};
  for (std::size_t i = 3; i < job.size(); ++i) {
    const bool has_next = i + 1 < job.size();
    if (job[i] == "-o" && has_next && result.output == 0) {
      result.output = ++i;
    } else if (job[i] == "-m" && has_next && job[i + 1] == "elf64_amdgpu") {
      ++i;
    } else if (job[i].starts_with("/")) {
      result.inputs.push_back(i);
    } else if (job[i].starts_with(kDwoDirectory) && result.dwo_directory == 0) {
      result.dwo_directory = i;
    } else if (!is_quiet_device_link_option(job[i])) {
      return unusual_device_link(job[i]);
    }
  }
  if (result.inputs.empty() || result.output == 0)
    return Error{"the compiler's plan has a device link of no input or output"};
  return result;
}

StepCommand link_command(const LinkJob& job, const std::vector<std::string>& inputs, const std::string& output) {
  std::vector<std::string> argv = job.job;
  for (std::size_t i = 0; i < inputs.size(); ++i) argv[job.inputs[i]] = inputs[i];
  argv[job.output] = output;
  if (job.dwo_directory != 0) argv[job.dwo_directory] = std::string(kDwoDirectory) + output + "_dwo";
  return {job.job[0], std::move(argv)};
}

namespace {

constexpr std::string_view kInput = "-input=";
constexpr std::string_view kOutput = "-output=";
constexpr std::string_view kTargets = "-targets=";

Error unusual_unbundling(const std::string& what) { return Error{"the compiler's plan has an unbundle job " + what}; }

std::size_t names_in(std::string_view list) {
  return static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')) + 1;
}

}  // namespace

bool is_unbundle_job(const Job& job) { return std::find(job.begin(), job.end(), "-unbundle") != job.end(); }

Result<UnbundleJob> read_unbundle_job(const Job& job) {
  UnbundleJob result{job, "", "", {}};
  std::string_view targets;
  for (std::size_t i = 1; i < job.size(); ++i) {
    const std::string_view argument = job[i];
    if (argument.starts_with(kInput) && result.input.empty()) {
      result.input = argument.substr(kInput.size());
    } else if (argument.starts_with(kOutput)) {
      result.outputs.emplace_back(argument.substr(kOutput.size()));
    } else if (argument.starts_with(kTargets) && targets.empty()) {
      targets = argument.substr(kTargets.size());
    } else if (!option_has(bare_option(argument), facts::unbundles, Tool::bundler)) {
      return unusual_unbundling("with the argument " + job[i]);
    }
  }
  if (result.input.empty()) return unusual_unbundling("without an input");
  if (names_in(targets) != result.outputs.size()) return unusual_unbundling("with an output more or less than targets");
  result.subject = result.input;
  if (result.outputs.size() == 1) result.subject.append(" ").append(targets);
  return result;
}

StepCommand unbundle_command(const UnbundleJob& job, const std::vector<std::string>& outputs) {
  std::vector<std::string> argv = job.job;
  std::size_t next = 0;
  for (std::string& argument : argv)
    if (argument.starts_with(kOutput)) argument = std::string(kOutput) + outputs[next++];
  return {job.job[0], std::move(argv)};
}

namespace {

constexpr std::string_view kBegin = "#       HIP Object Generator\n";
constexpr std::string_view kInclude = "  .incbin \"";
constexpr std::array<std::string_view, 7> kDirectives = {"  .protected ", "  .type ", "  .section ", "  .globl ",
                                                         "  .p2align ",   "  .zero ", "  .set "};

Error unusual_fatbin_object(const std::string& what) {
  return Error{"the compiler's plan has a fatbin object " + what};
}

// The line from `at` on, with its newline.
std::string_view line_at(std::string_view text, std::size_t at) {
  const auto end = text.find('\n', at);
  return text.substr(at, end == std::string_view::npos ? end : end + 1 - at);
}

bool is_label(std::string_view line) { return line.starts_with("__hip_") && line.ends_with(":\n"); }

bool is_of_source(std::string_view line) { return line.starts_with('#') || line.starts_with("  .") || is_label(line); }

bool is_known_line(std::string_view line) {
  const auto starts = [line](std::string_view directive) { return line.starts_with(directive); };
  return line.starts_with('#') || is_label(line) || std::any_of(kDirectives.begin(), kDirectives.end(), starts);
}

}  // namespace

std::string take_fatbin_source(std::string& printed) {
  const std::size_t begin = printed.find(kBegin);
  if (begin == std::string::npos || (begin > 0 && printed[begin - 1] != '\n')) return "";
  std::size_t end = begin;
  while (end < printed.size() && is_of_source(line_at(printed, end))) end += line_at(printed, end).size();
  std::string source = printed.substr(begin, end - begin);
  printed.erase(begin, end - begin);
  return source;
}

Result<std::string> fatbin_source_with(const std::string& source, const std::string& fatbin,
                                       const std::string& replacement) {
  const std::string include = std::string(kInclude) + fatbin + "\"\n";
  std::string result;
  bool included = false;
  for (std::size_t at = 0; at < source.size();) {
    const std::string_view line = line_at(source, at);
    at += line.size();
    if (line == include && !included) {
      included = true;
      result.append(kInclude).append(replacement).append("\"\n");
    } else if (is_known_line(line)) {
      result += line;
    } else {
      return unusual_fatbin_object("with the line " + std::string(line));
    }
  }
  if (!included) return unusual_fatbin_object("without the fatbin");
  return result;
}

bool is_fatbin_object_job(const Job& job) {
  const auto language = std::find(job.begin(), job.end(), "-x");
  const bool assembles = language != job.end() && language + 1 != job.end() && language[1] == "assembler";
  return assembles || base_name(job[0]).starts_with("llvm-mc");
}

Result<FatbinObjectJob> read_fatbin_object_job(const Job& job) {
  FatbinObjectJob result{job, 0, 0};
  for (std::size_t i = 1; i < job.size(); ++i) {
    const bool has_next = i + 1 < job.size();
    if (has_next && (job[i] == "-triple" || job[i] == "-target" || job[i] == "-x")) {
      ++i;
    } else if (job[i] == "-o" && has_next && result.output == 0) {
      result.output = ++i;
    } else if (job[i].starts_with('/') && result.input == 0) {
      result.input = i;
    } else if (job[i] != "--filetype=obj" && job[i] != "-c") {
      return unusual_fatbin_object("made with the argument " + job[i]);
    }
  }
  if (result.input == 0 || result.output == 0) return unusual_fatbin_object("of no input or output");
  return result;
}

StepCommand fatbin_object_command(const FatbinObjectJob& job, const std::string& input, const std::string& output) {
  std::vector<std::string> argv = job.job;
  argv[job.input] = input;
  argv[job.output] = output;
  return {job.job[0], std::move(argv)};
}

namespace {

Error unusual_host_link(const std::string& what) { return Error{"the compiler's plan has a host link " + what}; }

// "-lm", "-L/usr/lib", "-zdefs".
bool has_joined_value(std::string_view option) {
  return option.starts_with("-l") || option.starts_with("-L") || option.starts_with("-z");
}

// A word without a dash is an input or an option's value; if it names a file, the trace records that file. A value that
// looks like an option is treated as one, which is safe. A linker's response file may hold any option, so it is not
// known.
bool is_known_option(std::string_view argument) {
  if (argument.starts_with('@')) return false;
  if (!argument.starts_with('-')) return true;
  const std::string_view option = bare_option(argument);
  const std::string_view name = option.substr(0, option.find('='));  // "build-id" for "--build-id=sha1"
  if (name == "build-id" && argument.ends_with("=uuid")) return false;
  return has_joined_value(argument) || option_has(name, facts::is_safe, Tool::linker);
}

}  // namespace

Result<HostLinkJob> read_host_link_job(const Job& job, const std::string& directory,
                                       bool (*is_wrappers)(std::string_view option)) {
  HostLinkJob result{.job = job, .inputs = {}, .unknown_option = ""};
  result.is_wrapped = base_name(job[0]).starts_with("clang-linker-wrapper");
  for (std::size_t i = 1; i < job.size(); ++i) {
    if (job[i] == "-o") {
      if (result.output != 0 || i + 1 == job.size()) return unusual_host_link("without exactly one output");
      result.output = ++i;
    } else if (is_within(job[i], directory)) {
      result.inputs.push_back(i);
    } else if (result.is_wrapped && (job[i] == "--" || is_wrappers(job[i]))) {
      continue;
    } else if (!is_known_option(job[i]) && result.unknown_option.empty()) {
      result.unknown_option = job[i];
    }
  }
  if (result.output == 0) return unusual_host_link("without exactly one output");
  return result;
}

StepCommand host_link_command(const HostLinkJob& job, const std::vector<std::string>& inputs,
                              const std::string& output) {
  std::vector<std::string> argv = job.job;
  for (std::size_t i = 0; i < inputs.size(); ++i) argv[job.inputs[i]] = inputs[i];
  argv[job.output] = output;
  return {job.job[0], std::move(argv)};
}

}  // namespace hipcache::hip
