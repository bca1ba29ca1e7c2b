#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

namespace hipcache::cli {
namespace {

struct ActionOption {
  const char* names;
  Action action;
  const char* help;
};

constexpr std::array<ActionOption, 11> kActions{{
    {"-s,--show-stats", Action::show_stats, "Show the statistics (--format json: with sccache's names)"},
    {"-z,--zero-stats", Action::zero_stats, "Set all counters to zero"},
    {"-C,--clear", Action::clear, "Forget everything that is stored; the statistics stay"},
    {"-c,--cleanup", Action::cleanup, "Shrink the store to its size limit now"},
    {"-p,--show-config", Action::show_config, "Show each setting, its value and where it comes from"},
    {"--plan", Action::plan, "Show the steps of COMMAND, their keys and which are stored; compile nothing"},
    {"--explain", Action::explain, "Show what differs from the nearest stored compile, step by step; compile nothing"},
    {"--start-server", Action::start_server, "Start the daemon, which also starts by itself when needed"},
    {"--stop-server", Action::stop_server, "Let the daemon finish what it is doing and end"},
    {"--version", Action::version, "Show the version"},
    {"-h,--help", Action::help, "Show this text"},
}};

class Formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage:\n"
           "  hipcache COMPILER ARGUMENTS...   compile, from the cache if possible\n"
           "  hipcache OPTION\n"
           "  hipcache --plan [--format json] -- COMPILER ARGUMENTS...\n"
           "  hipcache --explain [--format json] -- COMPILER ARGUMENTS...\n";
  }
};

// The parser and its targets. Not copyable or movable, because the parser points into this object.
struct Parser {
  CLI::App app{"A compile cache that knows HIP: every GPU architecture of a compile is cached by itself.", "hipcache"};
  std::array<bool, kActions.size()> asked{};
  std::string format = "text";

  Parser() {
    app.set_help_flag();
    app.formatter(std::make_shared<Formatter>());
    for (std::size_t index = 0; index < kActions.size(); ++index)
      app.add_flag(kActions[index].names, asked[index], kActions[index].help);
    app.add_option("--format", format, "How to show statistics, settings, a plan or an explanation: text or json");
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
};

bool takes_command(Action action) { return action == Action::plan || action == Action::explain; }

bool takes_format(Action action) {
  return action == Action::show_stats || action == Action::show_config || takes_command(action);
}

Error usage(const std::string& what) { return Error{what + "; see hipcache --help"}; }

Status parse_words(Parser& parser, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes a vector in reverse order
  try {
    parser.app.parse(std::move(words));
    return done();
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> unknown = parser.app.remaining();
    return usage("unknown option " + (unknown.empty() ? std::string() : unknown.front()));
  } catch (const CLI::ParseError& problem) {
    return usage(problem.what());
  }
}

Result<Options> chosen(const Parser& parser) {
  Options options;
  const auto count = std::count(parser.asked.begin(), parser.asked.end(), true);
  if (count == 0) return usage("no action given");
  if (count > 1) return usage("more than one action given");
  const auto index = std::find(parser.asked.begin(), parser.asked.end(), true) - parser.asked.begin();
  options.action = kActions[static_cast<std::size_t>(index)].action;
  if (parser.format != "text" && parser.format != "json")
    return usage("--format is text or json, not " + parser.format);
  options.json = parser.format == "json";
  if (parser.app.count("--format") > 0 && !takes_format(options.action))
    return usage("--format goes with --show-stats, --show-config, --plan and --explain");
  return options;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  Parser parser;
  if (Status parsed = parse_words(parser, {arguments.begin(), separator}); !parsed) return parsed.error();
  Result<Options> options = chosen(parser);
  if (!options) return options;
  if (separator != arguments.end()) options->command.assign(separator + 1, arguments.end());
  if (takes_command(options->action) && options->command.empty()) {
    const std::string name = options->action == Action::plan ? "--plan" : "--explain";
    return usage(name + " needs a command: hipcache " + name + " -- clang++ ...");
  }
  if (!takes_command(options->action) && separator != arguments.end())
    return usage("only --plan and --explain go with a command after --");
  return options;
}

std::string help_text() { return Parser().app.help(); }

}  // namespace hipcache::cli
