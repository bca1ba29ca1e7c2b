#include "compiler/command_line/rdc_link.h"

#include <algorithm>
#include <array>

#include "compiler/options/option_table.h"

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

}  // namespace hipcache::compiler
