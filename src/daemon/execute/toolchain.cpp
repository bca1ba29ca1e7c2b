#include "daemon/execute/toolchain.h"

#include <algorithm>

#include "hipcache/base/files.h"
#include "hipcache/base/roots.h"
#include "hipcache/inputs/loaded_libraries.h"
#include "hipcache/protocol/worker_image.h"

namespace hipcache::daemon {
namespace {

constexpr std::string_view kBitcodeOption = "-mlink-builtin-bitcode";

// The directories of the image that have bitcode which the step's frontend links.
std::set<std::string> bitcode_directories(const StepSpec& device, const std::string& toolchain) {
  std::set<std::string> directories;
  for (const protocol::Command& command : device.commands)
    for (std::size_t i = 0; i + 1 < command.argv.size(); ++i)
      if (command.argv[i] == kBitcodeOption && is_of_image(command.argv[i + 1], toolchain))
        directories.insert(std::string(directory_name(command.argv[i + 1])));
  return directories;
}

Status add(const std::string& path, inputs::FileSystemState& file_system,
           std::vector<std::pair<std::string, Digest>>& files) {
  const Result<Digest> content = file_system.content(path);
  if (!content) return content.error();
  files.emplace_back(path, *content);
  return done();
}

}  // namespace

std::string toolchain_directory(const inputs::RunContext& from) {
  const Root* root = from.roots.find(kToolchainMark);
  return root == nullptr ? "" : root->path;
}

bool is_of_image(std::string_view path, std::string_view toolchain) {
  return (!toolchain.empty() && is_within(path, toolchain)) ||
         std::any_of(protocol::kSystemDirectories.begin(), protocol::kSystemDirectories.end(),
                     [&](std::string_view directory) { return is_within(path, directory); });
}

// The list holds as long as none of its files changes.
Result<Toolchains::Files> Toolchains::files_of(const std::string& program, inputs::FileSystemState& file_system) {
  const auto is_as_before = [&](const auto& file) {
    const Result<Digest> content = file_system.content(file.first);
    return content && *content == file.second;
  };
  {
    const std::lock_guard lock(mutex_);
    const auto known = files_.find(program);
    if (known != files_.end() && std::all_of(known->second.begin(), known->second.end(), is_as_before))
      return known->second;
  }
  Files files;
  if (Status added = add(program, file_system, files); !added) return added.error();
  for (const std::string& library : inputs::libraries_loaded_by(program))
    if (Status added = add(library, file_system, files); !added) return added.error();
  const std::lock_guard lock(mutex_);
  if (files_.size() >= kMostPrograms) files_.clear();
  files_.insert_or_assign(program, files);
  return files;
}

Result<std::string> Toolchains::property(const StepSpec& device, const std::string& toolchain,
                                         inputs::FileSystemState& file_system) {
  std::set<std::string> programs;
  for (const protocol::Command& command : device.commands) programs.insert(real_path(command.program));
  Hasher digest("worker toolchain");
  for (const std::string& program : programs) {
    const Result<Files> files = files_of(program, file_system);
    if (!files) return files.error();
    for (const auto& [path, content] : *files) digest.field(path).field(content);
  }
  for (const std::string& directory : bitcode_directories(device, toolchain)) {
    Result<std::vector<std::string>> names = list_directory(directory);
    if (!names) return names.error();
    std::sort(names->begin(), names->end());
    for (const std::string& name : *names) {
      const Result<Digest> content =
          name.ends_with(".bc") ? file_system.content(join_path(directory, name)) : Error{"no bitcode"};
      if (content) digest.field(join_path(directory, name)).field(*content);
    }
  }
  std::string property = std::string(kToolchainProperty) + digest.finish().hex();
  const std::lock_guard lock(mutex_);
  if (logged_.size() < kMostPrograms && logged_.insert(property).second)
    log_.info("workers for device steps of " + *programs.begin() + " have the property " + property);
  return property;
}

}  // namespace hipcache::daemon
