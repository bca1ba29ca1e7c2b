#include "compiler/command_line/inputs.h"

#include <llvm/Option/Arg.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "compiler/options/option_table.h"
#include "compiler/options/unknown_option.h"

namespace hipcache::compiler {
namespace {

using namespace options;

// The extensions of clang/Driver/Types.def without "o" and "a".
constexpr std::array<std::string_view, 56> kSources = {
    "C",   "CC",  "CPP", "CXX",  "F",  "F03", "F08",  "F90", "F95", "FOR", "FPP",   "H",   "S",   "adb",
    "ads", "asm", "ast", "bc",   "c",  "c++", "c++m", "cc",  "ccm", "cl",  "clcpp", "cp",  "cpp", "cppm",
    "cu",  "cui", "cxx", "cxxm", "f",  "f03", "f08",  "f90", "f95", "for", "fpp",   "gch", "h",   "hh",
    "hip", "hpp", "i",   "ifs",  "ii", "iim", "ll",   "m",   "mi",  "mii", "mm",    "pch", "pcm", "s"};
static_assert(std::is_sorted(kSources.begin(), kSources.end()));

}  // namespace

bool is_rdc_link(const llvm::opt::InputArgList& arguments) {
  return arguments.hasArgNoClaim(OPT_hip_link) && arguments.hasFlag(OPT_fgpu_rdc, OPT_fno_gpu_rdc, false) &&
         !arguments.hasArgNoClaim(OPT_c, OPT_S, OPT_emit_llvm);
}

bool is_source(std::string_view path) {
  const auto dot = path.rfind('.');
  if (dot == std::string_view::npos || path.find('/', dot) != std::string_view::npos) return false;
  return std::binary_search(kSources.begin(), kSources.end(), path.substr(dot + 1));
}

namespace {

using llvm::opt::Arg;
using llvm::opt::InputArgList;

std::string_view extension(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
}

// hipcc treats C++ and CUDA as HIP. If its environment says otherwise, the driver prints another
// plan.
bool is_hip_extension(std::string_view extension, bool by_hipcc) {
  constexpr auto kByHipcc = std::to_array<std::string_view>({"cpp", "cxx", "cc", "C", "cu", "cuh"});
  return extension == "hip" || (by_hipcc && std::find(kByHipcc.begin(), kByHipcc.end(), extension) != kByHipcc.end());
}

// A command has an input. If it has a certain one, or one that is named like a source, the words
// after unknown options are taken for their values. The plan says whether that is right.
std::vector<Input> without_values(std::vector<Input> inputs) {
  const auto is_certain = [](const Input& input) { return !input.may_be_value; };
  const auto is_like_source = [](const Input& input) { return is_source(input.path); };
  if (std::any_of(inputs.begin(), inputs.end(), is_certain))
    std::erase_if(inputs, std::not_fn(is_certain));
  else if (std::any_of(inputs.begin(), inputs.end(), is_like_source))
    std::erase_if(inputs, std::not_fn(is_like_source));
  return inputs;
}

}  // namespace

std::vector<Input> find_inputs(const InputArgList& arguments, bool by_hipcc) {
  std::vector<Input> inputs;
  std::string language;  // empty: by extension
  bool after_unknown = false;
  const auto add = [&](const char* path) {
    const bool is_hip = language.empty() ? is_hip_extension(extension(path), by_hipcc) : language == "hip";
    inputs.push_back({path, is_hip, language.empty() && !is_source(path), after_unknown});
  };
  for (const Arg* argument : arguments) {
    switch (argument->getOption().getID()) {
      case OPT_x:
        language = argument->getValue();
        if (language == "none") language.clear();
        break;
      case OPT_INPUT:
        add(argument->getValue());
        break;
      case OPT__DASH_DASH:
        for (const char* path : argument->getValues()) add(path);
        break;
      default:
        break;
    }
    after_unknown = is_unknown(*argument);
  }
  return without_values(std::move(inputs));
}

}  // namespace hipcache::compiler
