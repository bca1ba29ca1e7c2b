// Whether a compiler's messages hold a crash report.
//
// The problem: LLVM's signal handler prints a report for SIGQUIT, SIGXFSZ and SIGXCPU, too, and returns. If another
// process sent the signal (a terminal's Ctrl-\, a limit, an operator), the compiler goes on (clang 15 and 19). The
// handler has removed the temporary output, if there was one, and then the compile fails. Before that it succeeds,
// with the right object, but with the report among its messages. The choice: such a success is not stored, because a
// hit would print the report again; after such a failure the compiler runs by itself. Rejected: cutting the report
// out, because its end is not marked.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_CRASH_REPORT_H
#define HIPCACHE_SRC_DAEMON_STEPS_CRASH_REPORT_H

#include <string_view>

namespace hipcache::daemon {

// Looks for the heading of llvm/lib/Support/PrettyStackTrace.cpp at the beginning of a line. The request to file a bug
// above it differs by vendor.
inline bool holds_crash_report(std::string_view text) {
  constexpr std::string_view kHeading = "Stack dump:";
  for (std::size_t at = text.find(kHeading); at != std::string_view::npos; at = text.find(kHeading, at + 1))
    if (at == 0 || text[at - 1] == '\n') return true;
  return false;
}

}  // namespace hipcache::daemon

#endif
