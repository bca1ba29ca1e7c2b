// hipcache --flush: waits until all results are written to the shared caches.
#ifndef HIPCACHE_SRC_CLI_FLUSH_H
#define HIPCACHE_SRC_CLI_FLUSH_H

#include <chrono>
#include <string>

#include "cli/control/control.h"
#include "hipcache/base/result.h"

namespace hipcache::cli {

inline constexpr std::chrono::seconds kFlushStandstill{60};  // without a written result
inline constexpr std::chrono::minutes kFlushLimit{10};

// The text for the user. An error if something could not be written, or still waits at the limit. Shows progress on
// standard error, if that is a terminal.
Result<std::string> flush(const Control& control);

}  // namespace hipcache::cli

#endif
