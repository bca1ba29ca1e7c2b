#include "cli/options/options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::cli {
namespace {

struct TheirAction {
  Tool tool;
  std::string_view brief, name;
  Action action;
  Manner manner;
};

constexpr auto kActions = std::to_array<TheirAction>({
    {Tool::ccache, "-s", "--show-stats", Action::show_stats, Manner::ccache},
    {Tool::ccache, "", "--print-stats", Action::show_stats, Manner::ccache_counters},
    {Tool::ccache, "-z", "--zero-stats", Action::zero_stats, Manner::ccache},
    {Tool::ccache, "-C", "--clear", Action::clear, Manner::ccache},
    {Tool::ccache, "-c", "--cleanup", Action::cleanup, Manner::ccache},
    {Tool::ccache, "-p", "--show-config", Action::show_config, Manner::ccache},
    {Tool::ccache, "-h", "--help", Action::help, Manner::ccache},
    {Tool::ccache, "-V", "--version", Action::version, Manner::ccache},
    {Tool::ccache, "", "--print-version", Action::version, Manner::ccache_counters},
    {Tool::sccache, "-s", "--show-stats", Action::show_stats, Manner::sccache},
    {Tool::sccache, "", "--show-adv-stats", Action::show_stats, Manner::sccache},
    {Tool::sccache, "-z", "--zero-stats", Action::zero_stats, Manner::sccache},
    {Tool::sccache, "", "--start-server", Action::start_server, Manner::sccache},
    {Tool::sccache, "", "--stop-server", Action::stop_server, Manner::sccache},
    {Tool::sccache, "-h", "--help", Action::help, Manner::sccache},
    {Tool::sccache, "-V", "--version", Action::version, Manner::sccache},
});

struct Instead {
  std::string_view brief, name;
  std::string_view use;
};

// Options of ccache that change or show settings, of which scripts have most. docs/switching.md has all others.
constexpr auto kInstead = std::to_array<Instead>({
    {"-M", "--max-size", "set HIPCACHE_MAX_SIZE, or max_size in the file that --show-config names"},
    {"-d", "--dir", "set HIPCACHE_DIR for that command"},
    {"", "--directory", "set HIPCACHE_DIR for that command"},
    {"", "--config-path", "set HIPCACHE_CONFIG for that command"},
    {"-o", "--set-config", "edit the file that --show-config names"},
    {"-k", "--get-config", "use --show-config"},
});

std::string_view name_of(Tool tool) { return tool == Tool::ccache ? "ccache" : "sccache"; }

using Words = std::vector<std::string>;

// "-sv" is "-s" and "-v". A letter with a value takes the rest of the word.
Words spelled_out(Tool tool, const Words& arguments) {
  constexpr std::string_view kWithValue = "MFkodX";
  Words words;
  for (const std::string& word : arguments) {
    if (word.size() < 3 || word[0] != '-' || word[1] == '-' || tool != Tool::ccache) {
      words.push_back(word);
      continue;
    }
    for (const char letter : word.substr(1)) {
      words.push_back({'-', letter});
      if (kWithValue.find(letter) != std::string_view::npos) break;
    }
  }
  return words;
}

const TheirAction* find_action(Tool tool, const std::string& word) {
  const auto* found = std::find_if(kActions.begin(), kActions.end(), [&](const TheirAction& one) {
    return one.tool == tool && (one.name == word || (!one.brief.empty() && one.brief == word));
  });
  return found == kActions.end() ? nullptr : found;
}

const Instead* find_instead(Tool tool, const std::string& word) {
  const auto* found = std::find_if(kInstead.begin(), kInstead.end(),
                                   [&](const Instead& one) { return one.name == word || one.brief == word; });
  return found == kInstead.end() || tool != Tool::ccache || word.empty() ? nullptr : found;
}

// Of --format (ccache) and --stats-format (sccache), with its value in the same word or the next one.
bool is_format(Tool tool, const std::string& word) {
  const std::string_view name = tool == Tool::ccache ? "--format" : "--stats-format";
  return word.substr(0, word.find('=')) == name;
}

Result<Format> format_of(const std::string& value) {
  if (value == "json") return Format::json;
  if (value == "text" || value == "tab") return Format::text;
  return Error{"the statistics' format is text, tab or json, not \"" + value + "\""};
}

struct Parsed {
  std::vector<Options> actions;
  Format format = Format::text;
  bool verbose = false;
};

// Nothing if a word is no option of the tool that hipcache takes over.
Result<std::optional<Parsed>> parse(Tool tool, const Words& words) {
  Parsed parsed;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const std::string name = word.substr(0, word.find('='));
    if (const TheirAction* action = find_action(tool, word)) {
      parsed.actions.push_back({.action = action->action, .manner = action->manner});
    } else if (tool == Tool::ccache && (word == "-v" || word == "--verbose")) {
      parsed.verbose = true;
    } else if (is_format(tool, word)) {
      const bool is_within = name.size() < word.size();
      if (!is_within && at + 1 == words.size()) return Error{name + " needs a value"};
      const Result<Format> format = format_of(is_within ? word.substr(name.size() + 1) : words[++at]);
      if (!format) return format.error();
      parsed.format = *format;
    } else if (const Instead* instead = find_instead(tool, name)) {
      return Error{name + " of ccache is no option of hipcache: " + std::string(instead->use)};
    } else {
      return std::optional<Parsed>();
    }
  }
  return std::optional(std::move(parsed));
}

Result<std::vector<Options>> ours(Tool tool, const Words& arguments) {
  Result<Options> options = parse_options(arguments);
  if (!options && tool != Tool::none)
    return Error{options.error().message + "; this is hipcache in place of " + std::string(name_of(tool)) +
                 ", docs/switching.md has the counterparts"};
  if (!options) return options.error();
  return std::vector<Options>{std::move(*options)};
}

}  // namespace

Tool tool_named(std::string_view path) {
  const std::string_view name = base_name(path);
  if (name == "ccache") return Tool::ccache;
  return name == "sccache" ? Tool::sccache : Tool::none;
}

std::string_view version_of(Tool tool) { return tool == Tool::ccache ? "4.14.0" : "0.17.0"; }

Result<std::vector<Options>> parse_options_of(Tool tool, const Words& arguments) {
  if (tool == Tool::none) return ours(tool, arguments);
  Result<std::optional<Parsed>> parsed = parse(tool, spelled_out(tool, arguments));
  if (!parsed) return parsed.error();
  if (!*parsed || (*parsed)->actions.empty()) return ours(tool, arguments);
  for (Options& options : (*parsed)->actions) {
    if (options.action != Action::show_stats) continue;
    options.format = (*parsed)->format;
    options.verbose = (*parsed)->verbose;
  }
  return std::move((*parsed)->actions);
}

std::string version_text(const Options& options) {
  const std::string own = "hipcache " + protocol::build_id();
  if (options.manner == Manner::hipcache) return own + "\n";
  const Tool tool = options.manner == Manner::sccache ? Tool::sccache : Tool::ccache;
  const std::string version(version_of(tool));
  if (options.manner == Manner::ccache_counters) return version + "\n";
  const std::string name(name_of(tool));
  return name + (tool == Tool::ccache ? " version " : " ") + version + "\n" + own + " in place of " + name + "\n";
}

}  // namespace hipcache::cli
