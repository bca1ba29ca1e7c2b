#include "daemon/request/driver_reports.h"

#include <string_view>

#include "hipcache/inputs/one_run_reports.h"

namespace hipcache::daemon {
namespace {

template <typename Predicate>
std::string first_name(const std::vector<std::string>& environment, Predicate is_one) {
  for (const std::string& entry : environment) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    if (is_one(name)) return std::string(name);
  }
  return "";
}

}  // namespace

// CC_PRINT_OPTIONS_FILE without CC_PRINT_OPTIONS makes no report.
std::string variable_that_reports(const std::vector<std::string>& environment) {
  return first_name(environment, [](std::string_view name) {
    return (name.starts_with("CC_PRINT_") || name.starts_with("CC_LOG_")) && !name.ends_with("_FILE");
  });
}

std::string variable_that_reports_on_one_run(const std::vector<std::string>& environment) {
  return first_name(environment, inputs::reports_on_one_run);
}

}  // namespace hipcache::daemon
