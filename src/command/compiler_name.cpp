#include "command/compiler_name.h"

#include <algorithm>

#include "hipcache/base/files.h"

namespace hipcache::command {
namespace {

bool is_version(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

std::string_view without_version(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash != std::string_view::npos && is_version(name.substr(dash + 1))) return name.substr(0, dash);
  return name;
}

std::string_view without_target(std::string_view name) {
  const auto dash = name.rfind('-');
  return dash == std::string_view::npos ? name : name.substr(dash + 1);
}

std::string_view driver_name(std::string_view path) { return without_target(without_version(base_name(path))); }

}  // namespace

bool is_clang_driver(std::string_view path) {
  const std::string_view name = driver_name(path);
  return name == "clang" || name == "clang++" || name == "amdclang" || name == "amdclang++";
}

bool is_hipcc(std::string_view path) { return driver_name(path) == "hipcc"; }

bool is_compiler(std::string_view path) {
  const std::string_view name = driver_name(path);
  return is_clang_driver(path) || name == "gcc" || name == "g++" || name == "cc" || name == "c++" || name == "hipcc";
}

}  // namespace hipcache::command
