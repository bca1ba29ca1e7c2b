#include "cli/options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace hipcache::cli {
namespace {

struct ActionOption {
  std::string_view brief;  // "" if there is only the long name
  std::string_view name;
  Action action;
  std::string_view help;
};

constexpr std::array<ActionOption, 12> kActions{{
    {"-s", "--show-stats", Action::show_stats, "Show the statistics (--format json: with sccache's names)"},
    {"-z", "--zero-stats", Action::zero_stats, "Set all counters to zero"},
    {"-C", "--clear", Action::clear, "Forget everything that is stored; the statistics stay"},
    {"-c", "--cleanup", Action::cleanup, "Shrink the store to its size limit now"},
    {"", "--flush", Action::flush, "Wait until all results are written to the shared caches"},
    {"-p", "--show-config", Action::show_config, "Show each setting, its value and where it comes from"},
    {"", "--plan", Action::plan, "Show the steps of COMMAND, their keys and which are stored; compile nothing"},
    {"", "--explain", Action::explain,
     "Show what differs from the nearest stored compile, step by step; compile nothing"},
    {"", "--start-server", Action::start_server, "Start the daemon, which also starts by itself when needed"},
    {"", "--stop-server", Action::stop_server, "Let the daemon finish what it is doing and end"},
    {"", "--version", Action::version, "Show the version"},
    {"-h", "--help", Action::help, "Show this text"},
}};

constexpr std::string_view kUsage =
    "A compile cache that knows HIP: every GPU architecture of a compile is cached by itself.\n"
    "Usage:\n"
    "  hipcache COMPILER ARGUMENTS...   compile, from the cache if possible\n"
    "  hipcache OPTION\n"
    "  hipcache --plan [--format json] -- COMPILER ARGUMENTS...\n"
    "  hipcache --explain [--format json] -- COMPILER ARGUMENTS...\n"
    "\n"
    "Options:\n";
constexpr std::string_view kFormat = "--format";
constexpr std::string_view kFormatHelp = "How to show statistics, settings, a plan or an explanation: text or json";

using Words = std::vector<std::string>;

struct Parsed {
  std::optional<Action> action;
  std::optional<std::string> format;
};

bool takes_command(Action action) { return action == Action::plan || action == Action::explain; }

bool takes_format(Action action) {
  return action == Action::show_stats || action == Action::show_config || takes_command(action);
}

Error usage(const std::string& what) { return Error{what + "; see hipcache --help"}; }

Status add_action(Parsed& parsed, const std::string& word) {
  const auto* option = std::find_if(kActions.begin(), kActions.end(), [&](const ActionOption& known) {
    return word == known.name || (!known.brief.empty() && word == known.brief);
  });
  if (option == kActions.end()) return usage("unknown option " + word);
  if (parsed.action && *parsed.action != option->action) return usage("more than one action given");
  parsed.action = option->action;
  return done();
}

Status add_format(Parsed& parsed, std::string format) {
  if (format != "text" && format != "json") return usage("--format is text or json, not " + format);
  if (parsed.format) return usage("--format is given twice");
  parsed.format = std::move(format);
  return done();
}

Result<Parsed> parse_words(Words::const_iterator word, Words::const_iterator end) {
  Parsed parsed;
  for (; word != end; ++word) {
    Status added = done();
    if (word->starts_with(kFormat) && word->substr(kFormat.size()).starts_with('='))
      added = add_format(parsed, word->substr(kFormat.size() + 1));
    else if (*word == kFormat)
      added = word + 1 == end ? usage("--format needs a value") : add_format(parsed, *++word);
    else
      added = add_action(parsed, *word);
    if (!added) return added.error();
  }
  return parsed;
}

std::string help_line(const std::string& names, std::string_view help) {
  constexpr std::size_t kWidth = 28;
  std::string line = "  " + names;
  line.resize(std::max(kWidth + 2, line.size() + 1), ' ');
  return line.append(help) + "\n";
}

}  // namespace

Result<Options> parse_options(const Words& arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const Result<Parsed> parsed = parse_words(arguments.begin(), separator);
  if (!parsed) return parsed.error();
  if (!parsed->action) return usage("no action given");
  Options options{.action = *parsed->action, .json = parsed->format == "json", .command = {}};
  if (parsed->format && !takes_format(options.action))
    return usage("--format goes with --show-stats, --show-config, --plan and --explain");
  if (separator != arguments.end()) options.command.assign(separator + 1, arguments.end());
  if (takes_command(options.action) && options.command.empty()) {
    const std::string name = options.action == Action::plan ? "--plan" : "--explain";
    return usage(name + " needs a command: hipcache " + name + " -- clang++ ...");
  }
  if (!takes_command(options.action) && separator != arguments.end())
    return usage("only --plan and --explain go with a command after --");
  return options;
}

std::string help_text() {
  std::string text(kUsage);
  for (const ActionOption& option : kActions)
    text += help_line(std::string(option.brief) + (option.brief.empty() ? "" : ",") + std::string(option.name),
                      option.help);
  return text + help_line(std::string(kFormat) + " TEXT", kFormatHelp);
}

}  // namespace hipcache::cli
