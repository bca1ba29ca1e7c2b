// Parses hipcache's own options.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_H
#define HIPCACHE_SRC_CLI_OPTIONS_H

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
  show_config,
  plan,
  explain,
  start_server,
  stop_server
};

struct Options {
  Action action = Action::help;
  bool json = false;
  std::vector<std::string> command;  // the words after "--"; only for plan and explain
};

// `arguments` without the program's name. An error names the option and what to do.
Result<Options> parse_options(const std::vector<std::string>& arguments);

std::string help_text();

}  // namespace hipcache::cli

#endif
