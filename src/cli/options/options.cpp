#include "cli/options/options.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <utility>

#include "hipcache/base/text.h"
#include "hipcache/config/values.h"

namespace hipcache::cli {
namespace {

// How values are read. Errors say what a value should be.

// As target ids are written: letters, digits, and "gfx90a:sramecc+:xnack-", "gfx9-4-generic".
bool is_arch(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == ':' || letter == '+' ||
           letter == '-' || letter == '_';
  });
}

// A time as ISO 8601 writes it, without the second or the time of day: local, or with a Z of UTC.
std::optional<std::time_t> time_of(std::string text) {
  const bool is_utc = text.ends_with('Z');
  if (is_utc) text.pop_back();
  std::replace(text.begin(), text.end(), 'T', ' ');
  for (const char* form : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    std::tm parts{};
    parts.tm_isdst = -1;
    const char* end = strptime(text.c_str(), form, &parts);
    if (end != nullptr && *end == '\0') return is_utc ? timegm(&parts) : std::mktime(&parts);
  }
  return std::nullopt;
}

Status take_format(Options& options, const std::string& value) {
  const auto* known = std::find(kFormats.begin(), kFormats.end(), value);
  if (known == kFormats.end()) return Error{"--format is " + listed(kFormats, " or ") + ", not " + value};
  options.format = static_cast<Format>(known - kFormats.begin());
  return done();
}

Status take_fail_under(Options& options, const std::string& value) {
  double percent = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), percent, std::chars_format::fixed);
  const bool is_number = read.ec == std::errc() && read.ptr == value.data() + value.size();
  const bool is_share = percent >= 0 && percent <= 100;  // "nan" is a number, and no share
  if (!is_number || !is_share) return Error{"--fail-under is a number from 0 to 100, not " + value};
  options.fail_under = percent;
  return done();
}

Status take_since(Options& options, const std::string& value) {
  const auto now = std::time(nullptr);
  std::optional<std::time_t> since = time_of(value);
  if (const Result<std::chrono::seconds> age = config::parse_duration(value); !since && age)
    since = now - std::min<std::time_t>(now, age->count());
  if (!since || *since < 0)
    return Error{"--since is an age such as 90m, or a time such as 2026-01-31T14:00, not " + value};
  options.since_us = static_cast<std::uint64_t>(*since) * 1'000'000;
  return done();
}

Status take_archs(Options& options, const std::string& value) {
  const std::vector<std::string> archs = config::parse_list(value);
  if (archs.empty() || !std::all_of(archs.begin(), archs.end(), is_arch))
    return Error{"--arch is a list of architectures such as gfx906,gfx90a, not " + value};
  options.archs.insert(options.archs.end(), archs.begin(), archs.end());
  return done();
}

Status take_max_size(Options& options, const std::string& value) {
  const Result<std::uint64_t> size = config::parse_size(value);
  if (!size) return Error{"--max-size: " + size.error().message};
  options.max_size = *size;
  return done();
}

Status take_newer_than(Options& options, const std::string& value) {
  const Result<std::chrono::seconds> age = config::parse_duration(value);
  if (!age) return Error{"--newer-than: " + age.error().message};
  options.newer_than = *age;
  return done();
}

using Actions = std::array<std::optional<Action>, 5>;

struct Option {
  OptionText text;
  std::optional<Action> action;  // unless it goes with some actions
  Actions goes_with;
  Status (*take)(Options& options, const std::string& value) = nullptr;
  bool Options::* flag = nullptr;  // if it has no value
};

constexpr auto kOptions = std::to_array<Option>({
    {{"-s", "--show-stats", "", "Show the statistics (--format json: with sccache's names)"}, Action::show_stats},
    {{"-z", "--zero-stats", "", "Set all counters to zero"}, Action::zero_stats},
    {{"-C", "--clear", "", "Forget everything that is stored; the statistics stay"}, Action::clear},
    {{"-c", "--cleanup", "", "Shrink the store to its size limit now"}, Action::cleanup},
    {{"", "--flush", "", "Wait until all results are written to the shared caches"}, Action::flush},
    {{"", "--export", "FILE", "Write the stored results to one archive (-: standard output)"}, Action::export_results},
    {{"", "--import", "FILE", "Put the results of an archive into the store (-: standard input)"},
     Action::import_results},
    {{"", "--public-key", "FILE", "Show the public key of a signing key, for HIPCACHE_TRUSTED_KEYS"},
     Action::public_key},
    {{"-p", "--show-config", "", "Show each setting, its value and where it comes from"}, Action::show_config},
    {{"", "--plan", "", "Show the steps of COMMAND, their keys and which are stored; compile nothing"}, Action::plan},
    {{"", "--explain", "",
      "Show what differs from the nearest stored compile, step by step; compile nothing.\n"
      "Exit code 0: a hit, 3: a miss or a partial hit, 4: passes through"},
     Action::explain},
    {{"", "--doctor", "",
      "Check the installation, the settings and the compilers, by small compiles in a cache of its own"},
     Action::doctor},
    {{"", "--report", "[FILE]", "Write a page about the last build (default: hipcache-report.html)"}, Action::report},
    {{"", "--watch", "", "Show running steps, hit rate and store each second, until Ctrl-C"}, Action::watch},
    {{"", "--start-server", "", "Start the daemon, which also starts by itself when needed"}, Action::start_server},
    {{"", "--stop-server", "", "Let the daemon finish what it is doing and end"}, Action::stop_server},
    {{"", "--generate", "WHAT", "Print the man page (man) or the completions for bash, zsh or fish"}, Action::generate},
    {{"", "--version", "", "Show the version"}, Action::version},
    {{"-h", "--help", "", "Show this text"}, Action::help},
    {.text = {"", "--format", "TEXT",
              "How to show it: text or json; statistics also markdown; a report html, markdown, json or trace"},
     .goes_with = {Action::show_stats, Action::show_config, Action::plan, Action::explain, Action::report},
     .take = take_format},
    {.text = {"", "--fail-under", "PERCENT", "With --show-stats and --report: exit code 1 if the hit rate is lower"},
     .goes_with = {Action::show_stats, Action::report},
     .take = take_fail_under},
    {.text = {"", "--since", "TIME",
              "With --report: what began within this age (90m) or since this time (2026-01-31T14:00)"},
     .goes_with = {Action::report},
     .take = take_since},
    {.text = {"", "--arch", "LIST",
              "With --export: of the device results only those for these architectures (may repeat)"},
     .goes_with = {Action::export_results},
     .take = take_archs},
    {.text = {"", "--max-size", "SIZE", "With --export: the archive is not larger; results used last go first"},
     .goes_with = {Action::export_results},
     .take = take_max_size},
    {.text = {"", "--newer-than", "AGE", "With --export: only results stored or used within this time, such as 90m"},
     .goes_with = {Action::export_results},
     .take = take_newer_than},
    {.text = {"", "--fail-unwritten", "", "With --flush: exit code 1 if a result could not be written"},
     .goes_with = {Action::flush},
     .flag = &Options::fail_unwritten},
    {.text = {"-v", "--verbose", "",
              "With --show-stats: show everything, not only what fits on one screen (-sv for short)"},
     .goes_with = {Action::show_stats},
     .flag = &Options::verbose},
});

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
  const Option* action = nullptr;
  std::vector<const Option*> given;  // that go with it
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

// The known option that is misspelt so; "" if none is near.
std::string meant_by(const std::string& word) {
  std::vector<std::string> names;
  for (const Option& option : kOptions) names.emplace_back(option.text.name);
  return nearest(word, names);
}

Error not_understood(const Parsed& parsed, const std::string& word) {
  const bool may_be_value = !word.starts_with('-') && parsed.action != nullptr && !parsed.action->text.value.empty();
  if (may_be_value) return usage(word + " must stand right behind " + std::string(parsed.action->text.name));
  const std::string meant = meant_by(word);
  if (meant.empty()) return usage("unknown option " + word);
  return Error{"unknown option " + word + "; is " + meant + " meant?"};
}

Status add_action(Parsed& parsed, const Option& option, WordReader& words) {
  const std::string_view wanted = option.text.value;
  const bool is_repeated = parsed.action != nullptr && (parsed.action != &option || !wanted.empty());
  if (is_repeated) return usage("more than one action given");
  parsed.action = &option;
  if (wanted.empty() || (wanted.starts_with('[') && !words.has_value())) return done();
  Result<std::string> value = words.value();
  if (!value) return value.error();
  if (value->empty())
    return usage(std::string(option.text.name) + " needs " + (wanted == "FILE" ? "a file" : "a value"));
  parsed.options.value = std::move(*value);
  return done();
}

// An option that goes with an action.
Status add_to_action(Parsed& parsed, const Option& option, WordReader& words) {
  const bool is_given = holds(parsed.given, &option);
  parsed.given.push_back(&option);
  if (option.flag != nullptr) {
    parsed.options.*option.flag = true;
    return done();
  }
  const Result<std::string> value = words.value();
  if (!value) return value.error();
  if (is_given && option.take != take_archs) return usage(std::string(option.text.name) + " is given twice");
  const Status taken = option.take(parsed.options, *value);
  return taken ? taken : Status(usage(taken.error().message));
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
  return parsed.action != nullptr && takes_command(*parsed.action->action) && !word.starts_with('-');
}

Result<Parsed> parse_words(const Words& arguments) {
  Parsed parsed;
  for (WordReader words(arguments.begin(), arguments.end()); !words.ended(); words.advance()) {
    if (begins_command(parsed, words.word())) {
      parsed.options.command = words.rest();
      break;
    }
    const auto* option = std::find_if(kOptions.begin(), kOptions.end(), [&](const Option& known) {
      return words.name() == known.text.name || (!known.text.brief.empty() && words.name() == known.text.brief);
    });
    if (option == kOptions.end() || (words.has_value_within() && option->text.value.empty()))
      return not_understood(parsed, words.word());
    const Status added = option->action ? add_action(parsed, *option, words) : add_to_action(parsed, *option, words);
    if (!added) return added.error();
  }
  return parsed;
}

Status check_format(const Parsed& parsed) {
  const Format format = parsed.options.format;
  const Action action = *parsed.action->action;
  const bool is_given = std::any_of(parsed.given.begin(), parsed.given.end(),
                                    [](const Option* option) { return option->take == take_format; });
  if (action == Action::report && is_given && format == Format::text)
    return usage("--report is html, markdown, json or trace, not text");
  if (format == Format::markdown && action != Action::show_stats && action != Action::report)
    return usage("--format markdown goes with --show-stats and --report");
  if ((format == Format::html || format == Format::trace) && action != Action::report)
    return usage("--format html and trace go with --report");
  return done();
}

std::string names_of(const Actions& actions) {
  std::vector<std::string_view> names;
  for (const std::optional<Action> action : actions)
    for (const Option& option : kOptions)
      if (action && option.action == action) names.push_back(option.text.name);
  return listed(names, " and ");
}

Status check_together(const Parsed& parsed) {
  for (const Option* option : parsed.given)
    if (std::find(option->goes_with.begin(), option->goes_with.end(), parsed.action->action) == option->goes_with.end())
      return usage(std::string(option->text.name) + " goes with " + names_of(option->goes_with));
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
  options.action = *parsed->action->action;
  if (options.command.empty() && separator != arguments.end()) options.command.assign(separator + 1, arguments.end());
  if (needs_command(options.action) && options.command.empty()) {
    const std::string name(parsed->action->text.name);
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
  for (const Option& option : kOptions) texts.push_back(option.text);
  return texts;
}

std::string listed(std::span<const std::string_view> words, std::string_view last, std::string_view between) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at)
    text.append(at == 0 ? "" : at + 1 == words.size() ? last : between).append(words[at]);
  return text;
}

std::string help_text() {
  std::string text(kUsage);
  for (const Option& option : kOptions) {
    std::string names(option.text.brief);
    names.append(names.empty() ? "" : ",").append(option.text.name);
    if (!option.text.value.empty()) names.append(" ").append(option.text.value);
    text += help_line(names, option.text.help);
  }
  return text;
}

}  // namespace hipcache::cli
