#include "client/steps/step_environment.h"

#include <algorithm>
#include <string_view>

#include "hipcache/base/huge_pages.h"

namespace hipcache::client {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kTrace = "HIPCACHE_TRACE=";
constexpr std::string_view kTemporary = "TMPDIR=";
constexpr std::string_view kTunables = "GLIBC_TUNABLES=";

// "clang", "clang++", "clang-19", "/opt/rocm/llvm/bin/amdclang++"; not "clang-offload-bundler".
bool is_clang(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  const std::size_t at = program.find("clang");
  if (at == std::string_view::npos || (at != 0 && program.substr(0, at) != "amd")) return false;
  std::string_view rest = program.substr(at + std::string_view("clang").size());
  if (rest.starts_with("++")) rest.remove_prefix(2);
  if (rest.starts_with('-')) rest.remove_prefix(1);
  return std::all_of(rest.begin(), rest.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

// A library that is already preloaded (fakeroot's) stays, after the trace library.
std::vector<std::string> step_environment(const std::vector<std::string>& ours, const protocol::RunStep& step,
                                          const std::string& program) {
  std::string preload = std::string(kPreload) + step.trace_library;
  std::string trace = std::string(kTrace) + step.trace_path;
  std::string temporary = std::string(kTemporary) + step.directory;
  const bool traced = !step.trace_library.empty();
  bool has_tunables = false;

  std::vector<std::string> environment;
  environment.reserve(ours.size() + 4);
  for (const std::string& entry : ours) {
    if (entry.starts_with(kPreload) && traced) {
      if (entry.size() > kPreload.size()) preload += ":" + entry.substr(kPreload.size());
      continue;
    }
    if (entry.starts_with(kTrace) || entry.starts_with(kTemporary)) continue;
    has_tunables = has_tunables || entry.starts_with(kTunables);
    environment.push_back(entry);
  }
  environment.push_back(std::move(temporary));
  if (is_clang(program) && !has_tunables) environment.emplace_back(HIPCACHE_HUGE_PAGES);
  if (traced) {
    environment.push_back(std::move(preload));
    environment.push_back(std::move(trace));
  }
  return environment;
}

}  // namespace hipcache::client
