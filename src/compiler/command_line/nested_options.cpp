#include "compiler/command_line/nested_options.h"

#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>

#include <vector>

#include "compiler/frontend/unknown_option.h"
#include "compiler/options/option_table.h"
#include "hipcache/compiler/cc1.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::compiler {
namespace {

using namespace options;

// Arguments for cc1 may affect the compile, but must not name its files: the driver names them.
std::optional<Uncacheable> frontend_refusal(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return std::nullopt;
  const Result<std::vector<Cc1Argument>> read = read_cc1(arguments);
  if (!read) return Uncacheable{reason::kFrontendOption, read.error().message};
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
        return Uncacheable{reason::kFrontendOption, arguments[argument.first]};
    }
  }
  return std::nullopt;
}

// Options that apply to the complete command, even inside of -Xarch_.
bool is_global(unsigned option) {
  switch (option) {
    case OPT_INPUT:
    case OPT_o:
    case OPT_c:
    case OPT_x:
    case OPT_MD:
    case OPT_MMD:
    case OPT_MF:
    case OPT_config:
    case OPT_offload_arch_EQ:
    case OPT_no_offload_arch_EQ:
    case OPT_cuid_EQ:
    case OPT_fuse_cuid_EQ:
    case OPT_fgpu_rdc:
    case OPT_Xarch__:
    case OPT_Xarch_host:
    case OPT_Xarch_device:
      return true;
    default:
      return false;
  }
}

std::optional<Uncacheable> arch_refusal(const char* value, const DriverRules& rules) {
  const std::vector<const char*> one = {value};
  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const llvm::opt::InputArgList inner = option_table().ParseArgs(one, missing_index, missing_count, kDriver);
  if (missing_count != 0 || inner.size() != 1) return Uncacheable{reason::kUnsupportedOption, value};
  if (is_unjudged((*inner.begin())->getOption()) && is_quiet(**inner.begin(), inner)) return std::nullopt;
  const unsigned id = (*inner.begin())->getOption().getID();
  if (is_global(id)) return Uncacheable{reason::kUnsupportedOption, value};
  if (const char* refusal = rules.refusal(id)) return Uncacheable{refusal, value};
  return nested_refusal(inner, rules);
}

}  // namespace

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
        if (argument->getNumValues() == 0) return Uncacheable{reason::kUnsupportedOption, "-Wp,"};
        if (is_dependency_request(*argument)) break;
        frontend.insert(frontend.end(), argument->getValues().begin(), argument->getValues().end());
        break;
      case OPT_mllvm:
        if (is_quiet_backend_option(argument->getValue())) break;
        return Uncacheable{reason::kBackendOption, argument->getValue()};
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
