#include "integration/support/compile_key.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"

extern char** environ;

namespace hipcache::integration {
namespace {

constexpr std::string_view kToken = "{tree}";
constexpr std::uint64_t kLimit = 64u << 20;

// Every test's directory has this in its name (support/scratch.h).
constexpr std::string_view kAnyTree = "hipcache-test-";
// The date or time in a source, also if a macro joins the halves of the name; scripts, which may run anything; ways out
// of the watched directory.
constexpr std::array<std::string_view, 7> kNotInFiles{kAnyTree, "__DA", "__TI", "TE__", "ME__", "#!", "../"};
constexpr std::array<std::string_view, 9> kNotInWords{kAnyTree, "__DA", "__TI",   "pch",   "gch",
                                                      "pcm",    "../",  "module", "-ftime"};
constexpr std::array<std::string_view, 3> kNotInNames{"pch", "gch", "pcm"};

// Variables of the test's own frame.
constexpr std::array<std::string_view, 8> kLeftOut{"GTEST_",  "ORACLE_", "CTEST_", "DASHBOARD_",
                                                   "OLDPWD=", "SHLVL=",  "_=",     "PWD="};

template <std::size_t count>
bool mentions(std::string_view text, const std::array<std::string_view, count>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// The text with a token in place of the tree's name.
std::string neutral(std::string text, const std::string& tree) {
  for (std::size_t at = 0; (at = text.find(tree, at)) != std::string::npos; at += kToken.size())
    text.replace(at, tree.size(), kToken);
  return text;
}

// The packages' versions: those of the compilers, of their libraries and of system headers.
std::optional<Digest> installed_packages() {
  const Result<std::string> status = read_file("/var/lib/dpkg/status", kLimit);
  if (!status) return std::nullopt;
  return digest_of(*status);
}

std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::none_of(kLeftOut.begin(), kLeftOut.end(),
                     [&](std::string_view left_out) { return std::string_view(*entry).starts_with(left_out); }))
      entries.emplace_back(*entry);
  std::sort(entries.begin(), entries.end());
  return entries;
}

// A test with a mount namespace of its own changes files of the system there.
bool sees_other_mounts_than_parent() {
  const auto mounts_of = [](const std::string& process) {
    std::error_code problem;
    return std::filesystem::read_symlink("/proc/" + process + "/ns/mnt", problem);
  };
  const std::filesystem::path own = mounts_of("self");
  return own.empty() || own != mounts_of(std::to_string(getppid()));
}

// The mask of new files' modes.
std::string umask_line() {
  const Result<std::string> status = read_file("/proc/self/status", kLimit);
  const std::size_t at = status ? status->find("Umask:") : std::string::npos;
  return at == std::string::npos ? "" : status->substr(at, status->find('\n', at) - at);
}

constexpr std::string_view kRegular = "100";  // how a regular file's mode begins
constexpr std::array<std::string_view, 5> kForOutputs{"-o", "-MF", "-MT", "-MQ", "--output"};

bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// Whether the text has the name as a name, and not as a part of another one.
bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !continues_name(text[at - 1])) && (end == text.size() || !continues_name(text[end]))) return true;
  }
  return false;
}

bool names_as_input(const Request& request, std::string_view name) {
  std::string_view before;
  for (const std::string& word : request.command) {
    if (names(word, name) && std::find(kForOutputs.begin(), kForOutputs.end(), before) == kForOutputs.end())
      return true;
    before = word;
  }
  return std::any_of(request.variables.begin(), request.variables.end(),
                     [&](const auto& variable) { return names(variable.second, name); });
}

}  // namespace

Files without_outputs(const Request& request, const Files& files, const std::set<std::string>& written) {
  Files inputs = files, outputs;
  for (const std::string& path : written)
    if (auto node = inputs.extract(path)) outputs.insert(std::move(node));
  const auto is_input = [&](const Files::value_type& file) {
    const std::string_view name = std::string_view(file.first).substr(file.first.rfind('/') + 1);
    return !file.second.starts_with(kRegular) || names_as_input(request, name) ||
           std::any_of(inputs.begin(), inputs.end(), [&](const auto& other) { return names(other.second, name); });
  };
  // What is an input may name others.
  for (auto found = outputs.end(); (found = std::find_if(outputs.begin(), outputs.end(), is_input)) != outputs.end();)
    inputs.insert(outputs.extract(found));
  return inputs;
}

bool has_links(const Files& files) {
  return std::any_of(files.begin(), files.end(), [](const auto& named) {
    const std::string& described = named.second;
    return described.starts_with("== ") || described.find(" -> ") == described.find(' ');
  });
}

std::optional<Digest> key_of(const Request& request, const std::string& tree, const Files& before) {
  static const std::optional<Digest> packages = installed_packages();
  if (!packages || has_links(before) || sees_other_mounts_than_parent()) return std::nullopt;

  Hasher hasher("plain compile");
  hasher.field(*packages).field(umask_line());
  std::vector<std::string> words = request.command;
  words.push_back(request.directory);
  for (const auto& [name, value] : request.variables) words.push_back(name + "=" + value);
  for (std::string& word : words) {
    word = neutral(std::move(word), tree);
    if (mentions(word, kNotInWords)) return std::nullopt;
    hasher.field(word);
  }
  hasher.field(request.command.size());
  for (std::string& entry : environment()) {
    entry = neutral(std::move(entry), tree);
    if (entry.find(kAnyTree) != std::string::npos) return std::nullopt;
    hasher.field(entry);
  }
  for (const auto& [name, described] : before) {
    if (mentions(described, kNotInFiles) || mentions(name, kNotInNames)) return std::nullopt;
    hasher.field(name).field(described);
  }
  return hasher.finish();
}

}  // namespace hipcache::integration
