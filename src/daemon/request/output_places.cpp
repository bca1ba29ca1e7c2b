#include "daemon/request/output_places.h"

#include <sys/stat.h>
#include <unistd.h>
#include <system_error>

#include <cerrno>
#include <filesystem>

#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"

namespace hipcache::daemon {

namespace {

using compiler::Uncacheable;

std::optional<Uncacheable> unusual_place(const std::string& path, const std::string& working_directory) {
  const std::string place = join_path(working_directory, path);
  struct stat status{};
  const bool there = lstat(place.c_str(), &status) == 0;
  if (!there && errno != ENOENT) return Uncacheable{Reason::output_not_writable, path};
  if (there && !S_ISREG(status.st_mode)) return Uncacheable{Reason::output_not_a_regular_file, path};
  if (there && access(place.c_str(), W_OK) != 0) return Uncacheable{Reason::output_not_writable, path};
  if (access(std::string(directory_name(place)).c_str(), W_OK) != 0)
    return Uncacheable{Reason::output_not_writable, path};
  return std::nullopt;
}

}  // namespace

bool are_one_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code absent;
  return fs::path(one).lexically_normal() == fs::path(other).lexically_normal() || fs::equivalent(one, other, absent);
}

std::optional<Uncacheable> unusual_outputs(const compiler::Invocation& invocation,
                                           const std::string& working_directory) {
  if (auto unusual = unusual_place(invocation.object, working_directory)) return unusual;
  if (!invocation.depfile) return std::nullopt;
  const std::string depfile = join_path(working_directory, *invocation.depfile);
  for (const std::string& other : {invocation.source, invocation.object})
    if (are_one_file(depfile, join_path(working_directory, other)))
      return Uncacheable{Reason::depfile_is_another_file, *invocation.depfile};
  return unusual_place(*invocation.depfile, working_directory);
}

std::optional<Uncacheable> unusual_places(const std::vector<std::string>& places,
                                          const std::string& working_directory) {
  for (const std::string& place : places)
    if (auto unusual = unusual_place(place, working_directory)) return unusual;
  return std::nullopt;
}

std::optional<Uncacheable> unusual_outputs(const hip::Plan& plan, const std::string& working_directory) {
  for (const hip::Step& step : plan.steps)
    for (const hip::StepOutput& output : step.outputs)
      if (auto unusual = output.place.empty() ? std::nullopt : unusual_place(output.place, working_directory))
        return unusual;
  return std::nullopt;
}

}  // namespace hipcache::daemon
