#include "config/file.h"

#include <unistd.h>

#include <cerrno>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <optional>

#include "hipcache/base/files.h"
#include "hipcache/config/values.h"

namespace hipcache::config {
namespace {

constexpr std::uint64_t kFileLimit = 1u << 20;

std::optional<std::string> text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* share = node.as_floating_point()) return format_share(share->get());
  return std::nullopt;
}

std::optional<std::string> text_of(const toml::array& array) {
  std::vector<std::string> items;
  for (const toml::node& node : array) {
    if (!node.is_string()) return std::nullopt;
    items.push_back(node.as_string()->get());
  }
  return format_list(items);
}

Error at_line(const std::string& path, const toml::source_region& source, std::string_view message) {
  return Error{path + ": line " + std::to_string(source.begin.line) + ": " + std::string(message)};
}

Result<FileEntries> entries_of(const toml::table& table, const std::string& path) {
  FileEntries entries;
  for (const auto& [key, node] : table) {
    const std::optional<std::string> text = node.is_array() ? text_of(*node.as_array()) : text_of(node);
    const std::string name(key.str());
    if (!text)
      return at_line(path, node.source(), name + " should be a string, a number, true or false, or a list of strings");
    entries.emplace_back(name, *text);
  }
  return entries;
}

}  // namespace

Result<FileEntries> read_entries(const std::string& path) {
  if (path.empty()) return FileEntries();
  // If a parent directory cannot be searched (another user's HOME), the file counts as missing,
  // too.
  if (access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES)) return FileEntries();
  Result<std::string> bytes = read_file(path, kFileLimit);
  if (!bytes) return bytes.error();
  toml::parse_result parsed = toml::parse(*bytes);
  if (!parsed) return at_line(path, parsed.error().source(), parsed.error().description());
  return entries_of(parsed.table(), path);
}

}  // namespace hipcache::config
