#include "plan/frontend_job.h"

#include <set>
#include <string_view>
#include <utility>

namespace hipcache::plan {
namespace {

using command::Cc1Argument;
using command::Cc1Role;

constexpr std::size_t kBeforeArguments = 2;  // the program and "-cc1"

Error unusual(const std::string& what) { return Error{"the compiler's plan has a frontend job " + what}; }

Status take_once(std::string& target, const Cc1Argument& argument, bool& seen, const char* what) {
  if (seen) return unusual(std::string("with two ") + what);
  if (argument.value.empty()) return unusual(std::string("with an empty name of its ") + what);
  seen = true;
  target = argument.value;
  return done();
}

Status take_once(std::optional<std::string>& target, const Cc1Argument& argument, const char* what) {
  bool seen = target.has_value();
  target.emplace();
  return take_once(*target, argument, seen, what);
}

// A name that is to be replaced must be an argument by itself.
bool is_replaceable(const Cc1Argument& argument) {
  switch (argument.role) {
    case Cc1Role::output:
    case Cc1Role::depfile:
    case Cc1Role::fatbin:
      return argument.count == 2;
    default:
      return true;
  }
}

struct Seen {
  bool source = false;
  bool output = false;
  bool object = false;
};

Status note(FrontendJob& job, const Cc1Argument& argument, Seen& seen) {
  switch (argument.role) {
    case Cc1Role::source:
      return take_once(job.source, argument, seen.source, "sources");
    case Cc1Role::output:
      return take_once(job.output, argument, seen.output, "outputs");
    case Cc1Role::depfile:
      return take_once(job.depfile, argument, "depfiles");
    case Cc1Role::fatbin:
      return take_once(job.fatbin, argument, "fatbins");
    case Cc1Role::main_file:
      job.main_file = argument.value;
      break;
    case Cc1Role::cuid:
      job.cuid = argument.value;
      break;
    case Cc1Role::target_cpu:
      job.target_cpu = argument.value;
      break;
    case Cc1Role::device:
      job.is_device = true;
      break;
    case Cc1Role::emits_object:
      seen.object = true;
      break;
    case Cc1Role::hashes_names:
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

void replace_value(std::vector<std::string>& argv, const Cc1Argument& argument, std::string name) {
  argv[kBeforeArguments + argument.first + 1] = std::move(name);
}

// Tells which arguments of the key are left out, argument by argument from the left.
class KeyFilter {
 public:
  explicit KeyFilter(const FrontendJob& job) : job_(job) {}

  bool leaves_out(const Cc1Argument& argument) {
    switch (argument.role) {
      case Cc1Role::depfile:
      case Cc1Role::dependency:
        return job_.is_device;
      case Cc1Role::compilation_dir:
        return !job_.records_paths;
      case Cc1Role::search_path:
        return !search_paths_.insert({job_.job[kBeforeArguments + argument.first], argument.value}).second;
      default:
        return false;
    }
  }

 private:
  const FrontendJob& job_;
  std::set<std::pair<std::string, std::string>> search_paths_;
};

}  // namespace

bool is_frontend_job(const Job& job) { return job.size() > kBeforeArguments && job[1] == "-cc1"; }

Result<FrontendJob> read_frontend_job(const Job& job) {
  Result<std::vector<Cc1Argument>> read =
      command::read_cc1(std::vector<std::string>(job.begin() + kBeforeArguments, job.end()));
  if (!read) return read.error();
  FrontendJob result;
  result.job = job;
  Seen seen;
  for (const Cc1Argument& argument : *read) {
    if (!is_replaceable(argument)) return unusual("with a joined file name");
    if (Status noted = note(result, argument, seen); !noted) return noted.error();
  }
  if (!seen.source || !seen.output || !seen.object) return unusual("that is no compile of one source into one object");
  result.arguments = *std::move(read);
  return result;
}

StepCommand frontend_command(const FrontendJob& job, const FrontendNames& names) {
  std::vector<std::string> argv = job.job;
  for (const Cc1Argument& argument : job.arguments) {
    if (argument.role == Cc1Role::output) replace_value(argv, argument, names.output);
    if (argument.role == Cc1Role::depfile) replace_value(argv, argument, names.depfile);
    if (argument.role == Cc1Role::fatbin) replace_value(argv, argument, names.fatbin);
  }
  return {job.job[0], std::move(argv)};
}

std::vector<std::string> frontend_key(const FrontendJob& job) {
  const std::vector<std::string> argv = frontend_command(job, {"<object>", "<depfile>", "<fatbin>"}).argv;
  std::vector<bool> left_out(argv.size(), false);
  KeyFilter filter(job);
  for (const Cc1Argument& argument : job.arguments) {
    if (!filter.leaves_out(argument)) continue;
    for (std::size_t i = 0; i < argument.count; ++i) left_out[kBeforeArguments + argument.first + i] = true;
  }
  std::vector<std::string> key;
  key.reserve(argv.size());
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (!left_out[i]) key.push_back(argv[i]);
  }
  return key;
}

}  // namespace hipcache::plan
