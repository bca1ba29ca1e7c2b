#include "compiler/hip/jobs/frontend_job.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace hipcache::hip {
namespace {

using compiler::Cc1Argument;
using compiler::Cc1Role;

Error unusual(const std::string& what) { return Error{"the compiler's plan has a frontend job " + what}; }

// Only the sections of debug information.
bool compresses_debug_information(std::string_view option) { return option.find("compress-debug") != option.npos; }

Status take_once(std::string& target, const Cc1Argument& argument, bool& seen, const char* what) {
  if (seen) return unusual(std::string("with two ") + what);
  if (argument.value.empty()) return unusual(std::string("with an empty name of its ") + what);
  seen = true;
  target = argument.value;
  return done();
}

Status take_fatbin(FrontendJob& job, const Cc1Argument& argument) {
  bool seen = job.fatbin.has_value();
  job.fatbin.emplace();
  return take_once(*job.fatbin, argument, seen, "fatbins");
}

Status take_side_file(FrontendJob& job, const Cc1Argument& argument) {
  bool seen = job.side_file(argument.role) != nullptr;
  job.side_files.push_back({argument.role, ""});
  return take_once(job.side_files.back().path, argument, seen, role_name(argument.role));
}

Emits emits_of(const std::string& argument) {
  if (argument == "-emit-llvm-bc") return Emits::bitcode;
  if (argument == "-emit-llvm") return Emits::ir;
  return argument == "-S" ? Emits::assembly : Emits::object;
}

// A name to be replaced must be a separate argument. The fatbin's is exempt: one of its options has a joined value.
bool is_replaceable(const Cc1Argument& argument) {
  const bool is_replaced = argument.role == Cc1Role::output || is_side_file(argument.role);
  return !is_replaced || argument.count == 2;
}

struct Seen {
  bool source = false;
  bool output = false;
  bool emits = false;
};

Status note(FrontendJob& job, const Cc1Argument& argument, Seen& seen) {
  if (is_side_file(argument.role)) return take_side_file(job, argument);
  switch (argument.role) {
    case Cc1Role::source:
      return take_once(job.source, argument, seen.source, "sources");
    case Cc1Role::output:
      return take_once(job.output, argument, seen.output, "outputs");
    case Cc1Role::fatbin:
      return take_fatbin(job, argument);
    case Cc1Role::main_file:
      job.main_file = argument.value;
      break;
    case Cc1Role::cuid:
      if (!job.cuid.empty() && job.cuid != argument.value) return unusual("with two ids of the translation unit");
      job.cuid = argument.value;
      break;
    case Cc1Role::target_cpu:
      job.target_cpu = argument.value;
      break;
    case Cc1Role::device:
      job.is_device = true;
      break;
    case Cc1Role::relocatable:
      job.is_relocatable = true;
      break;
    case Cc1Role::emits:
      job.emits = emits_of(job.job[kBeforeArguments + argument.first]);
      seen.emits = true;
      break;
    case Cc1Role::hashes_names:
      if (compresses_debug_information(job.job[kBeforeArguments + argument.first])) {
        job.compresses_debug_information = true;
        break;
      }
      job.hashes_names = true;
      job.records_paths = true;
      break;
    case Cc1Role::records_paths:
      job.records_paths = true;
      break;
    default:
      break;
  }
  return done();
}

void replace_value(std::vector<std::string>& argv, const Cc1Argument& argument, const std::string& name) {
  std::string& last = argv[kBeforeArguments + argument.first + argument.count - 1];
  last.replace(last.size() - argument.value.size(), argument.value.size(), name);
}

bool is_of_reading(Cc1Role role) {
  switch (role) {
    case Cc1Role::source:
    case Cc1Role::main_file:
    case Cc1Role::output:
    case Cc1Role::dependency:
    case Cc1Role::fatbin:
    case Cc1Role::cuid:
    case Cc1Role::target_cpu:
    case Cc1Role::device_library:
    case Cc1Role::compilation_dir:
    case Cc1Role::look:
      return false;
    default:
      return !is_side_file(role);
  }
}

// Decides for each argument, from left to right, whether the key leaves it out.
class KeyFilter {
 public:
  KeyFilter(const FrontendJob& job, const std::set<Cc1Role>& kept) : job_(job), kept_(kept) {}

  bool leaves_out(const Cc1Argument& argument) {
    switch (argument.role) {
      case Cc1Role::depfile:
      case Cc1Role::dependency:
        return !kept_.contains(Cc1Role::depfile);
      case Cc1Role::compilation_dir:
        return !job_.records_paths;
      case Cc1Role::look:
        return true;
      case Cc1Role::search_path:
        return !search_paths_.insert({job_.job[kBeforeArguments + argument.first], argument.value}).second;
      default:
        return false;
    }
  }

 private:
  const FrontendJob& job_;
  const std::set<Cc1Role>& kept_;
  std::set<std::pair<std::string, std::string>> search_paths_;
};

}  // namespace

const std::string* FrontendJob::side_file(Cc1Role role) const {
  const auto file =
      std::find_if(side_files.begin(), side_files.end(), [&](const auto& one) { return one.role == role; });
  return file == side_files.end() ? nullptr : &file->path;
}

bool is_frontend_job(const Job& job) { return job.size() > kBeforeArguments && job[1] == "-cc1"; }

Result<FrontendJob> read_frontend_job(const Job& job) {
  Result<std::vector<Cc1Argument>> read =
      compiler::read_cc1(std::vector<std::string>(job.begin() + kBeforeArguments, job.end()));
  if (!read) return read.error();
  FrontendJob result;
  result.job = job;
  Seen seen;
  for (const Cc1Argument& argument : *read) {
    if (!is_replaceable(argument)) return unusual("with a joined file name");
    if (Status noted = note(result, argument, seen); !noted) return noted.error();
  }
  if (!seen.source || !seen.output || !seen.emits) return unusual("that is no compile of one source into one output");
  result.arguments = *std::move(read);
  return result;
}

const char* ending_of(Emits emits) {
  switch (emits) {
    case Emits::object:
      return ".o";
    case Emits::bitcode:
      return ".bc";
    case Emits::ir:
      return ".ll";
    case Emits::assembly:
      return ".s";
  }
  return "";
}

bool is_side_file(Cc1Role role) {
  return role == Cc1Role::depfile || role == Cc1Role::split_dwarf || role == Cc1Role::stack_usage;
}

const char* role_name(Cc1Role role) {
  switch (role) {
    case Cc1Role::depfile:
      return kDepfile;
    case Cc1Role::split_dwarf:
      return "split-dwarf";
    default:
      return "stack-usage";
  }
}

const char* ending_of(Cc1Role role) {
  switch (role) {
    case Cc1Role::depfile:
      return ".d";
    case Cc1Role::split_dwarf:
      return ".dwo";
    default:
      return ".su";
  }
}

StepCommand frontend_command(const FrontendJob& job, const FrontendNames& names) {
  std::vector<std::string> argv = job.job;
  for (const Cc1Argument& argument : job.arguments) {
    if (argument.role == Cc1Role::output) replace_value(argv, argument, names.output);
    if (argument.role == Cc1Role::fatbin) replace_value(argv, argument, names.fatbin);
    if (is_side_file(argument.role)) replace_value(argv, argument, names.beside + ending_of(argument.role));
  }
  return {job.job[0], std::move(argv)};
}

std::vector<std::string> without(std::vector<std::string> argv, const FrontendJob& job,
                                 const std::function<bool(const Cc1Argument&)>& is_left_out) {
  std::vector<bool> left_out(argv.size(), false);
  for (const Cc1Argument& argument : job.arguments) {
    if (!is_left_out(argument)) continue;
    for (std::size_t i = 0; i < argument.count; ++i) left_out[kBeforeArguments + argument.first + i] = true;
  }
  std::vector<std::string> rest;
  rest.reserve(argv.size());
  for (std::size_t i = 0; i < argv.size(); ++i)
    if (!left_out[i]) rest.push_back(std::move(argv[i]));
  return rest;
}

bool is_of_text(Cc1Role role) {
  switch (role) {
    case Cc1Role::preprocessing:
    case Cc1Role::search_path:
    case Cc1Role::warning:
    case Cc1Role::depfile:
    case Cc1Role::dependency:
      return true;
    default:
      return false;
  }
}

std::string look_options_of(const FrontendJob& job) {
  std::string line;
  for (const Cc1Argument& argument : job.arguments)
    if (argument.role == Cc1Role::look) line += job.job[kBeforeArguments + argument.first] + ' ';
  return line;
}

std::vector<std::string> reading_options(const FrontendJob& job) {
  const auto is_left_out = [&](const Cc1Argument& argument) {
    const std::string& word = job.job[kBeforeArguments + argument.first];
    return !is_of_reading(argument.role) || word == "-target-feature" || word == kSourceDateOption;
  };
  std::vector<std::string> options = without(job.job, job, is_left_out);
  options.erase(options.begin(), options.begin() + kBeforeArguments);
  return options;
}

std::vector<std::string> frontend_key(const FrontendJob& job, const std::set<Cc1Role>& kept) {
  std::vector<std::string> argv = frontend_command(job, {"<output>", "<output>", "<fatbin>"}).argv;
  KeyFilter filter(job, kept);
  return without(std::move(argv), job, [&](const Cc1Argument& argument) { return filter.leaves_out(argument); });
}

}  // namespace hipcache::hip
