#include "daemon/execute/input_root.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <deque>
#include <string_view>
#include <utility>

#include "daemon/execute/engine.h"
#include "daemon/execute/toolchain.h"
#include "hipcache/base/files.h"
#include "hipcache/base/roots.h"
#include "hipcache/base/text.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/protocol/worker_image.h"

namespace hipcache::daemon {

namespace {

using namespace std::string_view_literals;
using protocol::ExecuteInput;
using protocol::ExecuteInputKind;
using trace::Kind;

// The machine's own: nothing in them is sent.
constexpr auto kMachine = std::to_array({"/etc"sv, "/root"sv, "/proc"sv, "/sys"sv, "/dev"sv, "/run"sv, "/boot"sv});
constexpr int kMostLinks = 40;  // as the kernel

std::deque<std::string> names_of(std::string_view path) {
  std::deque<std::string> names;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (const std::string_view name = path.substr(0, slash); !name.empty() && name != ".") names.emplace_back(name);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return names;
}

std::string target_of(const std::string& link) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = readlink(link.c_str(), target.data(), target.size());
  return length <= 0 ? "" : std::string(target.data(), static_cast<std::size_t>(length));
}

std::string home_of(const inputs::RunContext& from) {
  const char* home = from.variable("HOME");
  return home != nullptr && home[0] == '/' && home[1] != '\0' ? home : "";
}

bool is_in_any(std::string_view path, const auto& directories) {
  return std::any_of(directories.begin(), directories.end(),
                     [&](std::string_view directory) { return is_within(path, directory); });
}

bool is_of_a_path(const trace::Record& record) {
  return record.kind == Kind::open_read || record.kind == Kind::look || record.kind == Kind::list ||
         record.kind == Kind::link || record.kind == Kind::real_path;
}

}  // namespace

void InputNames::add(const inputs::PathSet& set, const inputs::RunContext& from) {
  for (const inputs::Observation& observation : set.observations()) {
    if (observation.question == inputs::Question::variable) variables.insert(observation.name);
    if (!inputs::asks_about_path(observation.question)) continue;
    if (std::string path = from.path_of(observation.name); !path.empty()) paths.insert(std::move(path));
  }
}

void InputNames::add(const std::vector<trace::Record>& records, const std::string& working_directory) {
  for (const trace::Record& record : records) {
    if (record.kind == Kind::variable) variables.insert(record.text);
    if (is_of_a_path(record) && !record.text.empty()) paths.insert(join_path(working_directory, record.text));
  }
}

InputNames names_in_history(const RequestContext& context) {
  InputNames names;
  for (const cache::HistoryEntry& entry : context.services.miss_history.entries(context.history))
    if (entry.observed.set != nullptr) names.add(*entry.observed.set, context.request.from);
  return names;
}

// -Eonly reads all sources and writes nothing. Its depfile would replace the step's own.
std::optional<StepSpec> scan_of(const StepSpec& device) {
  constexpr auto kOutputs = std::to_array({"-emit-obj"sv, "-emit-llvm"sv, "-emit-llvm-bc"sv, "-S"sv});
  constexpr auto kWithValue = std::to_array({"-o"sv, "-dependency-file"sv, "-MT"sv});
  if (device.commands.empty()) return std::nullopt;
  const protocol::Command& command = device.commands.front();
  std::vector<std::string> argv;
  bool is_frontend = false;
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    const std::string& word = command.argv[i];
    if (holds(kWithValue, std::string_view(word))) {
      ++i;
    } else if (holds(kOutputs, std::string_view(word))) {
      is_frontend = argv.size() > 1 && argv[1] == "-cc1";
      argv.emplace_back("-Eonly");
    } else {
      argv.push_back(word);
    }
  }
  if (!is_frontend) return std::nullopt;
  StepSpec scan;
  scan.label = device.label + " scan";
  scan.commands = {{command.program, std::move(argv)}};
  return scan;
}

InputRoot::InputRoot(const inputs::RunContext& from, const std::string& own, const std::string& source, Engine& engine)
    : from_(from),
      own_(own),
      home_(home_of(from)),
      source_directory_(directory_name(source)),
      toolchain_(toolchain_directory(from)),
      engine_(engine) {
  for (ExecuteInput& link : protocol::links_of_system()) inputs_[link.path] = std::move(link);
}

bool InputRoot::may_be_sent(const std::string& path) const {
  if (is_within(path, own_) || is_within(path, from_.working_directory) || is_within(path, source_directory_))
    return true;
  if (is_in_any(path, kMachine)) return false;
  return home_.empty() || !is_within(path, home_) || from_.roots.holding(path) != 0;
}

void InputRoot::put_file(const std::string& path, const std::string& source, const struct stat& status) {
  ++files_;
  bytes_ += static_cast<std::uint64_t>(status.st_size);
  inputs_[path] = {.path = path,
                   .is_executable = (status.st_mode & S_IXUSR) != 0,
                   .source = source,
                   .sha256 = engine_.sha256(status),
                   .size = static_cast<std::uint64_t>(status.st_size)};
}

// Walks the names as the kernel does: `at` is always a real directory. What was met before is not asked for again.
void InputRoot::add(const std::string& name) {
  std::deque<std::string> left = names_of(name);
  std::string at;
  for (int links = 0; !left.empty() && files_ <= kMostFiles;) {
    const std::string next = std::move(left.front());
    left.pop_front();
    if (next == "..") {
      at.resize(std::min(at.rfind('/'), at.size()));
      continue;
    }
    std::string path = at;
    path.append("/").append(next);
    auto known = inputs_.find(path);
    if (known == inputs_.end() && is_of_image(path, toolchain_)) return;
    struct stat status{};
    if (known == inputs_.end() && lstat(path.c_str(), &status) != 0) return;
    if (known == inputs_.end() && S_ISREG(status.st_mode)) {
      if (may_be_sent(path)) put_file(path, path, status);
      return;
    }
    if (known == inputs_.end() && S_ISDIR(status.st_mode))
      known = inputs_.emplace(path, ExecuteInput{.path = path, .kind = ExecuteInputKind::directory}).first;
    if (known == inputs_.end() && S_ISLNK(status.st_mode))
      known =
          inputs_.emplace(path, ExecuteInput{.path = path, .kind = ExecuteInputKind::link, .target = target_of(path)})
              .first;
    if (known == inputs_.end() || known->second.kind == ExecuteInputKind::file) return;
    if (known->second.kind == ExecuteInputKind::directory) {
      at = path;
      continue;
    }
    if (++links > kMostLinks) return;
    const std::string& target = known->second.target;
    if (target.starts_with('/')) at.clear();
    const std::deque<std::string> further = names_of(target);
    left.insert(left.begin(), further.begin(), further.end());
  }
}

void InputRoot::add_file(const std::string& path, const std::string& source) {
  struct stat status{};
  if (::stat(source.c_str(), &status) == 0 && S_ISREG(status.st_mode)) put_file(path, source, status);
}

Result<std::vector<ExecuteInput>> InputRoot::take() && {
  if (files_ > kMostFiles) return Error{"more than " + std::to_string(kMostFiles) + " files"};
  if (bytes_ > kMostBytes) return Error{"more than " + std::to_string(kMostBytes >> 20) + " MiB"};
  std::vector<ExecuteInput> inputs;
  inputs.reserve(inputs_.size());
  for (auto& [path, input] : inputs_) inputs.push_back(std::move(input));
  return inputs;
}

}  // namespace hipcache::daemon
