#include "remote/execution/action.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "hipcache/base/text.h"
#include "remote/execution/input_files.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {
namespace {

constexpr std::uint64_t kMillisecondsInASecond = 1'000;
constexpr std::int32_t kNanosecondsInAMillisecond = 1'000'000;
constexpr std::size_t kMostOutputs = 256;

using Pair = std::pair<std::string, std::string>;

// Of "NAME=value".
Pair divided(std::string_view text) {
  const auto equals = text.find('=');
  return {std::string(text.substr(0, equals)),
          equals == std::string_view::npos ? std::string() : std::string(text.substr(equals + 1))};
}

std::set<Pair> divided(const std::vector<std::string>& texts) {
  std::set<Pair> pairs;
  for (const std::string& text : texts) pairs.insert(divided(text));
  return pairs;
}

bool are_utf8(const std::vector<std::string>& texts) { return std::all_of(texts.begin(), texts.end(), is_utf8); }

// Relative, and not above the working directory.
bool is_output_path(std::string_view path) {
  if (path.empty() || path.size() > 4'095) return false;
  for (std::string_view rest = path;;) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    if (name.empty() || name == "." || name == "..") return false;
    if (name.size() == rest.size()) return true;
    rest.remove_prefix(name.size() + 1);
  }
}

Status check(const protocol::RemoteExecute& asked) {
  if (asked.argv.empty()) return Error{"the action has no command"};
  if (!are_utf8(asked.argv) || !are_utf8(asked.environment) || !are_utf8(asked.outputs) || !are_utf8(asked.platform))
    return Error{"the action has a text that is not UTF-8"};
  if (has_null(asked.argv) || has_null(asked.environment)) return Error{"the action has a text with a null"};
  if (asked.outputs.size() > kMostOutputs) return Error{"the action has more than 256 outputs"};
  for (const std::string& output : asked.outputs)
    if (!is_output_path(output)) return Error{"the output " + readable(output) + " lies outside the working directory"};
  return done();
}

wire::Platform platform_of(const protocol::RemoteExecute& asked, const std::vector<std::string>& properties) {
  std::set<Pair> pairs = divided(asked.platform);
  pairs.merge(divided(properties));
  wire::Platform platform;
  for (const auto& [name, value] : pairs) {
    auto& property = *platform.add_properties();
    property.set_name(name);
    property.set_value(value);
  }
  return platform;
}

std::string command_of(const protocol::RemoteExecute& asked, const wire::Platform& platform) {
  wire::Command command;
  for (const std::string& word : asked.argv) command.add_arguments(word);
  for (const auto& [name, value] : divided(asked.environment)) {
    auto& variable = *command.add_environment_variables();
    variable.set_name(name);
    variable.set_value(value);
  }
  for (const std::string& path : std::set<std::string>(asked.outputs.begin(), asked.outputs.end())) {
    command.add_output_paths(path);
    command.add_output_files(path);
  }
  *command.mutable_platform() = platform;
  command.set_working_directory(asked.working_directory.substr(1));  // relative to the root
  return command.SerializeAsString();
}

}  // namespace

Result<PreparedAction> prepare_action(const protocol::RemoteExecute& asked, const std::vector<std::string>& properties,
                                      std::vector<protocol::HashedInput>& hashed) {
  if (Status good = check(asked); !good) return good.error();
  PreparedAction made;
  Result<std::vector<BlobName>> names = name_input_files(asked.inputs, hashed);
  if (!names) return names.error();
  made.names = std::move(*names);
  Result<InputRoot> root = make_input_root(asked.inputs, made.names, asked.working_directory);
  if (!root) return root.error();
  made.root = std::move(*root);

  const wire::Platform platform = platform_of(asked, properties);
  made.command = command_of(asked, platform);
  made.command_name = blob_name_of(made.command);
  wire::Action action;
  set(*action.mutable_command_digest(), made.command_name);
  set(*action.mutable_input_root_digest(), made.root.root);
  action.set_do_not_cache(true);
  action.mutable_timeout()->set_seconds(static_cast<std::int64_t>(asked.deadline_ms / kMillisecondsInASecond));
  action.mutable_timeout()->set_nanos(static_cast<std::int32_t>(asked.deadline_ms % kMillisecondsInASecond) *
                                      kNanosecondsInAMillisecond);
  *action.mutable_platform() = platform;
  made.action = action.SerializeAsString();
  made.action_name = blob_name_of(made.action);
  return made;
}

}  // namespace hipcache::remote
