// What options ask for, and how their values are read. Errors say what a value should be.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_OPTION_VALUES_H
#define HIPCACHE_SRC_CLI_OPTIONS_OPTION_VALUES_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
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

Status take_format(Options& options, const std::string& value);
Status take_fail_under(Options& options, const std::string& value);
Status take_since(Options& options, const std::string& value);
Status take_archs(Options& options, const std::string& value);
Status take_max_size(Options& options, const std::string& value);
Status take_newer_than(Options& options, const std::string& value);

}  // namespace hipcache::cli

#endif
