// hipcache-remote as the program of --export and --import: hipcache-client has connected to the daemon, and becomes it.
//
// A process of its own: hipcache-client is static and starts before every miss, and the daemon neither makes signatures
// nor writes to paths that a client names.
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_PROGRAM_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_PROGRAM_H

#include <string>
#include <vector>

namespace hipcache::remote {

// The words: export DESCRIPTOR FILE MAX_BYTES USED_SINCE [ARCH...]
//            import DESCRIPTOR FILE
// The exit code. REQUIRES: SIGPIPE and SIGXFSZ are ignored, so that a closed pipe is an error of the write.
int run_archive(const std::vector<std::string>& words);

}  // namespace hipcache::remote

#endif
