// What speaks against storing the result of a link or of an archiver, beside what speaks against any command that is
// cached whole: its size, names and numbers that are others each time, times in archives.
#ifndef HIPCACHE_DAEMON_LINK_REFUSAL_H
#define HIPCACHE_DAEMON_LINK_REFUSAL_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/made.h"
#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/services.h"
#include "daemon/step_work.h"
#include "hipcache/inputs/observe.h"
#include "hipcache/inputs/written.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// What a link was told to make, absolute; empty: the command is no link.
std::string linked_file(const Request& request);

// Which files of the command may be read before they are written.
inputs::ReadAndWritten read_and_written(const Request& request);

// Asked before the files are read, for they may be large. Remembers the answer for the next such request.
std::optional<inputs::Refusal> too_large(const StepWork& work, const std::vector<inputs::Written>& files,
                                         const Request& request, const Services& services);

// `made`: what was read from `files`. Nothing for compiles.
std::optional<inputs::Refusal> refusal_of_link(const StepWork& work, const std::vector<Made>& made,
                                               const std::vector<inputs::Written>& files,
                                               const std::vector<trace::Record>& records, const Request& request,
                                               const RequestDirectory& directory);

}  // namespace hipcache::daemon

#endif
