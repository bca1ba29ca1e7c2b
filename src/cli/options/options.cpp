#include "cli/options/options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/options/option_values.h"
#include "hipcache/base/text.h"

namespace hipcache::cli {
namespace {

struct ActionOption {
  std::string_view brief;  // "" if there is only the long name
  std::string_view name;
  Action action;
  std::string_view value;  // what it needs; in brackets if it may be left out; "" if nothing
  std::string_view help;
};

constexpr std::array<ActionOption, 19> kActions{{
    {"-s", "--show-stats", Action::show_stats, "", "Show the statistics (--format json: with sccache's names)"},
    {"-z", "--zero-stats", Action::zero_stats, "", "Set all counters to zero"},
    {"-C", "--clear", Action::clear, "", "Forget everything that is stored; the statistics stay"},
    {"-c", "--cleanup", Action::cleanup, "", "Shrink the store to its size limit now"},
    {"", "--flush", Action::flush, "", "Wait until all results are written to the shared caches"},
    {"", "--export", Action::export_results, "FILE", "Write the stored results to one archive (-: standard output)"},
    {"", "--import", Action::import_results, "FILE",
     "Put the results of an archive into the store (-: standard input)"},
    {"", "--public-key", Action::public_key, "FILE", "Show the public key of a signing key, for HIPCACHE_TRUSTED_KEYS"},
    {"-p", "--show-config", Action::show_config, "", "Show each setting, its value and where it comes from"},
    {"", "--plan", Action::plan, "", "Show the steps of COMMAND, their keys and which are stored; compile nothing"},
    {"", "--explain", Action::explain, "",
     "Show what differs from the nearest stored compile, step by step; compile nothing.\n"
     "Exit code 0: a hit, 3: a miss or a partial hit, 4: passes through"},
    {"", "--doctor", Action::doctor, "",
     "Check the installation, the settings and the compilers, by small compiles in a cache of its own"},
    {"", "--report", Action::report, "[FILE]", "Write a page about the last build (default: hipcache-report.html)"},
    {"", "--watch", Action::watch, "", "Show running steps, hit rate and store each second, until Ctrl-C"},
    {"", "--start-server", Action::start_server, "", "Start the daemon, which also starts by itself when needed"},
    {"", "--stop-server", Action::stop_server, "", "Let the daemon finish what it is doing and end"},
    {"", "--generate", Action::generate, "WHAT", "Print the man page (man) or the completions for bash, zsh or fish"},
    {"", "--version", Action::version, "", "Show the version"},
    {"-h", "--help", Action::help, "", "Show this text"},
}};

struct ValueOption {
  std::string_view name;
  std::string_view value;
  std::array<Action, 5> goes_with;  // the last one is repeated
  std::string_view goes_with_text;
  Status (*take)(Options& options, const std::string& value);
  std::string_view help;
};

constexpr std::array<ValueOption, 6> kValues{{
    {"--format",
     "TEXT",
     {Action::show_stats, Action::show_config, Action::plan, Action::explain, Action::report},
     "--show-stats, --show-config, --plan, --explain and --report",
     take_format,
     "How to show it: text or json; statistics also markdown; a report html, markdown, json or trace"},
    {"--fail-under",
     "PERCENT",
     {Action::show_stats, Action::report, Action::report, Action::report, Action::report},
     "--show-stats and --report",
     take_fail_under,
     "With --show-stats and --report: exit code 1 if the hit rate is lower"},
    {"--since",
     "TIME",
     {Action::report, Action::report, Action::report, Action::report, Action::report},
     "--report",
     take_since,
     "With --report: what began within this age (90m) or since this time (2026-01-31T14:00)"},
    {"--arch",
     "LIST",
     {Action::export_results, Action::export_results, Action::export_results, Action::export_results,
      Action::export_results},
     "--export",
     take_archs,
     "With --export: of the device results only those for these architectures (may repeat)"},
    {"--max-size",
     "SIZE",
     {Action::export_results, Action::export_results, Action::export_results, Action::export_results,
      Action::export_results},
     "--export",
     take_max_size,
     "With --export: the archive is not larger; results used last go first"},
    {"--newer-than",
     "AGE",
     {Action::export_results, Action::export_results, Action::export_results, Action::export_results,
      Action::export_results},
     "--export",
     take_newer_than,
     "With --export: only results stored or used within this time, such as 90m"},
}};

// An option without a value that goes with one action.
struct FlagOption {
  std::string_view brief;
  std::string_view name;
  Action goes_with;
  std::string_view goes_with_text;
  bool Options::* flag;
  std::string_view help;
};

constexpr std::array<FlagOption, 2> kFlags{{
    {"", "--fail-unwritten", Action::flush, "--flush", &Options::fail_unwritten,
     "With --flush: exit code 1 if a result could not be written"},
    {"-v", "--verbose", Action::show_stats, "--show-stats", &Options::verbose,
     "With --show-stats: show everything, not only what fits on one screen (-sv for short)"},
}};

constexpr std::string_view kUsage =
    "A compile cache that knows HIP: every GPU architecture of a compile is cached by itself.\n"
    "Usage:\n"
    "  hipcache COMPILER ARGUMENTS...   compile, from the cache if possible\n"
    "  hipcache OPTION\n"
    "  hipcache --plan [--format json] COMPILER ARGUMENTS...\n"
    "  hipcache --explain [--format json] COMPILER ARGUMENTS...\n"
    "  hipcache --doctor [COMPILER [OPTIONS...]]\n"
    "\n"
    "Options:\n";

using Words = std::vector<std::string>;

struct Parsed {
  const ActionOption* action = nullptr;
  std::vector<const ValueOption*> given;
  std::vector<const FlagOption*> flags;
  Options options;
};

bool needs_command(Action action) { return action == Action::plan || action == Action::explain; }
bool takes_command(Action action) { return needs_command(action) || action == Action::doctor; }

Error usage(const std::string& what) { return Error{what + "; see hipcache --help"}; }

// The doctor adds a source of its own.
Status check_doctors_compiler(const std::vector<std::string>& command) {
  for (const std::string& word : command)
    if (word == "-c" || word == "-o")
      return usage("--doctor compiles a source of its own: name a compiler and its options, without " + word);
  return done();
}

// "--name=value", or "--name" with the next word as value.
class WordReader {
 public:
  WordReader(Words::const_iterator word, Words::const_iterator end) : word_(word), end_(end) { split(); }

  bool ended() const { return word_ == end_; }
  const std::string& name() const { return name_; }
  const std::string& word() const { return *word_; }
  bool has_value_within() const { return within_.has_value(); }
  // Whether what follows may be a value: "-" is one, another option is none.
  bool has_value() const {
    return within_ || (word_ + 1 != end_ && (*(word_ + 1) == "-" || !(word_ + 1)->starts_with('-')));
  }

  Result<std::string> value() {
    if (within_) return *within_;
    if (word_ + 1 == end_ || (word_ + 1)->starts_with("--")) return usage(name_ + " needs a value");
    return *++word_;
  }
  Words rest() const { return {word_, end_}; }
  void advance() {
    ++word_;
    split();
  }

 private:
  void split() {
    within_.reset();
    if (ended()) return;
    const std::size_t equals = word_->starts_with("--") ? word_->find('=') : std::string::npos;
    name_ = word_->substr(0, equals);
    if (equals != std::string::npos) within_ = word_->substr(equals + 1);
  }

  Words::const_iterator word_;
  Words::const_iterator end_;
  std::string name_;
  std::optional<std::string> within_;
};

std::string wanted_by(const ActionOption& option) {
  if (option.value == "FILE") return "a file";
  return option.value == "TOOL" ? "a tool" : "a value";
}

// The known option that is misspelt so; "" if none is near.
std::string meant_by(const std::string& word) {
  std::vector<std::string> names;
  for (const OptionText& option : option_texts()) names.emplace_back(option.name);
  return nearest(word, names);
}

Error not_understood(const Parsed& parsed, const std::string& word) {
  const bool may_be_value = !word.starts_with('-') && parsed.action != nullptr && !parsed.action->value.empty();
  if (may_be_value) return usage(word + " must stand right behind " + std::string(parsed.action->name));
  const std::string meant = meant_by(word);
  if (meant.empty()) return usage("unknown option " + word);
  return Error{"unknown option " + word + "; is " + meant + " meant?"};
}

Status add_action(Parsed& parsed, WordReader& words) {
  const auto* option = std::find_if(kActions.begin(), kActions.end(), [&](const ActionOption& known) {
    return words.name() == known.name || (!known.brief.empty() && words.name() == known.brief);
  });
  if (option == kActions.end() || (words.has_value_within() && option->value.empty()))
    return not_understood(parsed, words.word());
  const bool is_repeated = parsed.action != nullptr && (parsed.action != option || !option->value.empty());
  if (is_repeated) return usage("more than one action given");
  parsed.action = option;
  if (option->value.empty() || (option->value.starts_with('[') && !words.has_value())) return done();
  Result<std::string> value = words.value();
  if (!value) return value.error();
  if (value->empty()) return usage(std::string(option->name) + " needs " + wanted_by(*option));
  parsed.options.value = std::move(*value);
  return done();
}

Status add_value(Parsed& parsed, const ValueOption& option, WordReader& words) {
  const Result<std::string> value = words.value();
  if (!value) return value.error();
  const bool is_given = std::find(parsed.given.begin(), parsed.given.end(), &option) != parsed.given.end();
  if (is_given && option.take != take_archs) return usage(std::string(option.name) + " is given twice");
  parsed.given.push_back(&option);
  const Status taken = option.take(parsed.options, *value);
  return taken ? taken : Status(usage(taken.error().message));
}

// Whether the word was a flag.
bool add_flag(Parsed& parsed, const std::string& word) {
  const auto* flag = std::find_if(kFlags.begin(), kFlags.end(), [&](const FlagOption& known) {
    return word == known.name || (!known.brief.empty() && word == known.brief);
  });
  if (flag == kFlags.end()) return false;
  parsed.flags.push_back(flag);
  parsed.options.*flag->flag = true;
  return true;
}

// As ccache's users type it.
Words spelled_out(Words::const_iterator word, Words::const_iterator end) {
  Words words;
  for (; word != end; ++word) {
    if (*word == "-sv")
      words.insert(words.end(), {"-s", "-v"});
    else
      words.push_back(*word);
  }
  return words;
}

// The command begins with the first word that is no option. "--" before it is only needed if it looks like one.
bool begins_command(const Parsed& parsed, const std::string& word) {
  return parsed.action != nullptr && takes_command(parsed.action->action) && !word.starts_with('-');
}

Result<Parsed> parse_words(const Words& arguments) {
  Parsed parsed;
  for (WordReader words(arguments.begin(), arguments.end()); !words.ended(); words.advance()) {
    if (begins_command(parsed, words.word())) {
      parsed.options.command = words.rest();
      break;
    }
    if (add_flag(parsed, words.word())) continue;
    const auto* option = std::find_if(kValues.begin(), kValues.end(),
                                      [&](const ValueOption& known) { return words.name() == known.name; });
    const Status added = option == kValues.end() ? add_action(parsed, words) : add_value(parsed, *option, words);
    if (!added) return added.error();
  }
  return parsed;
}

Status check_format(const Parsed& parsed) {
  const Format format = parsed.options.format;
  const Action action = parsed.action->action;
  const bool is_given = std::any_of(parsed.given.begin(), parsed.given.end(),
                                    [](const ValueOption* option) { return option->take == take_format; });
  if (action == Action::report && is_given && format == Format::text)
    return usage("--report is html, markdown, json or trace, not text");
  if (format == Format::markdown && action != Action::show_stats && action != Action::report)
    return usage("--format markdown goes with --show-stats and --report");
  if ((format == Format::html || format == Format::trace) && action != Action::report)
    return usage("--format html and trace go with --report");
  return done();
}

Status check_together(const Parsed& parsed) {
  for (const ValueOption* option : parsed.given)
    if (std::find(option->goes_with.begin(), option->goes_with.end(), parsed.action->action) == option->goes_with.end())
      return usage(std::string(option->name) + " goes with " + std::string(option->goes_with_text));
  for (const FlagOption* flag : parsed.flags)
    if (flag->goes_with != parsed.action->action)
      return usage(std::string(flag->name) + " goes with " + std::string(flag->goes_with_text));
  return check_format(parsed);
}

// Further lines of the help begin below its first one.
std::string help_line(const std::string& names, std::string_view help) {
  constexpr std::size_t kWidth = 28;
  std::string line = "  " + names;
  line.resize(std::max(kWidth + 2, line.size() + 1), ' ');
  for (const char letter : help) line += letter == '\n' ? "\n" + std::string(kWidth + 2, ' ') : std::string(1, letter);
  return line + "\n";
}

std::string names_of(const OptionText& option) {
  std::string names = std::string(option.brief) + (option.brief.empty() ? "" : ",") + std::string(option.name);
  return option.value.empty() ? names : names + " " + std::string(option.value);
}

}  // namespace

Result<Options> parse_options(const Words& arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  Result<Parsed> parsed = parse_words(spelled_out(arguments.begin(), separator));
  if (parsed && !parsed->options.command.empty() && separator != arguments.end())
    parsed->options.command.insert(parsed->options.command.end(), separator, arguments.end());  // the compiler's own
  if (!parsed) return parsed.error();
  if (parsed->action == nullptr) return usage("no action given");
  if (Status together = check_together(*parsed); !together) return together.error();
  Options options = std::move(parsed->options);
  options.action = parsed->action->action;
  if (options.command.empty() && separator != arguments.end()) options.command.assign(separator + 1, arguments.end());
  if (needs_command(options.action) && options.command.empty()) {
    const std::string name(parsed->action->name);
    return usage(name + " needs a command: hipcache " + name + " clang++ ...");
  }
  if (!takes_command(options.action) && separator != arguments.end())
    return usage("only --plan, --explain and --doctor go with a command");
  if (options.action == Action::doctor)
    if (Status good = check_doctors_compiler(options.command); !good) return good.error();
  return options;
}

std::vector<OptionText> option_texts() {
  std::vector<OptionText> texts;
  for (const ActionOption& option : kActions) texts.push_back({option.brief, option.name, option.value, option.help});
  for (const ValueOption& option : kValues) texts.push_back({"", option.name, option.value, option.help});
  for (const FlagOption& option : kFlags) texts.push_back({option.brief, option.name, "", option.help});
  return texts;
}

std::string help_text() {
  std::string text(kUsage);
  for (const OptionText& option : option_texts()) text += help_line(names_of(option), option.help);
  return text;
}

}  // namespace hipcache::cli
