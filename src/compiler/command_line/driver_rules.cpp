#include "compiler/command_line/driver_rules.h"

#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>
#include <llvm/Option/Option.h>

#include <string>

#include "compiler/options/option_table.h"
#include "compiler/options/unknown_option.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/cc1.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

using namespace options;

// Whether a group's options (-f, -m, -g, -O, -W, -D, -I ...) only select what is compiled and how.
// True also for options of the linker, which does not run.
bool is_accepted_group(unsigned group) {
  switch (group) {
    case OPT_CompileOnly_Group:
    case OPT_Link_Group:
      return true;
    default:
      return false;
  }
}

// Refused groups inside of accepted ones.
bool is_refused_group(unsigned group) {
  switch (group) {
    case OPT_Action_Group:
    case OPT_d_Group:
    case OPT_gfortran_Group:
    case OPT_hlsl_Group:
    case OPT_sycl_Group:
    case OPT_StaticAnalyzer_Group:
    case OPT_internal_Group:
      return true;
    default:
      return false;
  }
}

Reason refusal_by_group(const llvm::opt::Option& option) {
  bool accepted = false;
  for (llvm::opt::Option group = option.getGroup(); group.isValid(); group = group.getGroup()) {
    if (is_refused_group(group.getID())) return Reason::unsupported_option;
    accepted = accepted || is_accepted_group(group.getID());
  }
  return accepted ? Reason::none : Reason::unsupported_option;
}

// Arguments for cc1 may affect the compile, but must not name its files: the driver names them.
std::optional<Uncacheable> frontend_refusal(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return std::nullopt;
  const Result<std::vector<Cc1Argument>> read = read_cc1(arguments);
  if (!read) return Uncacheable{Reason::frontend_option, read.error().message};
  for (const Cc1Argument& argument : *read) {
    switch (argument.role) {
      case Cc1Role::plain:
      case Cc1Role::preprocessing:
      case Cc1Role::warning:
      case Cc1Role::remark:
      case Cc1Role::optimization:
      case Cc1Role::language:
      case Cc1Role::device_library:
      case Cc1Role::records_paths:
      case Cc1Role::search_path:
      case Cc1Role::compilation_dir:
        break;
      default:
        return Uncacheable{Reason::frontend_option, arguments[argument.first]};
    }
  }
  return std::nullopt;
}

std::optional<Uncacheable> arch_refusal(const char* value, const DriverRules& rules) {
  const std::vector<const char*> one = {value};
  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const llvm::opt::InputArgList inner = option_table().ParseArgs(one, missing_index, missing_count, kDriver);
  if (missing_count != 0 || inner.size() != 1) return Uncacheable{Reason::unsupported_option, value};
  if (is_unjudged((*inner.begin())->getOption()) && is_quiet(**inner.begin(), inner)) return std::nullopt;
  const unsigned id = (*inner.begin())->getOption().getID();
  if (id == OPT_INPUT || option_has(spelled((*inner.begin())->getOption()), facts::whole_command))
    return Uncacheable{Reason::unsupported_option, value};
  if (const Reason refusal = rules.refusal(id); refusal != Reason::none) return Uncacheable{refusal, value};
  return nested_refusal(inner, rules);
}

}  // namespace

DriverRules::DriverRules() {
  const llvm::opt::OptTable& table = option_table();
  refusals_.assign(table.getNumOptions() + 1, Reason::unknown_option);
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    const llvm::opt::Option option = table.getOption(id);
    if (option.getKind() == llvm::opt::Option::GroupClass || is_unjudged(option)) continue;
    const std::string name = spelled(option);
    if (id == OPT_INPUT || option_has(name, facts::plan_accepts)) {
      refusals_[id] = Reason::none;
    } else if (const Reason reason = reason_against(name, facts::plan_refuses); reason != Reason::none) {
      refusals_[id] = reason;
    } else {
      refusals_[id] = refusal_by_group(option);
    }
  }
}

bool is_dependency_request(const llvm::opt::Arg& argument) {
  if (argument.getNumValues() == 0 || argument.getNumValues() > 2) return false;
  const llvm::StringRef first = argument.getValue(0);
  return first == "-MD" || first == "-MMD";
}

std::optional<Uncacheable> nested_refusal(const llvm::opt::InputArgList& arguments, const DriverRules& rules) {
  std::vector<std::string> frontend;
  for (const llvm::opt::Arg* argument : arguments) {
    switch (argument->getOption().getID()) {
      case OPT_Xclang:
      case OPT_Xpreprocessor:
        frontend.emplace_back(argument->getValue());
        break;
      case OPT_Wp_COMMA:
        if (argument->getNumValues() == 0) return Uncacheable{Reason::unsupported_option, "-Wp,"};
        if (is_dependency_request(*argument)) break;
        frontend.insert(frontend.end(), argument->getValues().begin(), argument->getValues().end());
        break;
      case OPT_mllvm:
        if (is_quiet_backend_option(argument->getValue())) break;
        return Uncacheable{Reason::backend_option, argument->getValue()};
      case OPT_Xarch__: {
        if (auto refusal = arch_refusal(argument->getValue(1), rules)) return refusal;
        break;
      }
      case OPT_Xarch_host:
      case OPT_Xarch_device: {
        if (auto refusal = arch_refusal(argument->getValue(), rules)) return refusal;
        break;
      }
      default:
        break;
    }
  }
  return frontend_refusal(frontend);
}

bool is_quiet_driver_option(const std::string& option) {
  static const DriverRules rules;
  return !arch_refusal(option.c_str(), rules);
}

}  // namespace hipcache::compiler
