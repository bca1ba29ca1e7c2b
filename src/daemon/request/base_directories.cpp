#include "daemon/request/base_directories.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/config/settings.h"

namespace hipcache::daemon {

namespace {

constexpr std::uint64_t kGitFile = 64u << 10;  // more than any of the files that are read here has

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// The nearest directory that holds ".git": a directory, or a file in worktrees and submodules. "" if there is none.
std::string checkout_around(std::string directory) {
  for (; directory.size() > 1 && directory.front() == '/'; directory = std::string(directory_name(directory)))
    if (::access((directory + "/.git").c_str(), F_OK) == 0) return directory;
  return "";
}

std::string first_line(const std::string& path) {
  const Result<std::string> text = read_file(path, kGitFile);
  return text ? text->substr(0, text->find('\n')) : "";
}

// Where the worktrees of a repository have what is common to them.
std::string common_directory(const std::string& checkout) {
  constexpr std::string_view kLink = "gitdir: ";
  std::string git = checkout + "/.git";
  const std::string link = first_line(git);
  if (!link.starts_with(kLink)) return git;
  const std::string own = normal_path(join_path(checkout, link.substr(kLink.size())));
  const std::string common = first_line(own + "/commondir");
  return common.empty() ? own : normal_path(join_path(own, common));
}

// The URL of the remote "origin"; "" if there is none.
std::string origin_in(std::string_view config) {
  bool is_origin = false;
  while (!config.empty()) {
    const std::size_t end = std::min(config.find('\n'), config.size());
    const std::string_view line = trimmed(config.substr(0, end));
    config.remove_prefix(std::min(end + 1, config.size()));
    if (line.starts_with('[')) is_origin = line == "[remote \"origin\"]";
    const std::size_t equals = line.find('=');
    if (is_origin && equals != line.npos && trimmed(line.substr(0, equals)) == "url")
      return std::string(trimmed(line.substr(equals + 1)));
  }
  return "";
}

std::string identity_of(const std::string& checkout) {
  const std::string common = common_directory(checkout);
  const Result<std::string> config = read_file(common + "/config", kGitFile);
  if (!config) return "";
  const std::string origin = origin_in(*config);
  return origin.empty() ? common : origin;
}

// Where a path that begins in a text ends, or a part of it does.
constexpr std::string_view kEndsOfPaths = "/:,;=\"' ";

// The directories in the text that the pattern matches, in their order, without repetition.
void add_matches(const std::string& pattern, std::string_view text, std::vector<std::string>& found) {
  const std::string_view head = std::string_view(pattern).substr(0, pattern.find_first_of(config::kOfPatterns));
  for (std::size_t at = text.find(head); at != text.npos; at = text.find(head, at + 1)) {
    const std::string_view rest = text.substr(at);
    for (std::size_t end = rest.find_first_of(kEndsOfPaths, 1);; end = rest.find_first_of(kEndsOfPaths, end + 1)) {
      const std::string directory(rest.substr(0, end));
      if (fnmatch(pattern.c_str(), directory.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0 && !holds(found, directory))
        found.push_back(directory);
      if (end == rest.npos || rest[end] != '/') break;
    }
  }
}

// The setting with what its patterns match in the texts. A directory that is really called so is no pattern.
std::vector<std::string> without_patterns(const std::vector<std::string>& setting,
                                          const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& base : setting) {
    if (!config::is_pattern(base) || ::access(base.c_str(), F_OK) == 0) {
      all.push_back(base);
      continue;
    }
    for (const std::string& text : texts) add_matches(without_slash(base), text, all);
  }
  return all;
}

}  // namespace

BaseDirectories base_directories_of(const std::vector<std::string>& setting, const std::vector<std::string>& argv,
                                    const std::string& source, const inputs::RunContext& from) {
  if (setting.empty()) {
    const std::string root =
        checkout_around(source.empty() ? from.working_directory : std::string(directory_name(normal_path(source))));
    return root.empty() ? BaseDirectories{} : BaseDirectories{{root}, true};
  }
  if (setting.size() == 1 && !config::is_pattern(setting.front())) return {setting, false};
  std::vector<std::string> texts = argv;
  texts.insert(texts.end(), {from.working_directory, from.logical_directory(), normal_path(source)});
  BaseDirectories bases{without_patterns(setting, texts), false};
  const auto is_named = [&](const std::string& base) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return mentions_directory(text, base); });
  };
  const auto concerns = [&](const std::string& base) {
    return is_named(without_slash(base)) || is_named(real_path(base));
  };
  bases.is_chosen = std::stable_partition(bases.all.begin(), bases.all.end(), concerns) != bases.all.end();
  return bases;
}

std::string repository_of(const std::string& directory) {
  const std::string checkout = checkout_around(directory);
  if (checkout.empty()) return directory;
  return identity_of(checkout) + '\n' + directory.substr(checkout.size());
}

}  // namespace hipcache::daemon
