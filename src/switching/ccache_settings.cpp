#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "hipcache/base/files.h"
#include "switching/counterparts.h"
#include "switching/found_setting.h"

namespace hipcache::switching {
namespace {

constexpr std::uint64_t kFileLimit = 1u << 20;
constexpr std::string_view kBlanks = " \t\r";

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

// "$HOME/x" and "${HOME}/x"; "$$" is a dollar.
std::string expanded(std::string_view text, const config::Lookup& variable) {
  constexpr std::string_view kName = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$' || at + 1 == text.size()) {
      result += text[at++];
      continue;
    }
    if (text[at + 1] == '$') {
      result += '$';
      at += 2;
      continue;
    }
    const bool braced = text[at + 1] == '{';
    const std::size_t begin = at + (braced ? 2 : 1);
    const std::size_t end =
        braced ? text.find('}', begin) : std::min(text.find_first_not_of(kName, begin), text.size());
    if (end == std::string_view::npos || end == begin) {
      result += text[at++];
      continue;
    }
    result += variable(std::string(text.substr(begin, end - begin))).value_or("");
    at = end + (braced ? 1 : 0);
  }
  return result;
}

// "key = value" in each line, and comments. A missing file has no settings.
Status read_into(FoundSettings& found, const std::string& path, const config::Lookup& variable) {
  if (!std::filesystem::exists(path)) return done();
  const Result<std::string> bytes = read_file(path, kFileLimit);
  if (!bytes) return bytes.error();
  for (std::string_view rest = *bytes; !rest.empty();) {
    const std::string line = trimmed(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    const std::size_t equals = line.find('=');
    if (line.empty() || line.front() == '#' || equals == std::string::npos) continue;
    found[trimmed(std::string_view(line).substr(0, equals))] = {
        expanded(trimmed(std::string_view(line).substr(equals + 1)), variable), path};
  }
  return done();
}

std::string below(const config::Lookup& variable, const char* name, const std::string& rest) {
  const std::optional<std::string> directory = variable(name);
  return directory && !directory->empty() ? *directory + "/" + rest : "";
}

// Where ccache keeps its own file, in the order in which it looks.
std::string own_file(const FoundSettings& of_system, const config::Lookup& variable) {
  if (std::string file = below(variable, "CCACHE_DIR", "ccache.conf"); !file.empty()) return file;
  if (const auto found = of_system.find("cache_dir"); found != of_system.end())
    return found->second.value + "/ccache.conf";
  if (const std::string old = below(variable, "HOME", ".ccache"); !old.empty() && std::filesystem::is_directory(old))
    return old + "/ccache.conf";
  if (std::string file = below(variable, "XDG_CONFIG_HOME", "ccache/ccache.conf"); !file.empty()) return file;
  return below(variable, "HOME", ".config/ccache/ccache.conf");
}

// Of CCACHE_HASHDIR and CCACHE_NOHASHDIR, the name in the file is hash_dir.
void read_variables(FoundSettings& found, const std::vector<std::string>& environment) {
  const Counterparts table("ccache");
  for (const std::string& text : environment) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (!name.starts_with("CCACHE_") || equals == std::string::npos || name == "CCACHE_CONFIGPATH") continue;
    const Counterpart* known = table.find(name);
    if (known == nullptr) {
      found[name] = {text.substr(equals + 1), name};
      continue;
    }
    const bool negates = name.starts_with("CCACHE_NO") && table.find("CCACHE_" + name.substr(9)) == known;
    const bool is_flag = std::any_of(known->names.begin(), known->names.end(),
                                     [](const std::string& one) { return one.starts_with("CCACHE_NO"); });
    found[known->names.front()] = {negates ? "false" : is_flag ? "true" : text.substr(equals + 1), name};
  }
}

}  // namespace

Result<FoundSettings> read_ccache(const config::Lookup& variable, const std::vector<std::string>& environment,
                                  const std::string& system_file) {
  FoundSettings found;
  const std::optional<std::string> chosen = variable("CCACHE_CONFIGPATH");
  if (chosen && !chosen->empty()) {
    if (Status read = read_into(found, *chosen, variable); !read) return read.error();
  } else {
    if (Status read = read_into(found, system_file, variable); !read) return read.error();
    if (Status read = read_into(found, own_file(found, variable), variable); !read) return read.error();
  }
  read_variables(found, environment);
  return found;
}

}  // namespace hipcache::switching
