#include "remote/execution/input_root.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "hipcache/base/text.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {
namespace {

using protocol::ExecuteInput;
using protocol::ExecuteInputKind;

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestTarget = 4'095;

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

}  // namespace

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

}  // namespace hipcache::remote
