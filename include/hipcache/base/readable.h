// Makes text fit for people: log lines, reasons, statistics, explanations.
//
// Names that hipcache compares hold placeholders for directories that differ from run to run. The
// placeholders contain control characters, which must not reach a log or terminal. File names may
// contain such characters, too.
#ifndef HIPCACHE_BASE_READABLE_H
#define HIPCACHE_BASE_READABLE_H

#include <string>
#include <string_view>

namespace hipcache {

// Stands for a request's temporary directory in stored messages.
inline constexpr std::string_view kStoredTemporaryDirectory = "/hipcache-request-directory";

// Replaces placeholders by "<base directory>", "<object>" and the like, and every other control
// character by "\n", "\t" or "\x1b". Other bytes stay as they are.
std::string readable(std::string_view text);

}  // namespace hipcache

#endif
