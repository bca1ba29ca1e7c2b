#include "inputs/rules/origin.h"

#include <algorithm>
#include <array>

#include "hipcache/base/files.h"
#include "hipcache/base/holds.h"

namespace hipcache::inputs {

using namespace std::string_view_literals;

bool is_installed(std::string_view path) { return path.starts_with("/usr/") || path.starts_with("/opt/"); }

bool is_toolchains_own(const std::string& place, const Roots& roots) {
  constexpr std::array kOwn = {"/lib/"sv,   "/lib64/"sv, "/libexec/"sv, "/include/"sv, "/bin/"sv,
                               "/share/"sv, "/llvm/"sv,  "/amdgcn/"sv,  "/hip/"sv};
  const Root* around = roots.around(place);
  if (around == nullptr || around->mark != kToolchainMark) return false;
  const std::string path = roots.real_spelling(place);
  return holds_prefix_of(kOwn, std::string_view(path).substr(around->path.size()));
}

bool is_named_as_source(std::string_view path) {
  constexpr std::array kEndings = {"h"sv,   "hh"sv,  "hpp"sv, "hxx"sv, "h++"sv, "H"sv,    "c"sv,   "cc"sv,   "cpp"sv,
                                   "cxx"sv, "c++"sv, "C"sv,   "hip"sv, "cu"sv,  "cuh"sv,  "inl"sv, "inc"sv,  "ipp"sv,
                                   "tpp"sv, "tcc"sv, "txx"sv, "icc"sv, "ixx"sv, "cppm"sv, "def"sv, "impl"sv, "hin"sv};
  const std::string_view name = base_name(path);
  const std::size_t dot = name.rfind('.');
  return dot != name.npos && holds(kEndings, name.substr(dot + 1));
}

}  // namespace hipcache::inputs
