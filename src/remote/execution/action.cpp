#include "remote/execution/action.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "remote/layout/sha256.h"

namespace hipcache::remote {
namespace {

using protocol::ExecuteInput;
using protocol::ExecuteInputKind;
using Pair = std::pair<std::string, std::string>;

constexpr std::size_t kPiece = 256u << 10;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestTarget = 4'095;
constexpr std::uint64_t kMillisecondsInASecond = 1'000;
constexpr std::int32_t kNanosecondsInAMillisecond = 1'000'000;
constexpr std::size_t kMostOutputs = 256;

// Anything but a file could block, or have no end.
Result<UniqueFd> open_regular(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_error("cannot read", path);
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return system_error("cannot read", path);
  if (!S_ISREG(status.st_mode)) return Error{path + " is not a file"};
  return file;
}

Result<BlobName> hash_file(const std::string& path, std::uint64_t most) {
  const Result<UniqueFd> file = open_regular(path);
  if (!file) return file.error();
  Sha256 hash;
  BlobName name;
  std::string piece(kPiece, '\0');
  for (;;) {
    const ssize_t got = read(file->get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read", path);
    if (got == 0) break;
    name.size += static_cast<std::uint64_t>(got);
    if (name.size > most) return Error{"the inputs have more than 512 MiB"};
    hash.add({piece.data(), static_cast<std::size_t>(got)});
  }
  name.hash = hex_of(hash.finish());
  return name;
}

Result<BlobName> name_of(const ExecuteInput& input, std::uint64_t most, std::vector<protocol::HashedInput>& hashed) {
  if (!input.sha256.empty()) return BlobName{.hash = input.sha256, .size = input.size};
  if (input.source.empty()) return blob_name_of(input.contents);
  Result<BlobName> name = hash_file(input.source, most);
  if (name) hashed.push_back({.path = input.source, .sha256 = name->hash, .size = name->size});
  return name;
}

// A directory's children are sorted by their bytes, which is the order that the API wants.
struct Node {
  ExecuteInputKind kind = ExecuteInputKind::directory;
  std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
  const ExecuteInput* input = nullptr;  // null for a directory that is only on the way
  BlobName name;                        // of a file
};

Error wrong(std::string_view path, const std::string& what) {
  return Error{"the input " + readable(path) + " " + what};
}

// Empty for the root.
Result<std::vector<std::string_view>> names_of(std::string_view path) {
  std::vector<std::string_view> names;
  if (!path.starts_with('/')) return wrong(path, "has no absolute path");
  if (!is_utf8(path)) return wrong(path, "has a name that is not UTF-8");
  if (path == "/") return names;
  for (std::string_view rest = path; !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view name = rest.substr(0, rest.find('/'));
    if (name.empty() || name == "." || name == "..") return wrong(path, "has an empty name, . or .. in its path");
    if (name.size() > kLongestName || name.find('\0') != std::string_view::npos)
      return wrong(path, "has a name that no file has");
    names.push_back(name);
    rest.remove_prefix(name.size());
  }
  if (names.size() > kDeepest) return wrong(path, "lies too deep");
  return names;
}

// The directory that holds the last of the names. Null if something on the way is none.
Node* parent_of(Node& root, const std::vector<std::string_view>& names) {
  Node* at = &root;
  for (std::size_t index = 0; index + 1 < names.size(); ++index) {
    auto found = at->children.find(names[index]);
    if (found == at->children.end()) found = at->children.emplace(names[index], std::make_unique<Node>()).first;
    at = found->second.get();
    if (at->kind != ExecuteInputKind::directory) return nullptr;
  }
  return at;
}

bool is_same(const Node& node, const ExecuteInput& input, const BlobName& name) {
  if (node.kind != input.kind) return false;
  if (node.kind == ExecuteInputKind::file) return node.name == name && node.input->is_executable == input.is_executable;
  return node.kind == ExecuteInputKind::directory || node.input->target == input.target;
}

Status add(Node& root, const ExecuteInput& input, const BlobName& name) {
  const auto names = names_of(input.path);
  if (!names) return names.error();
  if (input.kind == ExecuteInputKind::link && (input.target.empty() || input.target.size() > kLongestTarget ||
                                               !is_utf8(input.target) || input.target.find('\0') != std::string::npos))
    return wrong(input.path, "is a link to a path that no file has");
  if (names->empty()) return input.kind == ExecuteInputKind::directory ? done() : wrong(input.path, "is the root");
  Node* parent = parent_of(root, *names);
  if (parent == nullptr) return wrong(input.path, "leads through a file or a link");
  const auto [found, is_new] = parent->children.emplace(names->back(), nullptr);
  if (!is_new) return is_same(*found->second, input, name) ? done() : wrong(input.path, "comes twice and differs");
  found->second = std::make_unique<Node>();
  *found->second = {.kind = input.kind, .children = {}, .input = &input, .name = name};
  return done();
}

// Makes the messages from the leaves to the root. No deeper than kDeepest.
BlobName encode(const Node& node, InputRoot& into) {
  wire::Directory directory;
  for (const auto& [name, child] : node.children) {
    switch (child->kind) {
      case ExecuteInputKind::file: {
        wire::FileNode& file = *directory.add_files();
        file.set_name(name);
        set(*file.mutable_digest(), child->name);
        file.set_is_executable(child->input->is_executable);
        break;
      }
      case ExecuteInputKind::directory: {
        wire::DirectoryNode& below = *directory.add_directories();
        below.set_name(name);
        set(*below.mutable_digest(), encode(*child, into));
        break;
      }
      case ExecuteInputKind::link: {
        wire::SymlinkNode& link = *directory.add_symlinks();
        link.set_name(name);
        link.set_target(child->input->target);
        break;
      }
    }
  }
  std::string bytes = directory.SerializeAsString();
  BlobName name = blob_name_of(bytes);
  into.directories.emplace(name.hash, std::move(bytes));
  return name;
}

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

Result<std::vector<BlobName>> name_input_files(std::span<const ExecuteInput> inputs,
                                               std::vector<protocol::HashedInput>& hashed) {
  std::vector<BlobName> names;
  names.reserve(inputs.size());
  std::size_t files = 0;
  std::uint64_t left = kMostInputBytes;
  for (const ExecuteInput& input : inputs) {
    names.emplace_back();
    if (input.kind != protocol::ExecuteInputKind::file) continue;
    if (++files > kMostInputFiles) return Error{"the action has more than 20000 input files"};
    Result<BlobName> name = name_of(input, left, hashed);
    if (!name) return name.error();
    if (!is_valid(*name)) return Error{"the input " + input.path + " has no SHA-256"};
    if (name->size > left) return Error{"the inputs have more than 512 MiB"};
    left -= name->size;
    names.back() = std::move(*name);
  }
  return names;
}

Result<std::string> read_input_file(const ExecuteInput& input, const BlobName& name) {
  std::string bytes = input.contents;
  if (!input.source.empty()) {
    const Result<UniqueFd> file = open_regular(input.source);
    if (!file) return file.error();
    Result<std::string> read = read_fd(file->get(), name.size, input.source);
    if (!read) return read.error();
    bytes = std::move(*read);
  }
  if (blob_name_of(bytes) != name) return Error{input.path + " has changed since it was named"};
  return bytes;
}

Result<InputRoot> make_input_root(std::span<const ExecuteInput> inputs, std::span<const BlobName> names,
                                  const std::string& working_directory) {
  if (inputs.size() > kMostInputs) return Error{"the action has more than 60000 inputs"};
  Node tree;
  for (std::size_t index = 0; index < inputs.size(); ++index)
    if (Status added = add(tree, inputs[index], names[index]); !added) return added.error();
  const ExecuteInput working{.path = working_directory, .kind = ExecuteInputKind::directory};
  if (Status added = add(tree, working, {}); !added) return added.error();
  InputRoot made;
  made.root = encode(tree, made);
  return made;
}

// Neither overlong forms, nor surrogates, nor numbers above U+10FFFF.
bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  for (std::size_t at = 0; at < text.size();) {
    const unsigned first = byte(at);
    const std::size_t size = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
    if (size == 0) return false;
    for (std::size_t next = 1; next < size; ++next)
      if ((byte(at + next) & 0xC0U) != 0x80) return false;
    const unsigned second = byte(at + 1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second > 0x8F))
      return false;
    at += size;
  }
  return true;
}

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
