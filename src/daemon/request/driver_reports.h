// Variables that make clang's driver itself write or print: CC_PRINT_OPTIONS, CC_PRINT_HEADERS, CC_LOG_DIAGNOSTICS and
// kin (clang/tools/driver/driver.cpp).
//
// The jobs that the driver prints do not show all such reports, so a compile with one is not split. A report on this
// one run cannot be stored either, and the command is passed through. Other reports are files and messages of an opaque
// compile. A report that is not known, of a later clang, counts by the beginning of its name.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_DRIVER_REPORTS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_DRIVER_REPORTS_H

#include <string>
#include <vector>

namespace hipcache::daemon {

// The name of such a variable that is set, or "". An empty value counts, as for the driver.
std::string variable_that_reports(const std::vector<std::string>& environment);

// The same for reports on one run (hipcache/inputs/one_run_reports.h).
std::string variable_that_reports_on_one_run(const std::vector<std::string>& environment);

}  // namespace hipcache::daemon

#endif
