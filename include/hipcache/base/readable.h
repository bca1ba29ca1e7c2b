// Text for people: log lines, reasons, statistics, explanations.
//
// Names that hipcache compares hold placeholders for directories that differ from run to run; the placeholders have
// control characters, which no log or terminal should get. Names of files may hold such characters, too.
#ifndef HIPCACHE_BASE_READABLE_H
#define HIPCACHE_BASE_READABLE_H

#include <string>
#include <string_view>

namespace hipcache {

// The name that stands for a request's temporary directory in stored messages.
inline constexpr std::string_view kStoredTemporaryDirectory = "/hipcache-request-directory";

// The text with placeholders as "<base directory>" and "<temporary directory>", and every other control character as
// "\n", "\t" or "\x1b". Bytes that are no control characters stay as they are.
std::string readable(std::string_view text);

}  // namespace hipcache

#endif
