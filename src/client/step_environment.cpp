#include "client/step_environment.h"

#include <string_view>

namespace hipcache::client {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kTrace = "HIPCACHE_TRACE=";
constexpr std::string_view kTemporary = "TMPDIR=";

}  // namespace

// A library that is preloaded already (fakeroot's) stays, behind ours.
std::vector<std::string> step_environment(const std::vector<std::string>& ours, const protocol::RunStep& step) {
  std::string preload = std::string(kPreload) + step.trace_library;
  std::string trace = std::string(kTrace) + step.trace_path;
  std::string temporary = std::string(kTemporary) + step.directory;
  const bool traced = !step.trace_library.empty();

  std::vector<std::string> environment;
  environment.reserve(ours.size() + 3);
  for (const std::string& entry : ours) {
    if (entry.starts_with(kPreload) && traced) {
      if (entry.size() > kPreload.size()) preload += ":" + entry.substr(kPreload.size());
      continue;
    }
    if (entry.starts_with(kTrace) || entry.starts_with(kTemporary)) continue;
    environment.push_back(entry);
  }
  environment.push_back(std::move(temporary));
  if (traced) {
    environment.push_back(std::move(preload));
    environment.push_back(std::move(trace));
  }
  return environment;
}

}  // namespace hipcache::client
