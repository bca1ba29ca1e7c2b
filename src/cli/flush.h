// hipcache --flush: waits until all results are written to the shared caches.
#ifndef HIPCACHE_SRC_CLI_FLUSH_H
#define HIPCACHE_SRC_CLI_FLUSH_H

#include <chrono>
#include <string>

#include "cli/control/control.h"
#include "hipcache/base/result.h"

namespace hipcache::cli {

inline constexpr std::chrono::seconds kFlushStandstill{20};  // without progress (standstill.h)
inline constexpr std::chrono::minutes kFlushLimit{10};

// The text for the user. An error that says what was not written, if something could not be or still waits at the
// limit. Standard error shows what is waited for: all the time on a terminal, else in one line once it takes long.
Result<std::string> flush(const Control& control);

}  // namespace hipcache::cli

#endif
