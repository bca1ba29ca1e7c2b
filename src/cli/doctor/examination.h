// What the checks of hipcache --doctor know and what they found.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_EXAMINATION_H
#define HIPCACHE_SRC_CLI_DOCTOR_EXAMINATION_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cli/doctor/findings.h"
#include "cli/doctor/trial/program_run.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::cli {

struct Examination {
  explicit Examination(Words variables)
      : environment(std::move(variables)), variable(config::lookup_in(environment)), settings(config::load(variable)) {}

  const Words environment;  // NAME=value
  const config::Lookup variable;
  const Result<config::Settings> settings;
  Words compiler;                       // the words after "--"; empty: those of PATH
  std::optional<std::string> hipcache;  // the launcher beside this program; checks use it as a user would
  bool has_directory = false;           // the cache directory can be used
  std::uint64_t store_bytes = 0;        // on disk, if the daemon says so
  Findings findings;
};

}  // namespace hipcache::cli

#endif
