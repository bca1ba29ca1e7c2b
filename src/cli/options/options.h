// hipcache's own options: what they ask for, and the words by which people and shells know them.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_OPTIONS_H
#define HIPCACHE_SRC_CLI_OPTIONS_OPTIONS_H

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::cli {

enum class Action {
  help,
  version,
  show_stats,
  zero_stats,
  clear,
  cleanup,
  flush,
  export_results,
  import_results,
  public_key,
  generate,
  show_config,
  plan,
  explain,
  doctor,
  report,
  watch,
  start_server,
  stop_server
};

enum class Format { text, json, markdown, html, trace };  // html and trace only of a report
// As they are typed, in that order.
inline constexpr std::array<std::string_view, 5> kFormats{"text", "json", "markdown", "html", "trace"};

// Whose form the statistics and the version have.
enum class Manner { hipcache, ccache, ccache_counters, sccache };

struct Options {
  Action action = Action::help;
  Format format = Format::text;
  Manner manner = Manner::hipcache;
  bool verbose = false;         // show_stats: everything
  bool fail_unwritten = false;  // flush
  bool json() const { return format == Format::json; }
  std::optional<double> fail_under;                // show_stats, report: percent
  std::optional<std::uint64_t> since_us;           // report: microseconds since 1970
  std::string value;                               // of an action; a file "-" is standard output or input
  std::vector<std::string> archs;                  // export; empty: all
  std::uint64_t max_size = 0;                      // export: bytes; 0: no limit
  std::optional<std::chrono::seconds> newer_than;  // export: used within this time
  std::vector<std::string> command;                // the words after "--"; only for plan, explain and doctor
};

// `arguments` without the program's name. An error names the option and what to do.
Result<Options> parse_options(const std::vector<std::string>& arguments);

// An option as --help, the man page and the completions show it.
struct OptionText {
  std::string_view brief;  // "" if there is only the long name
  std::string_view name;
  std::string_view value;  // what it needs; in brackets if it may be left out; "" if nothing
  std::string_view help;
};

std::vector<OptionText> option_texts();

std::string help_text();

// "a, b or c"; `last`: " or ".
std::string listed(std::span<const std::string_view> words, std::string_view last, std::string_view between = ", ");

// The man page and the completions of shells, from the same table of options as --help. The build runs
// `hipcache-client --generate`, so that what is installed names exactly the options of the program.
// `what`: man, bash, zsh or fish.
Result<std::string> generate(const std::string& what);

// Options as users of ccache or sccache type them, for a link of that name that leads to hipcache.
//
// Choice: the options that builds and CI jobs really use mean the same; hipcache's own are understood too. Another
// option of that tool is an error that names docs/switching.md.
// Rejected: to ignore such an option. A job that sets a limit would go on with another one.

enum class Tool : std::uint8_t { none, ccache, sccache };

// By the last part of a program's path.
Tool tool_named(std::string_view path);

// "4.14.0", of the version whose output hipcache imitates. REQUIRES: a tool.
std::string_view version_of(Tool tool);

// `arguments` without the program's name. Actions in the order in which they are to be performed: both tools take
// several at once (ccache -Cz).
Result<std::vector<Options>> parse_options_of(Tool tool, const std::vector<std::string>& arguments);

// Begins as the tool's own, which build systems parse, and then says what it is.
std::string version_text(const Options& options);

}  // namespace hipcache::cli

#endif
