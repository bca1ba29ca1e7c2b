// Reasons against storing the result of a link or of an archiver, in addition to those for any opaque compile: size,
// random names and numbers, times in archives.
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_LINK_REFUSAL_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_LINK_REFUSAL_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "daemon/request/services.h"
#include "daemon/steps/output_recorder.h"
#include "daemon/steps/step_state.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/inputs/written_outputs.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// The absolute path of a link's output; empty if the command is no link.
std::string linked_file(const Request& request);

// Which files the command may read before it writes them.
inputs::ReadAndWritten read_and_written(const Request& request);

// Called before the files are read, because they may be large. Keeps the answer for the next such request.
std::optional<inputs::Refusal> too_large(const StepState& work, const std::vector<inputs::WrittenOutput>& files,
                                         const Request& request, const Services& services);

// `made`: the contents of `files`. Nothing for compiles.
std::optional<inputs::Refusal> refusal_of_link(const StepState& work, const std::vector<CollectedOutput>& made,
                                               const std::vector<inputs::WrittenOutput>& files,
                                               const std::vector<trace::Record>& records, const Request& request,
                                               const RequestDirectory& directory);

}  // namespace hipcache::daemon

#endif
