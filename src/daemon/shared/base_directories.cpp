#include "daemon/shared/base_directories.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kGitFile = 64u << 10;  // more than any of the files that are read here has

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string normal(const std::string& path) {
  return without_slash(std::filesystem::path(path).lexically_normal().string());
}

// The nearest directory that holds ".git": a directory, or a file in worktrees and submodules. "" if there is none.
std::string checkout_around(std::string directory) {
  for (; directory.size() > 1 && directory.front() == '/'; directory = std::string(directory_name(directory)))
    if (::access((directory + "/.git").c_str(), F_OK) == 0) return directory;
  return "";
}

// Whether the text has the directory's name, as a whole.
bool names(std::string_view text, const std::string& directory) {
  for (auto at = text.find(directory); at != text.npos; at = text.find(directory, at + 1)) {
    const std::string_view rest = text.substr(at + directory.size());
    if (rest.empty() || std::string_view("/=:,;").find(rest.front()) != std::string_view::npos) return true;
  }
  return false;
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
  const std::string own = normal(join_path(checkout, link.substr(kLink.size())));
  const std::string common = first_line(own + "/commondir");
  return common.empty() ? own : normal(join_path(own, common));
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

}  // namespace

BaseDirectories base_directories_of(const std::vector<std::string>& setting, const std::vector<std::string>& argv,
                                    const std::string& source, const inputs::RunContext& from) {
  if (setting.empty()) {
    const std::string root =
        checkout_around(source.empty() ? from.working_directory : std::string(directory_name(normal(source))));
    return root.empty() ? BaseDirectories{} : BaseDirectories{{root}, true};
  }
  if (setting.size() == 1) return {setting, false};
  std::vector<std::string> texts = argv;
  texts.insert(texts.end(), {from.working_directory, from.logical_directory(), normal(source)});
  BaseDirectories bases{setting, false};
  const auto is_named = [&](const std::string& base) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return names(text, base); });
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
